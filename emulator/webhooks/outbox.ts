import { type EventBody, type EventName, money } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import { feeOf, type Party, type Payment } from '../domain/payment.ts'
import { localDateTime, localTimestamp } from '../domain/time.ts'
import type { EventFeed } from '../observation/event_feed.ts'
import { earliest, type Scheduler, type Work } from '../scheduler.ts'
import type { Cause, Database } from '../store/database.ts'
import type { Delivery } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { Subscription } from '../store/subscriptions.ts'
import type { DeliveryFaults } from './delivery_faults.ts'
import { type DeliverySender, webhookId } from './send.ts'
import type { Transport } from './transport.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly transport: Transport
  readonly events: EventFeed
  readonly sender: DeliverySender
  readonly faults: DeliveryFaults
  /** True: the deliveries of all subscriptions are sent one at a time, in the order of their due times. */
  readonly ordered: boolean
  readonly onFault: (error: unknown) => void
  /** Called after each attempt. */
  readonly onAttempt: (accepted: boolean) => void
  /** Called when the last delivery under way has ended. */
  readonly onIdle: () => void
}

/** Maximum number of concurrent deliveries in a lane. */
const width = { healthy: 16, failing: 1, ordered: 1 }

/** Pause of a lane after an error such as a full disk, in milliseconds of the machine's time. */
const faultDelay = 1000

/** A queue with the deliveries of one subscription, or of all subscriptions. */
interface Lane {
  /** Null for all. */
  readonly subscription: number | null
  /** Time at which due deliveries must be read from the tables, in epoch milliseconds; null: not known. */
  dueAt: number | null
  /** Number of running loops that send due deliveries. */
  senders: number
  /** Due deliveries that were read from the tables, but that no sender has begun yet. */
  readonly due: Delivery[]
  /**
   * Leases: the deliveries under way, each with the seq of its payment. Only this process has the file open, so leases
   * are not stored.
   */
  readonly underWay: Map<number, number>
  /** True if the last attempt failed. */
  failing: boolean
  /** Time before which nothing is sent after an error, in epoch milliseconds. */
  pausedUntil: number
  /** Cancels the timer that ends the pause even if the clock stands still; null: the timer is not set. */
  cancelResume: (() => void) | null
  /** Time of the last delivery, as the subscription shows it, in epoch seconds. */
  sentAt: number | null
}

/**
 * Writes events together with the payments that they report, and delivers them. Every subscription has a separate lane,
 * so a slow or dead receiver does not delay other receivers; ordered deliveries share one lane. Delivers at least once:
 * if a process dies, the next process repeats the interrupted deliveries. The first attempts at the events of one
 * payment are made in order.
 */
export class Outbox implements Work {
  readonly #deps: Dependencies
  /** By subscription. */
  readonly #lanes = new Map<number | null, Lane>()
  #running = 0
  #whenIdle: (() => void)[] = []
  /** The latest error that `idle` has not reported. */
  #fault: { readonly error: unknown } | null = null
  #stopped = false

  /** Resumes the deliveries that an earlier process left unfinished. */
  constructor(deps: Dependencies) {
    this.#deps = deps
    const { subscriptions, deliveries } = deps.store
    for (const seq of subscriptions.active()) this.#look(seq, deliveries.nextDue(seq))
  }

  /** Writes an event with a delivery for each subscription to it, in the caller's transaction. */
  publish(event: EventName, payment: Payment, now: number): void {
    const { store, faults, events } = this.#deps
    const { deliveries } = store
    const subscriptions = deliveries.subscribers(payment.user, event)
    if (subscriptions.length === 0) return
    const added = { name: event, payment: payment.seq, body: JSON.stringify(payloadOf(event, payment, now)), at: now }
    const queued = (faults.active ? faults : deliveries).add(added, subscriptions)
    for (const { seq, subscription, at } of queued) {
      events.queued(() => deliveries.get(seq))
      this.#look(subscription, at)
    }
  }

