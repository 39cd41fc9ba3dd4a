import type { Payment } from './payment.ts'

/** The ledger accounts of a customer's account, by id. */
export interface SourceBooks {
  readonly available: number
  readonly held: number
}

/** All ledger accounts of one payment. */
export interface Books extends SourceBooks {
  /** Ledger account that receives the money: the rail, or the available funds of an account of this world. */
  readonly destination: number
  readonly fees: number
}

/** One leg of a movement: minor units added to a ledger account. The legs of a movement sum to zero. */
export interface Entry {
  readonly account: number
  readonly amount: number
}

const total = ({ amount, fee }: Payment): number => amount + fee

export const hold = (payment: Payment, { available, held }: SourceBooks): readonly Entry[] =>
  transfer(total(payment), available, held)

export const release = (payment: Payment, { available, held }: SourceBooks): readonly Entry[] =>
  transfer(total(payment), held, available)

export function capture(payment: Payment, { held, destination, fees }: Books): readonly Entry[] {
  const legs = [
    { account: held, amount: -total(payment) },
    { account: destination, amount: payment.amount },
  ]
  return payment.fee === 0 ? legs : [...legs, { account: fees, amount: payment.fee }]
}

/** Money from another bank moves from the rail to the account. */
export const credit = ({ amount }: Payment, { rail, available }: { rail: number; available: number }) =>
  transfer(amount, rail, available)

const transfer = (amount: number, from: number, to: number): readonly Entry[] => [
  { account: from, amount: -amount },
  { account: to, amount },
]
