import type { EventName } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import type { Payment } from '../domain/payment.ts'
import type { Scheduler, Work } from '../scheduler.ts'
import type { Database } from '../store/database.ts'
import type { Delivery } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { Subscription } from '../store/subscriptions.ts'
import type { DeliveryFaults } from './delivery_faults.ts'
import { payloadOf } from './payload.ts'
import type { Sender } from './send.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly sender: Sender
  readonly faults: DeliveryFaults
  readonly onFault: (error: unknown) => void
  /** Called when no delivery is under way any more. */
  readonly onIdle: () => void
}

/** Deliveries under way to one subscription; to one whose last attempt failed, one at a time. */
const width = { healthy: 16, failing: 1 }

/** Deliveries begun in one turn of the event loop: however many wait, the API gets its turns in between. */
const startsPerTurn = 8

/** After a fault (a full disk, say) a lane is looked at again this much later, in milliseconds. */
const faultDelay = 1000

/** 10, 100, 1000, ... seconds after the first, second, third, ... failed attempt: milliseconds. */
const retryDelay = (failedAttempts: number): number => 10_000 * 10 ** (failedAttempts - 1)

/** The deliveries of one subscription. */
interface Lane {
  readonly subscription: number
  /** When to look into the tables for what is due, in epoch milliseconds; null when nothing is known to be. */
  dueAt: number | null
  /** How many loops send what is due. */
  senders: number
  /** What was due when the tables were looked into, and is not begun. */
  readonly due: Delivery[]
  /** The leases: the payment of each delivery under way. The file is this process's alone, so they are not written down. */
  readonly underWay: Map<number, number>
  /** Whether the last attempt failed. */
  failing: boolean
  /** When the last delivery went out, as the subscription shows it, in epoch seconds. */
  sentAt: number | null
}

interface Taken {
  readonly delivery: Delivery
  readonly subscription: Subscription
}

/**
 * Writes events beside the payments they tell of, and delivers them. Every subscription has a lane of its own, so a
 * receiver that is slow or dead holds up nobody else. At least once: what a process was sending when it died is still
 * due to the next one. The first attempts at the events of one payment are made in order.
 */
export class Outbox implements Work {
  readonly #deps: Dependencies
  readonly #lanes = new Map<number, Lane>()
  /** Senders that wait for their turn. */
  readonly #waiting: (() => void)[] = []
  #running = 0
  #whenIdle: (() => void)[] = []
  #stopped = false

  /** Takes up what an earlier process left. */
  constructor(deps: Dependencies) {
    this.#deps = deps
    const { subscriptions, deliveries } = deps.store
    for (const seq of subscriptions.active()) this.#look(seq, deliveries.nextDue(seq))
  }

  /** Writes an event for everybody subscribed to it, in the caller's transaction. */
  publish(event: EventName, payment: Payment, now: number): void {
    const { store, faults } = this.#deps
    const { deliveries } = store
    const subscriptions = deliveries.subscribers(payment.user, event)
    if (subscriptions.length === 0) return
    const added = { name: event, payment: payment.seq, body: JSON.stringify(payloadOf(event, payment, now)), at: now }
    if (faults.active) {
      for (const [subscription, at] of faults.add(added, subscriptions)) this.#look(subscription, at)
      return
    }
    deliveries.add(added, subscriptions)
    for (const subscription of subscriptions) this.#look(subscription, now)
  }

  /** Makes all that waits for a subscription due now, in the caller's transaction. */
  hasten(subscription: number, now: number): void {
    this.#deps.store.deliveries.hasten(subscription, now)
    this.#look(subscription, now)
  }

  /** Makes a delivery due once more, in the caller's transaction. */
  sendAgain(subscription: number, delivery: number, now: number): void {
    this.#deps.store.deliveries.sendAgain(delivery, now)
    this.#look(subscription, now)
  }

  /** Whether a delivery is on its way to a subscription right now. */
  isSending(subscription: number, delivery: number): boolean {
    return this.#lanes.get(subscription)?.underWay.has(delivery) ?? false
  }

