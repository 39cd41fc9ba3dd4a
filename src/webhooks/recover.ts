import type { Client } from '../client/client.ts'
import type { EventName } from '../contract/event_names.ts'
import type { Payment, PaymentStatus } from '../contract/index.ts'
import { terminalStatuses } from '../contract/terminal_statuses.ts'
import { factsOf, type TailEvent } from './event.ts'
import { beforeNewest, historySince, isSettled, paymentsOf } from './history.ts'
import { type Recovered, recoveredFrom } from './rebuilt_event.ts'
import { mostOpen, type TailMemory } from './seen_payments.ts'

/** A payment can turn up this much later than one that was created after it: milliseconds. */
const overlap = 60_000

/** Nothing is after it: one page of the history is enough. */
const endOfTime = '9999-12-31T00:00:00.000Z'

/** The horizon of a history without payments. */
const beginningOfTime = '1970-01-01T00:00:00.000Z'

export interface Found {
  readonly events: readonly Recovered[]
  /** Whether the history goes further back than was read. */
  readonly complete: boolean
}

/**
 * Finds payments in the history that have ended without an event having told of it: the receiver slept, the service
 * gave up, or there is no event for such an end.
 */
export class Recovery {
  readonly #memory: TailMemory
  readonly #events: readonly EventName[]
  /** Ends that have come in, shown or not. */
  readonly #arrived = new Set<string>()
  /** Ended, and not told of when they were last looked at. */
  #suspects = new Set<string>()

  constructor(memory: TailMemory, events: readonly EventName[]) {
    this.#memory = memory
    this.#events = events
  }

  /** An event has come in; it is shown soon. */
  arrive(event: TailEvent): void {
    const { id, status } = factsOf(event)
    if (!isId(id) || event.recovered) return
    if (hasEnded(status)) this.#arrived.add(id)
    else this.#memory.await(id)
  }

  /** It has been shown. */
  tell(event: TailEvent): void {
    const { id, status } = factsOf(event)
    if (!isId(id) || !hasEnded(status)) return
    this.#arrived.delete(id)
    this.#suspects.delete(id)
    this.#memory.tell(id)
  }

  /** It could not be passed on: the next look finds it again. */
  miss(event: TailEvent): void {
    const { id } = factsOf(event)
    if (!isId(id)) return
    this.#arrived.delete(id)
    this.#suspects.add(id)
    this.#memory.await(id)
  }

  /**
   * Before the subscription is made: nothing is on its way, so what has ended since an earlier tail was missed.
   * The first tail of all takes everything as it is.
   */
  begin(client: Client): Promise<Found> {
    return this.#compare(client)
  }

  /** While events come in: one that is still on its way, or tried again soon, gets until the next look. */
  look(client: Client): Promise<Found> {
    return this.#compare(client, this.#suspects)
  }

  async #compare(client: Client, suspects?: ReadonlySet<string>): Promise<Found> {
    const { horizon } = this.#memory
    const stretch = await historySince(client, horizon || endOfTime)
    const newest = beforeNewest(stretch.payments, 0)
    // A history that ends before what was seen is another world's: a new emulator in an old one's place.
    if (horizon === '' || (newest < horizon && horizon !== beginningOfTime)) {
      return this.#takeAsItIs(client, stretch.payments)
    }
    return this.#settle(client, stretch, suspects)
  }

  async #takeAsItIs(client: Client, newest: readonly Payment[]): Promise<Found> {
    this.#memory.horizon = beforeNewest(newest, overlap) || beginningOfTime
    for (const { id, status } of (await historySince(client, this.#memory.horizon)).payments) {
      // One that an event has announced is news, however fast it was.
      if (!hasEnded(status)) this.#memory.await(id)
      else if (!this.#memory.open.has(id)) this.#memory.tell(id)
    }
    await this.#memory.save()
    return { events: [], complete: true }
  }

  async #settle(
    client: Client,
    { payments, complete }: Awaited<ReturnType<typeof historySince>>,
    suspects?: ReadonlySet<string>,
  ): Promise<Found> {
    const { horizon, open } = this.#memory
    const seen = new Set(payments.map(({ id }) => id))
    const elsewhere = await paymentsOf(
      client,
      open.last(mostOpen).filter((id) => !seen.has(id)),
      (id) => open.delete(id),
    )
    const relevant = payments.filter((payment) => open.has(payment.id) || !isSettled(payment, horizon))
    const missed: Payment[] = []
    const suspected = new Set<string>()
    for (const payment of [...elsewhere, ...relevant]) {
      const { id, status } = payment
      if (this.#memory.isTold(id) || this.#arrived.has(id)) continue
      if (!hasEnded(status)) this.#memory.await(id)
      else if (!this.#isWanted(payment)) this.#memory.tell(id)
      else if (suspects === undefined || suspects.has(id)) missed.push(payment)
      else {
        suspected.add(id)
        this.#memory.await(id)
      }
    }
    this.#suspects = suspected
    const next = beforeNewest(payments, overlap)
    if (Date.parse(next) > Date.parse(horizon)) this.#memory.horizon = next
    await this.#memory.save()
    missed.sort((one, other) => (one.created_at < other.created_at ? -1 : 1))
    for (const { id } of missed) this.#arrived.add(id)
    return { events: missed.map((payment) => recoveredFrom(payment, eventOf(payment))), complete }
  }

  /** An end that no event tells of is news for whoever wants to hear of failures. */
  #isWanted(payment: Payment): boolean {
    return this.#events.includes(eventOf(payment) ?? 'payment.failed')
  }
}

/** A delivery can hold anything, and what is kept of it must not. */
const isId = (id: string | null): id is string => id !== null && /^[\w-]{1,64}$/.test(id)

const hasEnded = (status: string | null): boolean => terminalStatuses.includes(status as PaymentStatus)

/** The event that tells of such an end, if there is one. */
function eventOf({ transfer_type, status }: Payment): EventName | null {
  if (transfer_type === 'credit') return status === 'completed' ? 'transaction.received' : null
  if (status === 'completed') return 'payment.completed'
  return status === 'failed' ? 'payment.failed' : null
}
