import type { Client } from '../client/client.ts'
import { isNamed, type Payment } from '../client/received.ts'
import type { HistoryQuery } from '../contract/index.ts'
import { createdAt, type Period } from './payment_filter.ts'

/** Which payments are wanted, and how far the history may be read for them. */
interface Selection {
  readonly client: Client
  /** What the service selects by. */
  readonly query: HistoryQuery
  /** What is selected here, of the period. */
  readonly fits: (payment: Payment) => boolean
  readonly period: Period
  readonly perPage: number
  /** Payments that fit, after which reading ends. */
  readonly limit?: number
  /** Payments that are read at most, rounded up to a page. */
  readonly mostRead?: number
  /** Called after each page that others may follow. */
  readonly onPage?: (reading: Reading) => void
}

/** How far a history was read. */
export interface Reading {
  readonly read: number
  readonly found: number
  /** Payments of the whole history, as the service selects; null where it does not say. */
  readonly total: number | null
  /** Why reading ended: nothing further can be in the period, enough was found or read, or all was read. */
  readonly endedBy: 'period' | 'limit' | 'bound' | 'end' | null
  /** Undefined where no two payments tell it. */
  readonly order: Order | undefined
}

export type Order = 'newest first' | 'oldest first' | 'none'

/** Milliseconds by which a payment may stand above one that was made after it. */
const overlap = 60_000

/**
 * The payments of the history that fit, as they are read, page by page. Of a history that lists the newest first nothing
 * is read beyond the beginning of the period, of one that lists the oldest first nothing beyond its end; the interface
 * says nothing of the order, so it is taken from what was read.
 */
export class HistorySearch implements AsyncIterable<Payment> {
  readonly #selection: Selection
  #reading: Reading = { read: 0, found: 0, total: null, endedBy: null, order: undefined }

  constructor(selection: Selection) {
    this.#selection = selection
  }

  /** So far. */
  get reading(): Reading {
    return this.#reading
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Payment, void, undefined> {
    const { client, query, perPage, period, fits } = this.#selection
    const { limit = Number.POSITIVE_INFINITY, mostRead = Number.POSITIVE_INFINITY, onPage } = this.#selection
    const order = new ObservedOrder()
    let before = new Set<string>()
    for await (const { data, total } of client.pages('payments.history', { query: { ...query, per_page: perPage } })) {
      const fresh = data.filter((payment) => !isNamed(payment) || !before.has(payment.id))
      before = new Set(data.filter(isNamed).map(({ id }) => id))
      for (const payment of fresh) order.see(createdAt(payment))
      const read = this.#reading.read + fresh.length
      this.#note({ read, total: Number.isSafeInteger(total) ? (total ?? null) : null, order: order.kind })
      for (const payment of fresh) {
        if (!isWithin(period, payment) || !fits(payment)) continue
        this.#note({ found: this.#reading.found + 1 })
        yield payment
        if (this.#reading.found === limit) return this.#note({ endedBy: 'limit' })
      }
      if (order.isBeyond(period)) return this.#note({ endedBy: 'period' })
      if (read >= mostRead) return this.#note({ endedBy: read === total ? 'end' : 'bound' })
      onPage?.(this.#reading)
    }
    this.#note({ endedBy: 'end' })
  }

  #note(news: Partial<Reading>): void {
    this.#reading = { ...this.#reading, ...news }
  }
}

/** A payment without a time is in no period. */
function isWithin({ since, until }: Period, payment: Payment): boolean {
  if (since === undefined && until === undefined) return true
  const time = createdAt(payment)
  return time >= (since ?? Number.NEGATIVE_INFINITY) && time < (until ?? Number.POSITIVE_INFINITY)
}

/** The order of the times seen so far, in milliseconds. */
class ObservedOrder {
  #first = Number.NaN
  #last = Number.NaN
  #lowest = Number.POSITIVE_INFINITY
  #highest = Number.NEGATIVE_INFINITY
  #falls = true
  #rises = true

  see(time: number): void {
    if (Number.isNaN(time)) return
    if (Number.isNaN(this.#first)) this.#first = time
    this.#last = time
    if (time > this.#lowest + overlap) this.#falls = false
    if (time < this.#highest - overlap) this.#rises = false
    this.#lowest = Math.min(this.#lowest, time)
    this.#highest = Math.max(this.#highest, time)
  }

  get kind(): Order | undefined {
    if (!this.#falls && !this.#rises) return 'none'
    // Times that are closer say nothing: a payment may stand above one that was made after it in either order.
    if (this.#first > this.#last + overlap) return 'newest first'
    if (this.#last > this.#first + overlap) return 'oldest first'
    return undefined
  }

  /** Whether all that follows is outside of the period. */
  isBeyond({ since, until }: Period): boolean {
    if (this.kind === 'newest first') return since !== undefined && this.#last < since - overlap
    return this.kind === 'oldest first' && until !== undefined && this.#last >= until + overlap
  }
}
