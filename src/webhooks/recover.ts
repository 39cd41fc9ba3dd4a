import type { Client } from '../client/client.ts'
import type { Named, Payment } from '../client/received.ts'
import type { EventName } from '../contract/event_names.ts'
import type { PaymentStatus } from '../contract/index.ts'
import { terminalStatuses } from '../contract/terminal_statuses.ts'
import type { DeliveryHandler } from './delivery_handler.ts'
import { factsOf, type RecoveredEvent, recoveredEvent, type TailEvent } from './event.ts'
import { beforeNewest, historySince, isCreatedBy, paymentsOf } from './history.ts'
import type { SeenPayments } from './seen_payments.ts'

/** A payment can turn up this much later than one that was created after it: milliseconds. */
const overlap = 60_000

/** Nothing is after it: one page of the history is enough. */
const endOfTime = '9999-12-31T00:00:00.000Z'

/** The horizon of a history without payments. */
const beginningOfTime = '1970-01-01T00:00:00.000Z'

/** A recovered event is forwarded as often as the service would try. */
const mostAttempts = 3

/** Ends that no event has reported. */
export interface Missed {
  readonly events: readonly RecoveredEvent[]
  /** False when the history goes further back than was read. */
  readonly complete: boolean
}

/**
 * Compares the history with the events that came, to find payments whose end no event has reported: the receiver
 * slept, the service gave up, or there is no event for such an end.
 */
export class MissedPayments {
  readonly #seen: SeenPayments
  readonly #wanted: readonly EventName[]
  /** Payments whose end has come in and may not be printed yet. */
  readonly #arrived = new Set<string>()
  /** Payments that had ended without an event at the last comparison. */
  #unreported = new Set<string>()

  constructor(seen: SeenPayments, wanted: readonly EventName[]) {
    this.#seen = seen
    this.#wanted = wanted
  }

  /** An event has come in; it will be printed soon. */
  markArrived(event: TailEvent): void {
    const { id, status } = factsOf(event)
    if (!isId(id) || event.recovered) return
    if (hasEnded(status)) this.#arrived.add(id)
    else this.#seen.markOpen(id)
  }

  /** The event has been printed, and accepted where it is passed on. */
  markReported(event: TailEvent): void {
    const { id, status } = factsOf(event)
    if (!isId(id) || !hasEnded(status)) return
    this.#arrived.delete(id)
    this.#unreported.delete(id)
    this.#seen.markReported(id)
  }

  /** A recovered event could not be passed on: the next comparison finds it again. */
  markRefused(event: TailEvent): void {
    const { id } = factsOf(event)
    if (!isId(id)) return
    this.#arrived.delete(id)
    this.#unreported.add(id)
    this.#seen.markOpen(id)
  }

  /**
   * Before the subscription is made no event is on its way, so every end since an earlier tail was missed. The first
   * tail of all takes the history as it is.
   */
  findAtStart(client: Client): Promise<Missed> {
    return this.#compare(client)
  }

  /** While events come in, an end is missed at the second comparison: its event may be on its way, or tried again soon. */
  findWhileRunning(client: Client): Promise<Missed> {
    return this.#compare(client, this.#unreported)
  }

  /** `suspected`: the only ends that count as missed; all do when undefined. */
  async #compare(client: Client, suspected?: ReadonlySet<string>): Promise<Missed> {
    const { horizon } = this.#seen
    const history = await historySince(client, horizon || endOfTime)
    const newest = beforeNewest(history.payments, 0)
    // A history that ends before what was seen is another world's: a new emulator in an old one's place.
    if (horizon === '' || (newest < horizon && horizon !== beginningOfTime)) {
      return this.#takeAsItIs(client, history.payments)
    }
    const missed = await this.#missedIn(client, history.payments, suspected)
    const next = beforeNewest(history.payments, overlap)
    if (Date.parse(next) > Date.parse(horizon)) this.#seen.horizon = next
    await this.#seen.save()
    for (const { id } of missed) this.#arrived.add(id)
    return {
      events: missed.map((payment) => recoveredEvent(payment, endEventOf(payment))),
      complete: history.complete,
    }
  }

  async #takeAsItIs(client: Client, newest: readonly Named<Payment>[]): Promise<Missed> {
    this.#seen.horizon = beforeNewest(newest, overlap) || beginningOfTime
    for (const { id, status } of (await historySince(client, this.#seen.horizon)).payments) {
      // One that an event has announced is news, however fast it was.
      if (!hasEnded(status)) this.#seen.markOpen(id)
      else if (!this.#seen.open.has(id)) this.#seen.markReported(id)
    }
    await this.#seen.save()
    return { events: [], complete: true }
  }

  /** Oldest first. */
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

  /** An end without an event of its own counts as a failure. */
  #isWanted(payment: Payment): boolean {
    return this.#wanted.includes(endEventOf(payment) ?? 'payment.failed')
  }
}

/** A delivery can hold anything; only what may be an id is remembered. */
const isId = (id: string | null): id is string => id !== null && /^[\w-]{1,64}$/.test(id)

const hasEnded = (status: string | null | undefined): boolean => terminalStatuses.includes(status as PaymentStatus)

/** The event that tells of the payment's end, if there is one. */
function endEventOf({ transfer_type, status }: Payment): EventName | null {
  if (transfer_type === 'credit') return status === 'completed' ? 'transaction.received' : null
  if (status === 'completed') return 'payment.completed'
  return status === 'failed' ? 'payment.failed' : null
}

interface Forwarding {
  readonly payments: MissedPayments
  readonly handler: DeliveryHandler
  /** Whether this event goes on to a target. */
  readonly isForwarded: (event: TailEvent) => boolean
  readonly signal: AbortSignal
}

/** Handles recovered events one after the other, and marks what became of those that are forwarded. Never rejects. */
export function recoveredHandler({ payments, handler, isForwarded, signal }: Forwarding) {
  const attempts = new Map<string, number>()
  const handle = async (recovered: RecoveredEvent) => {
    const { event } = recovered
    const id = factsOf(event).id ?? ''
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const isAccepted = await handler.handleRecovered(recovered, attempt === 1)
    if (!isForwarded(event)) return
    if (isAccepted || attempt === mostAttempts) payments.markReported(event)
    else payments.markRefused(event)
  }
  let work = Promise.resolve()
  return (events: readonly RecoveredEvent[]): void => {
    for (const event of events) work = work.then(() => (signal.aborted ? undefined : handle(event)))
  }
}