  /** Makes all waiting deliveries of a subscription due now, in the caller's transaction. */
  hasten(subscription: number, now: number): void {
    this.#deps.store.deliveries.hasten(subscription, now)
    this.#look(subscription, now)
  }

  /** Makes a delivery due again, in the caller's transaction. */
  sendAgain(subscription: number, delivery: number, now: number): void {
    const { store, events } = this.#deps
    store.deliveries.sendAgain(delivery, now)
    events.queued(() => store.deliveries.get(delivery))
    this.#look(subscription, now)
  }

  /** True if this delivery to a subscription is under way. */
  isSending(subscription: number, delivery: number): boolean {
    return this.#lanes.get(this.#laneOf(subscription))?.underWay.has(delivery) ?? false
  }

  /** True if any delivery is under way, or about to be. */
  get sending(): boolean {
    return this.#running > 0
  }

  nextDue(): number | null {
    let earliest: number | null = null
    for (const lane of this.#lanes.values()) {
      if (lane.dueAt === null || !hasRoom(lane)) continue
      if (earliest === null || lane.dueAt < earliest) earliest = lane.dueAt
    }
    return earliest
  }

  runDue(now: number): void {
    for (const lane of this.#lanes.values()) {
      if (lane.dueAt !== null && lane.dueAt <= now && hasRoom(lane)) this.#addSender(lane)
    }
  }

  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    const fault = this.#fault
    this.#fault = null
    if (fault) throw fault.error
  }

  get isUnfinished(): boolean {
    return this.sending || [...this.#lanes.values()].some(({ cancelResume }) => cancelResume !== null)
  }

  /** Starts no more deliveries, and discards the results of deliveries under way. */
  stop(): void {
    this.#stopped = true
    for (const { cancelResume } of this.#lanes.values()) cancelResume?.()
  }

  /** Schedules a check of a lane for due deliveries, at `at` or earlier. */
  #look(subscription: number | null, at: number | null): void {
    if (this.#stopped || at === null) return
    const key = this.#laneOf(subscription)
    const lane = this.#lanes.get(key) ?? { ...idleLane, subscription: key, due: [], underWay: new Map() }
    this.#lanes.set(key, lane)
    lane.dueAt = Math.min(lane.dueAt ?? at, at)
    this.#deps.scheduler.wake(lane.dueAt)
  }

  #laneOf = (subscription: number | null): number | null => (this.#deps.ordered ? null : subscription)

  #addSender(lane: Lane): void {
    lane.dueAt = null
    lane.senders += 1
    this.#running += 1
    void this.#send(lane)
  }

  /** Sends due deliveries one after another, until no delivery is due or the lane has too many senders. */
  async #send(lane: Lane): Promise<void> {
    const { database, transport } = this.#deps
    let next: number | null
    try {
      for (;;) {
        await transport.turn()
        let leased = this.#lease(lane)
        if (!leased) {
          while (database.settled) await database.settled.catch(() => {}) // the commit may still roll back
          this.#readDue(lane)
          leased = this.#lease(lane)
        }
        if (!leased) break
        if (lane.due.length > 0 && hasRoom(lane)) this.#addSender(lane)
        try {
          await this.#attempt(lane, leased.delivery, leased.subscription)
        } finally {
          this.#releaseWhenCommitted(lane, leased.delivery.seq)
        }
      }
      next = this.#nextDueOf(lane)
    } catch (error) {
      next = this.#pause(lane, error)
    }
    lane.senders -= 1
    this.#running -= 1
    // Drops the due time that was noted while the lane had no room: this sender has sent the deliveries that were due
    // then.
    lane.dueAt = null
    this.#look(lane.subscription, next)
    if (lane.senders === 0 && lane.dueAt === null && !lane.failing) {
      lane.cancelResume?.()
      this.#lanes.delete(lane.subscription)
    }
    if (this.#running > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
    if (!this.#stopped) this.#deps.onIdle()
  }

  /** Leases the oldest due delivery whose payment has no delivery under way, if the lane has room for one more. */
  #lease(lane: Lane): { readonly delivery: Delivery; readonly subscription: Subscription } | undefined {
    const { senders, due, underWay } = lane
    const payments = new Set(underWay.values())
    while (!this.#stopped && senders <= widthOf(lane)) {
      const at = due.findIndex(({ payment }) => !payments.has(payment))
      const [delivery] = at < 0 ? [] : due.splice(at, 1)
      if (!delivery) return undefined
      const subscription = this.#deps.store.subscriptions.bySeq(delivery.subscription)
      if (!subscription || subscription.suspended_at !== null) continue
      underWay.set(delivery.seq, delivery.payment)
      return { delivery, subscription }
    }
    return undefined
  }

  /**
   * Reads from the tables the deliveries that can be sent now. Drops deliveries that were read before and whose
   * payments have a delivery under way; these deliveries are read again later.
   */
  #readDue(lane: Lane): void {
    const { senders, due, underWay } = lane
    const { store, clock } = this.#deps
    const now = clock.now()
    if (this.#stopped || senders > widthOf(lane) || now < lane.pausedUntil) return
    const query = { limit: width.healthy, without: underWay.values() }
    const subscriptions = lane.subscription === null ? store.subscriptions.active() : [lane.subscription]
    const next = subscriptions.flatMap((subscription) => store.deliveries.next(subscription, query))
    next.sort((one, other) => one.due_at - other.due_at || one.seq - other.seq)
    due.splice(0, due.length, ...next.filter(({ due_at }) => due_at <= now))
    // Checks the lane again at the next due time, even if no sender has finished by then.
    this.#look(lane.subscription, next[due.length]?.due_at ?? null)
  }

  /**
   * Ends the lease of a delivery once the result of the attempt is committed. If the commit fails, the delivery is
   * still due.
   */
  #releaseWhenCommitted(lane: Lane, delivery: number): void {
    const release = () => lane.underWay.delete(delivery)
    const { settled } = this.#deps.database
    if (!settled) release()
    settled?.then(release, (error) => {
      release()
      this.#look(lane.subscription, this.#pause(lane, error))
    })
  }

  /** Pauses a lane after an error; the lane's deliveries stay due. Returns the end of the pause. */
  #pause(lane: Lane, error: unknown): number {
    const { clock, onFault } = this.#deps
    onFault(error)
    this.#fault = { error }
    lane.failing = true
    lane.due.length = 0
    lane.pausedUntil = clock.now() + Math.ceil(faultDelay * clock.speed)
    lane.cancelResume?.()
    if (this.#stopped) return lane.pausedUntil
    lane.cancelResume = clock.after(faultDelay, () => {
      lane.cancelResume = null
      lane.pausedUntil = 0
      this.#look(lane.subscription, clock.now())
    })
    return lane.pausedUntil
  }

  /**
   * Time at which a lane can send its next delivery. Ignores payments that have a delivery under way: the sender of that
   * delivery looks for the next delivery itself, perhaps after a long wait.
   */
  #nextDueOf(lane: Lane): number | null {
    if (this.#stopped) return null
    const { subscriptions, deliveries } = this.#deps.store
    const isActive = (seq: number) => subscriptions.bySeq(seq)?.suspended_at === null
    const active = lane.subscription === null ? subscriptions.active() : [lane.subscription].filter(isActive)
    const next = earliest(active.map((seq) => deliveries.nextDue(seq, lane.underWay.values())))
    return next === null ? null : Math.max(next, lane.pausedUntil)
  }

  /** Posts a delivery and records the result. */
  async #attempt(lane: Lane, delivery: Delivery, subscription: Subscription): Promise<void> {
    const { store, database, clock, events, sender, faults } = this.#deps
    const { seq, attempt } = delivery
    const started_at = clock.now()
    const elapsed = clock.stopwatch()
    const begun = faults.begun(started_at)
    const outcome = await sender.send(delivery, subscription, { badSignature: faults.takesBadSignature(seq) })
    const duration_ms = elapsed()
    if (this.#stopped) return
    this.#deps.onAttempt(outcome.error === null)
    lane.failing = outcome.error !== null
    const sentAt = Math.floor(started_at / 1000)
    const made = { number: attempt, started_at, duration_ms, ...outcome }
    let suspended: Subscription | null = null
    const settle = () => {
      store.deliveries.record(seq, made)
      if (lane.sentAt !== sentAt || lane.subscription === null) store.subscriptions.sent(subscription.seq, started_at)
      if (faults.active) faults.attempted(subscription.seq, seq, clock.now())
      if (outcome.arrived) faults.arrived(delivery, subscription.url, begun)
      const again = outcome.error === null ? faults.accepted(delivery, subscription.url, begun) : undefined
      if (again !== undefined) return store.deliveries.retryAt(seq, clock.now() + again)
      if (outcome.error === null) return store.deliveries.delivered(seq)
      // Retries after 10, 100, 1000, ... seconds.
      const delay = 10_000 * 10 ** (attempt - 1)
      if (attempt < subscription.max_attempts) return store.deliveries.retryAt(seq, clock.now() + delay)
      store.deliveries.exhausted(seq)
      // Somebody may have suspended or deleted the subscription during the attempt.
      const current = store.subscriptions.bySeq(subscription.seq)
      if (!current || current.suspended_at !== null) return
      // If a fault duplicated the delivery, an earlier attempt may have been accepted.
      const failed = store.deliveries.attempts(seq).filter(({ error }) => error !== null).length
      const reason = `Delivery failed ${failed} times: ${outcome.error}`
      const at = clock.now()
      store.subscriptions.suspend(subscription.seq, { reason, at })
      suspended = { ...current, suspended_at: at, updated_at: at, suspended_reason: reason }
    }
    const record = () => {
      settle()
      events.delivery(made, () => store.deliveries.get(seq))
      if (suspended) events.subscription('suspended', suspended)
    }
    database.write(record, () => causeOf(delivery, store.settings.get('series')))
    lane.sentAt = sentAt
  }
}

