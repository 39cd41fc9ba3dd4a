import type { Movement, Payment } from './payment.ts'

/** The ledger accounts of a customer's account. */
export interface SourceBooks<Account = number> {
  readonly available: Account
  readonly held: Account
}

/**
 * All ledger accounts of one payment. A movement reads only the accounts that it needs, because reading an account may
 * open it.
 */
export interface Books<Account = number> extends SourceBooks<Account> {
  readonly rail: Account
  /** Ledger account that receives the money: the rail, or the available funds of an account of this world. */
  readonly destination: Account
  readonly fees: Account
}

/** One leg of a movement: minor units added to a ledger account. The legs of a movement sum to zero. */
export interface Entry<Account = number> {
  readonly account: Account
  readonly amount: number
}

type Legs<Account> = readonly Entry<Account>[]

/** Ledger entries that move a payment's money. */
export function entriesOf<Account>(movement: Movement, payment: Payment, books: Books<Account>): Legs<Account> {
  switch (movement) {
    case 'hold':
      return hold(payment, books)
    case 'release':
      return release(payment, books)
    case 'capture':
      return capture(payment, books)
    case 'credit':
      return credit(payment, books)
  }
}

const total = ({ amount, fee }: Payment): number => amount + fee

export const hold = <A>(payment: Payment, { available, held }: SourceBooks<A>): Legs<A> =>
  transfer(total(payment), available, held)

export const release = <A>(payment: Payment, { available, held }: SourceBooks<A>): Legs<A> =>
  transfer(total(payment), held, available)

export function capture<A>(payment: Payment, { held, destination, fees }: Omit<Books<A>, 'rail'>): Legs<A> {
  const legs = [
    { account: held, amount: -total(payment) },
    { account: destination, amount: payment.amount },
  ]
  return payment.fee === 0 ? legs : [...legs, { account: fees, amount: payment.fee }]
}

/** Money from another bank moves from the rail to the account. */
const credit = <A>({ amount }: Payment, { rail, available }: Pick<Books<A>, 'rail' | 'available'>): Legs<A> =>
  transfer(amount, rail, available)

const transfer = <A>(amount: number, from: A, to: A): Legs<A> => [
  { account: from, amount: -amount },
  { account: to, amount },
]
