import type { Client } from '../client/client.ts'
import { isNamed, type Named, type Payment } from '../client/received.ts'
import type { EventName } from '../contract/event_names.ts'
import { hasEnded } from '../contract/payment_names.ts'
import { InvalidRequestError, isServiceAnswer } from '../errors/service_errors.ts'
import type { DeliveryHandler } from './delivery_handler.ts'
import { factsOf, type RecoveredEvent, recoveredEvent, type TailEvent } from './event.ts'
import type { SeenPayments } from './seen_payments.ts'

/**
 * Maximum delay, in milliseconds, with which a payment appears in the history after a payment that was created later.
 */
const overlap = 60_000

/**
 * Horizon to read from if no horizon is saved. No payment is newer than this horizon, so one page of the history is
 * enough.
 */
const endOfTime = '9999-12-31T00:00:00.000Z'

/** Horizon of a history without payments. */
const beginningOfTime = '1970-01-01T00:00:00.000Z'

/** Number of attempts to forward a recovered event, as many as the service makes itself. */
const mostAttempts = 3

/** Payments whose outcome no event has reported. */
export interface Missed {
  readonly events: readonly RecoveredEvent[]
  /** False if the part of the history that was read does not reach the horizon. */
  readonly complete: boolean
}

/**
 * Finds payments whose outcome no event has reported, by comparing the history with the events that arrived. The
 * machine may have been asleep, the service may have given up, or no event may exist for this outcome.
 */
export class MissedPayments {
  readonly #seen: SeenPayments
  readonly #wanted: readonly EventName[]
  /** Ids of payments whose outcome has arrived and has perhaps not been printed yet. */
  readonly #arrived = new Set<string>()
  /** Ended payments without an event so far: the next comparison counts them as missed if no event arrives by then. */
  #unreported = new Set<string>()

  constructor(seen: SeenPayments, wanted: readonly EventName[]) {
    this.#seen = seen
    this.#wanted = wanted
  }

  /** Call when an event has arrived, before it is printed. */
  markArrived(event: TailEvent): void {
    const { id, status } = factsOf(event)
    if (!isId(id) || event.recovered) return
    if (hasEnded(status)) this.#arrived.add(id)
    else this.#seen.markOpen(id)
  }

  /**
   * Call when an event is printed or excluded; for a recovered event with a target, when the target has accepted the
   * event, or after the last attempt.
   */
  markReported(event: TailEvent): void {
    const { id, status } = factsOf(event)
    if (!isId(id) || !hasEnded(status)) return
    this.#arrived.delete(id)
    this.#unreported.delete(id)
    this.#seen.markReported(id)
  }

  /** Call when a recovered event was not accepted: the next comparison finds it again. */
  markRefused(event: TailEvent): void {
    const { id } = factsOf(event)
    if (!isId(id)) return
    this.#arrived.delete(id)
    this.#unreported.add(id)
    this.#seen.markOpen(id)
  }

  /**
   * Call before creating the subscription: no event is in flight, so every outcome since an earlier tail was missed.
   * The first tail accepts the history as it is.
   */
  findAtStart(client: Client): Promise<Missed> {
    return this.#compare(client)
  }

  /**
   * Call while events arrive: an outcome counts as missed at the second comparison, because its event may be in flight.
   */
  findWhileRunning(client: Client): Promise<Missed> {
    return this.#compare(client, this.#unreported)
  }