/** An attempt as the cause of a write. */
const causeOf = ({ seq, attempt, event, body }: Delivery, series: number): Cause => ({
  kind: 'delivery',
  what: `attempt ${attempt} of ${event}`,
  id: webhookId(series, seq),
  payment: (JSON.parse(body) as EventBody).data.id,
})

const idleLane = { dueAt: null, senders: 0, failing: false, pausedUntil: 0, cancelResume: null, sentAt: null }

const widthOf = ({ failing, subscription }: Lane): number =>
  subscription === null ? width.ordered : failing ? width.failing : width.healthy

const hasRoom = (lane: Lane): boolean => lane.senders < widthOf(lane)

/** Body of a delivery: the payment's state at `now`, in the shape of the interface's events. */
function payloadOf(event: EventName, payment: Payment, now: number): EventBody {
  const body = { event, data: dataOf(payment), timestamp: localTimestamp(now) }
  if (event !== 'payment.failed') return body as EventBody
  const failure = { error: payment.error_message ?? '', state_code: payment.state_code ?? 'rejected' }
  return { ...body, data: { ...body.data, ...failure } } as EventBody
}

function dataOf(payment: Payment) {
  const { currency, transfer_type } = payment
  const debit = transfer_type === 'debit'
  return {
    id: payment.id,
    idempotency_key: payment.idempotency_key,
    channel_reference: debit ? payment.channel_reference : null,
    sinpe_reference: payment.sinpe_reference,
    channel: payment.channel,
    transfer_type,
    payer: partyOf(payment.payer),
    payee: partyOf(payment.payee),
    amount: money(payment.amount, currency),
    fee: feeOf(payment),
    description: payment.description,
    status: payment.status,
    created_at: localDateTime(payment.created_at),
    completed_at: payment.completed_at === null ? null : localDateTime(payment.completed_at),
  }
}

const partyOf = ({ iban, document_number, document_type, phone, name }: Party) => ({
  iban,
  document_number,
  document_type,
  phone_number: phone,
  name,
})