  /** Whether any delivery is under way, or about to be. */
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
  }

  /** Begins nothing more, and writes nothing of what is under way. */
  stop(): void {
    this.#stopped = true
  }

  /** Has a lane look for what is due at `at`, if not before. */
  #look(subscription: number, at: number | null): void {
    if (this.#stopped || at === null) return
    const lane = this.#lanes.get(subscription) ?? newLane(subscription)
    this.#lanes.set(subscription, lane)
    lane.dueAt = Math.min(lane.dueAt ?? at, at)
    this.#deps.scheduler.wake(lane.dueAt)
  }

  #addSender(lane: Lane): void {
    lane.dueAt = null
    lane.senders += 1
    this.#running += 1
    void this.#send(lane)
  }

  /** Sends what is due, one after another, until nothing is or there are too many senders. */
  async #send(lane: Lane): Promise<void> {
    const { database, clock, onFault } = this.#deps
    let next: number | null
    try {
      for (;;) {
        await this.#turn()
        let taken = this.#take(lane)
        if (!taken) {
          while (database.settled) await database.settled.catch(() => {}) // what is not committed may never have been
          this.#readDue(lane)
          taken = this.#take(lane)
        }
        if (!taken) break
        if (lane.due.length > 0 && hasRoom(lane)) this.#addSender(lane)
        try {
          await this.#attempt(lane, taken)
        } finally {
          this.#releaseWhenCommitted(lane, taken.delivery.seq)
        }
      }
      next = this.#nextDueOf(lane)
    } catch (error) {
      onFault(error)
      lane.failing = true
      next = clock.now() + faultDelay // what it was about is due still
    }
    lane.senders -= 1
    this.#running -= 1
    this.#look(lane.subscription, next)
    if (lane.senders === 0 && lane.dueAt === null && !lane.failing) this.#lanes.delete(lane.subscription)
    if (this.#running > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
    if (!this.#stopped) this.#deps.onIdle()
  }

  /** Leases the oldest delivery known to be due of a payment that has none under way, if the lane may send one more. */
  #take({ subscription: seq, senders, due, underWay, failing }: Lane): Taken | undefined {
    if (this.#stopped || due.length === 0 || senders > widthOf(failing)) return undefined
    const subscription = this.#deps.store.subscriptions.bySeq(seq)
    if (!subscription || subscription.suspended_at !== null) {
      due.length = 0
      return undefined
    }
    const payments = new Set(underWay.values())
    const at = due.findIndex(({ payment }) => !payments.has(payment))
    const [delivery] = at < 0 ? [] : due.splice(at, 1)
    if (!delivery) return undefined
    underWay.set(delivery.seq, delivery.payment)
    return { delivery, subscription }
  }

  /** Looks into the tables for what is due, once all that was known to be is begun. */
  #readDue({ subscription, senders, due, underWay, failing }: Lane): void {
    if (this.#stopped || due.length > 0 || senders > widthOf(failing)) return
    const { store, clock } = this.#deps
    const limit = width.healthy + underWay.size
    due.push(...store.deliveries.due(subscription, { now: clock.now(), limit, without: underWay }))
  }

  /** A lease lasts until what came of the attempt is durable. If that is undone, the delivery is still due. */
  #releaseWhenCommitted(lane: Lane, delivery: number): void {
    const { database, clock, onFault } = this.#deps
    const release = () => lane.underWay.delete(delivery)
    const { settled } = database
    if (!settled) {
      release()
      return
    }
    settled.then(release, (error) => {
      release()
      onFault(error)
      lane.failing = true
      this.#look(lane.subscription, clock.now() + faultDelay)
    })
  }

  /** When the last sender of a lane leaves: the time of its next delivery. Until then another sender looks for more. */
  #nextDueOf({ subscription: seq, senders }: Lane): number | null {
    const { subscriptions, deliveries } = this.#deps.store
    if (this.#stopped || senders > 1) return null
    return subscriptions.bySeq(seq)?.suspended_at === null ? deliveries.nextDue(seq) : null
  }

  /** Posts a delivery and writes down what came of it. */
  async #attempt(lane: Lane, { delivery, subscription }: Taken): Promise<void> {
    const { store, database, clock, sender, faults } = this.#deps
    const { seq, attempt } = delivery
    const started_at = clock.now()
    const elapsed = clock.stopwatch()
    const outcome = await sender.send(delivery, subscription)
    const duration_ms = elapsed()
    if (this.#stopped) return
    lane.failing = outcome.error !== null
    const sentAt = Math.floor(started_at / 1000)
    database.write(() => {
      store.deliveries.record(seq, { number: attempt, started_at, duration_ms, ...outcome })
      if (lane.sentAt !== sentAt) store.subscriptions.sent(subscription.seq, started_at)
      if (faults.active) {
        faults.attempted(subscription.seq, seq, clock.now())
        if (outcome.error === null && faults.goesAgain(seq)) return store.deliveries.retryAt(seq, clock.now())
      }
      if (outcome.error === null) return store.deliveries.delivered(seq)
      if (attempt < subscription.max_attempts) return store.deliveries.retryAt(seq, clock.now() + retryDelay(attempt))
      store.deliveries.exhausted(seq)
      const reason = `Delivery failed ${attempt} times: ${outcome.error}`
      store.subscriptions.suspend(subscription.seq, { reason, at: clock.now() })
    })
    lane.sentAt = sentAt
  }

  /** Resolves in a later turn of the event loop: in each so many senders go on. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#giveTurns())
    })
  }

  #giveTurns(): void {
    for (const resolve of this.#waiting.splice(0, startsPerTurn)) resolve()
    if (this.#waiting.length > 0) setImmediate(() => this.#giveTurns())
  }
}

const newLane = (subscription: number): Lane => ({
  subscription,
  dueAt: null,
  senders: 0,
  due: [],
  underWay: new Map(),
  failing: false,
  sentAt: null,
})

const widthOf = (failing: boolean): number => (failing ? width.failing : width.healthy)

const hasRoom = ({ senders, failing }: Lane): boolean => senders < widthOf(failing)