  /** `suspected`: only these payments can count as missed; undefined: all. */
  async #compare(client: Client, suspected?: ReadonlySet<string>): Promise<Missed> {
    const { horizon } = this.#seen
    const history = await historySince(client, horizon || endOfTime)
    const newest = beforeNewest(history.payments, 0)
    // A history that ends before the known horizon belongs to another world: a new emulator has the same address.
    if (horizon === '' || (newest < horizon && horizon !== beginningOfTime)) {
      return this.#acceptHistory(client, history.payments)
    }
    const missed = await this.#missedIn(client, history.payments, suspected)
    for (const { id } of missed) this.#arrived.add(id)
    const next = this.#horizonIn(history.payments)
    if (Date.parse(next) > Date.parse(horizon)) this.#seen.horizon = next
    await this.#seen.save()
    return {
      events: missed.map((payment) => recoveredEvent(payment, endEventOf(payment))),
      complete: history.complete,
    }
  }

  /** A horizon before all payments with unreported outcomes: if this tail is killed now, the next tail finds them. */
  #horizonIn(payments: readonly Named<Payment>[]): string {
    const next = beforeNewest(payments, overlap)
    const unreported = payments.filter(({ id }) => this.#arrived.has(id))
    const oldest = beforeOldest(unreported, 1)
    return oldest !== '' && oldest < next ? oldest : next
  }

  /** Marks ended payments as reported, except those in `open`, and unfinished payments as open. */
  async #acceptHistory(client: Client, newest: readonly Named<Payment>[]): Promise<Missed> {
    this.#seen.horizon = beforeNewest(newest, overlap) || beginningOfTime
    for (const { id, status } of (await historySince(client, this.#seen.horizon)).payments) {
      // This tail must still report the outcomes of unfinished payments and of payments in `open`.
      if (!hasEnded(status)) this.#seen.markOpen(id)
      else if (!this.#seen.open.has(id)) this.#seen.markReported(id)
    }
    await this.#seen.save()
    return { events: [], complete: true }
  }

  /** Finds the payments whose outcome was missed, oldest first. */
  async #missedIn(
    client: Client,
    payments: readonly Named<Payment>[],
    suspected: ReadonlySet<string> | undefined,
  ): Promise<Named<Payment>[]> {
    const { horizon, open } = this.#seen
    const listed = new Set(payments.map(({ id }) => id))
    const unlisted = [...open].filter((id) => !listed.has(id))
    const elsewhere = await paymentsOf(client, unlisted, (id) => open.delete(id))
    const relevant = payments.filter((payment) => open.has(payment.id) || !isCreatedBy(horizon, payment))
    const missed: Named<Payment>[] = []
    const unreported = new Set<string>()
    for (const payment of [...elsewhere, ...relevant]) {
      const { id, status } = payment
      if (this.#seen.isReported(id) || this.#arrived.has(id)) continue
      if (!hasEnded(status)) this.#seen.markOpen(id)
      else if (!this.#isWanted(payment)) this.#seen.markReported(id)
      else if (suspected === undefined || suspected.has(id)) missed.push(payment)
      else {
        unreported.add(id)
        this.#seen.markOpen(id)
      }
    }
    this.#unreported = unreported
    return missed.sort((one, other) => ((one.created_at ?? '') < (other.created_at ?? '') ? -1 : 1))
  }

  /** An outcome without its own event counts as a failure. */
  #isWanted(payment: Payment): boolean {
    return this.#wanted.includes(endEventOf(payment) ?? 'payment.failed')
  }
}

/** True for text that may be an id: deliveries are unchecked. */
const isId = (id: string | null): id is string => id !== null && /^[\w-]{1,64}$/.test(id)

/** The event that reports the payment's outcome; null if there is none. */
function endEventOf({ transfer_type, status }: Payment): EventName | null {
  if (transfer_type === 'credit') return status === 'completed' ? 'transaction.received' : null
  if (status === 'completed') return 'payment.completed'
  return status === 'failed' ? 'payment.failed' : null
}

/**
 * Returns a function that handles recovered events in sequence and records which were accepted. Never rejects.
 * `isForwarded`: true if an event has a target.
 */
export function recoveredHandler(
  payments: MissedPayments,
  handler: DeliveryHandler,
  isForwarded: (event: TailEvent) => boolean,
  signal: AbortSignal,
) {
  const attempts = new Map<string, number>()
  const handle = async (recovered: RecoveredEvent) => {
    const { event } = recovered
    if (!handler.takesMore) return payments.markRefused(event) // the next tail handles it
    const id = factsOf(event).id ?? ''
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const isAccepted = await handler.handleRecovered(recovered, attempt)
    if (!isForwarded(event)) return
    if (isAccepted || attempt === mostAttempts) payments.markReported(event)
    else payments.markRefused(event)
  }
  let work = Promise.resolve()
  return (events: readonly RecoveredEvent[]): void => {
    for (const event of events) work = work.then(() => (signal.aborted ? undefined : handle(event)))
  }
}

const perPage = 100

/** Maximum number of pages for one comparison: 2,000 payments. */
const mostPages = 20

/** Maximum number of payments that one comparison looks up by id. */
const mostSingle = 50

/**
 * Reads payments created after `horizon`, and usually some created before it. If the service lists the oldest first,
 * reads the history from its end. Each payment occurs once: a payment made between two requests moves another to the
 * next page. `complete`: true if the payments go back to the horizon, or to the beginning of the history.
 */
async function historySince(
  client: Client,
  horizon: string,
): Promise<{ readonly payments: readonly Named<Payment>[]; readonly complete: boolean }> {
  const first = await readPage(client, 1)
  const last = first.last_page || 1
  let pages = last
  const isAscending = last > 1 && createdAt(first.data[0]) < createdAt(first.data.at(-1))
  const byId = new Map<string, Named<Payment>>()
  const found = (complete: boolean) => ({ payments: [...byId.values()], complete })
  for (let count = 0; count < mostPages; count += 1) {
    const number = isAscending ? last - count : count + 1
    if (number < 1 || number > pages) return found(true)
    const { data, last_page } = number === 1 ? first : await readPage(client, number)
    pages = Math.max(pages, last_page || 1)
    for (const payment of data.filter(isNamed)) byId.set(payment.id, payment)
    if (data.every((payment) => isCreatedBy(horizon, payment))) return found(true)
  }
  return found(false)
}

const readPage = (client: Client, page: number) =>
  client.call('payments.history', { query: { page, per_page: perPage } })

/** Creation time of a payment, in milliseconds since 1970; NaN for a payment without a time. */
const createdAt = (payment: Payment | undefined): number => Date.parse(payment?.created_at ?? '')

const isCreatedBy = (horizon: string, payment: Payment): boolean => createdAt(payment) <= Date.parse(horizon)

/** Looks up payments by id; calls `onMissing` with ids that the service does not know. */
async function paymentsOf(
  client: Client,
  ids: readonly string[],
  onMissing: (id: string) => void,
): Promise<Named<Payment>[]> {
  const found: Named<Payment>[] = []
  for (const id of ids.slice(0, mostSingle)) {
    try {
      const payment = await client.call('payments.get', { params: { id } })
      found.push(isNamed(payment) ? payment : { ...payment, id })
    } catch (error) {
      if (!isMissing(error)) throw error
      onMissing(id)
    }
  }
  return found
}

/** The service may refuse an invalid id from an event with a status other than 404. */
const isMissing = (error: unknown): boolean =>
  error instanceof InvalidRequestError || isServiceAnswer(error, 400, 404, 422)

/** The newest creation time minus `ms`; empty if no payment has a time. */
const beforeNewest = (payments: readonly Payment[], ms: number): string => before(payments, ms, Math.max)

/** The oldest creation time minus `ms`; empty if no payment has a time. */
const beforeOldest = (payments: readonly Payment[], ms: number): string => before(payments, ms, Math.min)

function before(payments: readonly Payment[], ms: number, pick: (one: number, other: number) => number): string {
  const times = payments.map(createdAt).filter((time) => !Number.isNaN(time))
  return times.length === 0 ? '' : new Date(times.reduce((one, other) => pick(one, other)) - ms).toISOString()
}
