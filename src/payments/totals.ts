import type { Money, Payment } from '../client/received.ts'
import { isUnderWay } from '../contract/payment_names.ts'

/** Sums of one currency, in minor units. Failed payments are in none of them. */
export interface Totals {
  readonly currency: string
  /** Money that was sent, including payments in progress. */
  readonly out: bigint
  /** Part of `out` that is in progress. */
  readonly pending: bigint
  /** Fees of completed payments, in addition to `out`. */
  readonly fees: bigint
  /** Money that arrived. */
  readonly in: bigint
}

type Sum = keyof Omit<Totals, 'currency'>

/** Adds up payments in a stream. Amounts of different currencies are never added. */
export class PaymentTotals {
  readonly #sums = new Map<string, Record<Sum, bigint>>()
  #left = 0

  /** Count of failed payments, which are in no sum. */
  get leftOut(): number {
    return this.#left
  }

  add({ transfer_type, status, amount, fee }: Payment): void {
    const isPending = isUnderWay(status)
    if (!isPending && status !== 'completed') {
      this.#left += 1
      return
    }
    if (transfer_type === 'credit') {
      if (!isPending) this.#add('in', amount)
      return
    }
    this.#add('out', amount)
    if (isPending) this.#add('pending', amount)
    if (fee) this.#add('fees', fee)
  }

  /** Sorted by currency. */
  get totals(): readonly Totals[] {
    return [...this.#sums]
      .map(([currency, sums]) => ({ currency, ...sums }))
      .sort((one, other) => (one.currency < other.currency ? -1 : 1))
  }

  /** Skips an amount that is not a whole number of minor units. */
  #add(sum: Sum, { value, currency }: Money): void {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || !currency) return
    const sums = this.#sums.get(currency) ?? { out: 0n, pending: 0n, fees: 0n, in: 0n }
    sums[sum] += BigInt(value)
    this.#sums.set(currency, sums)
  }
}
