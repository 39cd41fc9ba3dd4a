import type { Client } from '../client/client.ts'
import { RecentItems } from '../client/paging.ts'
import type { Payment } from '../client/received.ts'
import type { HistoryQuery } from '../contract/index.ts'
import { createdAt, type Period } from './payment_filter.ts'

/** Payments to select, and limits on reading the history. */
interface HistorySelection {
  readonly client: Client
  /** Filter that the service applies. */
  readonly query: HistoryQuery
  /** Called with payments of the period; true selects the payment. */
  readonly fits: (payment: Payment) => boolean
  readonly period: Period
  readonly perPage: number
  /** Number of matches after which reading ends. */
  readonly limit?: number
  /** Maximum number of payments to read, rounded up to a page. */
  readonly mostRead?: number
  /** Called after each page that another page may follow. */
  readonly onPage?: (reading: HistoryReading) => void
}

/** Extent of the history that was read. */
export interface HistoryReading {
  readonly read: number
  readonly found: number
  /** Number of payments in the history that match the service's filter; null if the service does not say. */
  readonly total: number | null
  /**
   * Reason why reading ended: further payments are outside the period (`period`), enough payments were found (`limit`)
   * or read (`bound`), or all were read (`end`). Null: not ended.
   */
  readonly endedBy: 'period' | 'limit' | 'bound' | 'end' | null
  /** Order in which the history lists payments; undefined until two payments show an order. */
  readonly order: TimeOrder | undefined
}

type TimeOrder = 'newest first' | 'oldest first' | 'none'

/** Number of pages to request at the same time when the whole history is read. */
const mostAtOnce = 4

/** Milliseconds by which a list may deviate from chronological order. */
const overlap = 60_000

/**
 * Yields the matching payments of the history as they are read, page by page. Stops after the period: at its beginning
 * if the history lists the newest first, at its end if it lists the oldest first. The interface promises no order, so
 * the search detects the order from the payments it reads.
 */
export class HistorySearch implements AsyncIterable<Payment> {
  readonly #selection: HistorySelection
  #reading: HistoryReading = { read: 0, found: 0, total: null, endedBy: null, order: undefined }

  constructor(selection: HistorySelection) {
    this.#selection = selection
  }

  /** Progress so far. */
  get reading(): HistoryReading {
    return this.#reading
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Payment, void, undefined> {
    const { client, query, perPage, period, fits } = this.#selection
    const { limit = Number.POSITIVE_INFINITY, mostRead = Number.POSITIVE_INFINITY, onPage } = this.#selection
    const order = new ObservedOrder()
    const recent = new RecentItems()
    const atOnce = isWhole(this.#selection) ? { atOnce: mostAtOnce } : {}
    const input = { query: { ...query, per_page: perPage }, ...atOnce }
    for await (const { data, total } of client.pages('payments.history', input)) {
      const fresh = recent.newIn(data)
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

  #note(news: Partial<HistoryReading>): void {
    this.#reading = { ...this.#reading, ...news }
  }
}

/** True if all pages will be needed. */
const isWhole = ({ limit, mostRead, period: { since, until } }: HistorySelection): boolean =>
  [limit, mostRead, since, until].every((bound) => bound === undefined)

/** A payment without a time does not belong to any period. */
function isWithin({ since, until }: Period, payment: Payment): boolean {
  if (since === undefined && until === undefined) return true
  const time = createdAt(payment)
  return time >= (since ?? Number.NEGATIVE_INFINITY) && time < (until ?? Number.POSITIVE_INFINITY)
}

/** Detects the order of times in milliseconds. */
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

  get kind(): TimeOrder | undefined {
    if (!this.#falls && !this.#rises) return 'none'
    // Times that are closer than `overlap` show no order: payments made at nearly the same time may be listed in any
    // order.
    if (this.#first > this.#last + overlap) return 'newest first'
    if (this.#last > this.#first + overlap) return 'oldest first'
    return undefined
  }

  /** True if all further payments are outside of the period. */
  isBeyond({ since, until }: Period): boolean {
    if (this.kind === 'newest first') return since !== undefined && this.#last < since - overlap
    return this.kind === 'oldest first' && until !== undefined && this.#last >= until + overlap
  }
}
