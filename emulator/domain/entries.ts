import type { Payment } from './payment.ts'

/** The ledger accounts one payment touches, by id. */
export interface Books {
  readonly available: number
  readonly held: number
  /** Where the money goes: the rail, or the available funds of an account of this sandbox. */
  readonly destination: number
  readonly fees: number
}

/** One leg of a movement: minor units added to (or, negative, taken from) a ledger account. */
export interface Entry {
  readonly account: number
  readonly amount: number
}

export type Movement = 'hold' | 'capture' | 'release'

/** The legs of a movement of a payment's money. They always sum to zero. */
export function entriesOf(movement: Movement, payment: Payment, books: Books): readonly Entry[] {
  const total = payment.amount + payment.fee
  switch (movement) {
    case 'hold':
      return transfer(total, books.available, books.held)
    case 'release':
      return transfer(total, books.held, books.available)
    case 'capture': {
      const legs = [
        { account: books.held, amount: -total },
        { account: books.destination, amount: payment.amount },
      ]
      return payment.fee === 0 ? legs : [...legs, { account: books.fees, amount: payment.fee }]
    }
  }
}

const transfer = (amount: number, from: number, to: number): readonly Entry[] => [
  { account: from, amount: -amount },
  { account: to, amount },
]
