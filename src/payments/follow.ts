import type { Client } from '../client/client.ts'
import { isNamed, type Named, type Payment } from '../client/received.ts'
import type { HistoryQuery } from '../contract/index.ts'
import { hasEnded } from '../contract/payment_names.ts'
import { CliError, saidBy } from '../errors/cli_error.ts'
import { ApiError, ContractError, NetworkError, unlessRefused } from '../errors/service_errors.ts'
import { pause } from '../real_time.ts'
import { RecentMap, RecentSet } from '../run/recent.ts'
import { asText, type Said, say } from '../words/text.ts'

// Follows payments: one payment until it ends, or all payments as the history grows.

/** Milliseconds between polls: short at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 2_000

/**
 * Yields a payment's current state, and again after each change of its status, until it has ended or the time is up.
 * `timeout` in milliseconds: a request in flight at that time is abandoned.
 */
export async function* statusChanges(
  id: string,
  { client, signal, timeout }: { readonly client: Client; readonly signal: AbortSignal; readonly timeout: number },
): AsyncGenerator<Named<Payment>, void> {
  const deadline = AbortSignal.timeout(timeout)
  const stop = AbortSignal.any([signal, deadline])
  const stopped = new Promise<never>((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true })
  })
  stopped.catch(() => {}) // nobody awaits the promise between two polls
  let status: Payment['status'] | undefined
  try {
    for (let ms = firstPause; ; ms = Math.min(ms * 2, longestPause)) {
      signal.throwIfAborted()
      const payment = await Promise.race([client.call('payments.get', { params: { id } }), stopped])
      // An answer without an id is about the requested payment.
      if (payment.status !== status) yield isNamed(payment) ? payment : { ...payment, id }
      status = payment.status
      if (hasEnded(status)) return
      await pause(ms, stop)
    }
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
  }
}

/** Options for a payment feed. */
interface Feed {
  readonly client: Client
  readonly query: HistoryQuery
  /** Selects payments from the results of the query; default: all. */
  readonly fits?: ((payment: Payment) => boolean) | undefined
  /** Number of existing payments to show first. */
  readonly limit: number
  /** Milliseconds between two reads of the history. */
  readonly interval: number
  readonly signal: AbortSignal
  readonly note: (text: Said) => void
}

const pageSize = 100

/** Maximum number of payments held in memory to restore the order in which they were made. */
const mostHeld = 10_000

/** Maximum number of payments per poll to read one by one, because they are not on the pages just read. */
const mostSingle = 20

/** Milliseconds. */
const longestFeedPause = 60_000

/**
 * Yields the newest payments in chronological order, then each payment that appears in the history, and each payment
 * whose status has changed. Continues after temporary errors, and ends with the signal.
 */
export async function* paymentFeed(feed: Feed): AsyncGenerator<Named<Payment>, void, undefined> {
  const { interval, signal, note, fits = () => true } = feed
  const seen = new Seen()
  try {
    const start = await latest(feed)
    for (const payment of start.toReversed()) seen.isNews(payment)
    let top = new Set(start.map(({ id }) => id))
    yield* start.filter(fits).slice(0, feed.limit).toReversed()
    for (let failures = 0; ; ) {
      const ms = Math.min(interval * 2 ** failures, Math.max(interval, longestFeedPause))
      if (failures > 0) note(say`Looking again in ${(ms / 1000).toFixed(1)} s.`)
      await pause(ms, signal)
      try {
        top = yield* news(feed, seen, top)
        if (failures > 0) note('Following again.')
        failures = 0
      } catch (error) {
        if (signal.aborted || !mayPass(error)) throw error
        failures += 1
        note(say`The history could not be read: ${asText(saidBy(error))}`)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Reads the payments at the start, newest first: at least one page. */
async function latest({ client, query, limit }: Feed): Promise<readonly Named<Payment>[]> {
  const payments: Named<Payment>[] = []
  for await (const payment of client.items('payments.history', { query: { ...query, per_page: pageSize } })) {
    if (isNamed(payment)) payments.push(payment)
    if (payments.length >= Math.max(limit, pageSize)) break
  }
  const [first, last] = [payments[0], payments.at(-1)]
  if ((first?.created_at ?? '') < (last?.created_at ?? '')) throw notNewestFirst()
  return payments
}

/**
 * One poll: reads pages until a page has a payment from the first page of the last poll, so that no payment is missed,
 * even if there are many new payments. Returns the ids on the first page that it read.
 */
async function* news(
  { client, query, fits = () => true }: Feed,
  seen: Seen,
  lastTop: ReadonlySet<string>,
): AsyncGenerator<Named<Payment>, Set<string>, undefined> {
  let held: Named<Payment>[] = []
  let top: Set<string> | undefined
  const met = new Set<string>()
  for await (const { data } of client.pages('payments.history', { query: { ...query, per_page: pageSize } })) {
    const payments = data.filter(isNamed)
    top ??= new Set(payments.map(({ id }) => id))
    held.push(...payments)
    for (const { id } of payments) met.add(id)
    if (payments.some(({ id }) => lastTop.has(id))) break
    if (held.length < mostHeld) continue
    yield* unseen(held, seen).filter(fits)
    held = []
    met.clear()
  }
  yield* unseen(held, seen).filter(fits)
  for (const id of seen.unfinished(mostSingle, met)) {
    const payment = await unlessRefused(client.call('payments.get', { params: { id } }), [404])
    if (payment === null) seen.forget(id)
    else if (isNamed(payment) && seen.isNews(payment) && fits(payment)) yield payment
  }
  return top ?? new Set()
}

/** Marks payments as seen only when they are about to be yielded, so that a failed read of a page is repeated. */
const unseen = (newestFirst: readonly Named<Payment>[], seen: Seen): readonly Named<Payment>[] =>
  newestFirst.toReversed().filter((payment) => seen.isNews(payment))

const mayPass = (error: unknown): error is Error =>
  error instanceof NetworkError || error instanceof ContractError || (error instanceof ApiError && error.retryable)

const notNewestFirst = (): CliError =>
  new CliError(
    'unavailable',
    'This service does not list the newest payments first, so new payments cannot be recognised on its first page.',
    { kind: 'list_payments' },
  )

/**
 * Maximum number of payments whose status is remembered; it must exceed the number that a feed holds back at a time.
 */
const mostRemembered = 20_000

/** Maximum number of payments whose end is awaited. */
const mostUnfinished = 1_000

/** Payments that a feed has read, in bounded memory. */
class Seen {
  readonly #statuses = new RecentMap<string, Payment['status']>(mostRemembered)
  readonly #unfinished = new RecentSet<string>(mostUnfinished)

  /** True if this payment or its status is new; records both as seen. */
  isNews({ id, status }: Pick<Named<Payment>, 'id' | 'status'>): boolean {
    const isNews = this.#statuses.get(id) !== status
    this.#statuses.set(id, status)
    if (hasEnded(status)) this.#unfinished.delete(id)
    else this.#unfinished.add(id)
    return isNews
  }

  /** At most `most` unfinished payments that are not in `without`; rotates through them if there are more. */
  unfinished(most: number, without: ReadonlySet<string>): readonly string[] {
    const ids = [...this.#unfinished].filter((id) => !without.has(id)).slice(0, most)
    for (const id of ids) this.#unfinished.add(id)
    return ids
  }

  forget(id: string): void {
    this.#unfinished.delete(id)
  }
}
