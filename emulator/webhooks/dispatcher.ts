import type { Clock } from '../clock.ts'
import type { Work } from '../scheduler.ts'
import type { Database } from '../store/database.ts'
import type { Delivery } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { Subscription } from '../store/subscriptions.ts'
import { retryDelay } from './backoff.ts'
import type { Outcome, Sender } from './send.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly clock: Clock
  readonly sender: Sender
  readonly onFault: (error: unknown) => void
  /** Asked to look again at this time. */
  readonly wake: (at: number) => void
}

/** Deliveries under way to one subscription; to one whose last attempt failed, one at a time. */
const lane = { healthy: 16, failing: 1 }

/** Deliveries begun in one turn of the event loop: however many wait, the API gets its turns in between. */
const startsPerTurn = 8

/** After a fault (a full disk, say) a lane is looked at again this much later. */
const faultDelay = 1000

interface Lane {
  /** The leases: what is being sent, by seq. The file is this process's alone, so they need not be written down. */
  readonly sending: Set<number>
  failing: boolean
  /** When the last delivery went out, as the subscription shows it. */
  sentAt: number | null
  /** By payment, the end of its latest delivery under way: what is told of one payment is told in order. */
  readonly tails: Map<number, Promise<void>>
}

/**
 * Delivers the outbox. Every subscription has a lane of its own, so a receiver that is slow or dead holds up nobody
 * else; what is queued stays in the tables until its lane has room. At least once: a delivery is leased while it is sent
 * and settled after, and what a process was sending when it died is still due to the next one.
 */
export class Dispatcher implements Work {
  readonly #deps: Dependencies
  readonly #lanes = new Map<number, Lane>()
  readonly #poked = new Set<number>()
  #flushed: Promise<void> = Promise.resolve()
  /** Lanes to be looked at, in the order they asked. */
  readonly #ready = new Set<number>()
  #inFlight = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.runDue()
  }

  nextDue(): number | null {
    const { subscriptions, deliveries } = this.#deps.store
    let earliest: number | null = null
    for (const seq of subscriptions.active()) {
      // Is looked at soon, or looks for more by itself when it is done.
      if (this.#ready.has(seq) || this.#lanes.get(seq)?.sending.size) continue
      const due = deliveries.nextDue(seq)
      if (due !== null && (earliest === null || due < earliest)) earliest = due
    }
    return earliest
  }

  runDue(): void {
    for (const seq of this.#deps.store.subscriptions.active()) this.#pump(seq)
  }

  /** A hint that subscriptions have something to send, once the transaction under way is through. */
  poke(subscriptions: readonly number[]): void {
    const waiting = this.#poked.size > 0
    for (const seq of subscriptions) this.#poked.add(seq)
    if (!waiting) this.#flushed = this.#afterCommit()
  }

  /** Whether a delivery is on its way to a subscription right now. */
  isSending(subscription: number, delivery: number): boolean {
    return this.#lanes.get(subscription)?.sending.has(delivery) ?? false
  }

  get settled(): Promise<void> | null {
    return this.#deps.database.settled
  }

  async idle(): Promise<void> {
    await this.#flushed
    if (this.#inFlight > 0 || this.#ready.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  close(): void {
    this.#closed = true
  }

  async #afterCommit(): Promise<void> {
    await this.#deps.database.settled?.catch(() => {}) // then there is nothing to send, and pumping finds that out
    const poked = [...this.#poked]
    this.#poked.clear()
    for (const seq of poked) this.#pump(seq)
  }

  #pump(seq: number): void {
    if (this.#closed) return
    if (this.#ready.size === 0) setImmediate(() => this.#drain())
    this.#ready.add(seq)
  }

  #drain(): void {
    const { clock, onFault, wake } = this.#deps
    let starts = startsPerTurn
    for (const seq of this.#ready) {
      if (starts <= 0) break
      this.#ready.delete(seq)
      try {
        starts -= Math.max(1, this.#fill(seq, clock.now()))
      } catch (error) {
        onFault(error)
        wake(clock.now() + faultDelay)
      }
    }
    if (this.#ready.size > 0) setImmediate(() => this.#drain())
    else this.#tellIdle()
  }

  #tellIdle(): void {
    if (this.#inFlight > 0 || this.#ready.size > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Begins what is due and has room in its lane; returns how much that is. */
  #fill(seq: number, now: number): number {
    if (this.#closed) return 0
    const { store, wake } = this.#deps
    const subscription = store.subscriptions.bySeq(seq)
    if (!subscription || subscription.suspended_at !== null) return 0
    const { sending, failing } = this.#lane(seq)
    const width = failing ? lane.failing : lane.healthy
    const room = width - sending.size
    if (room * 2 < width) return 0 // a half-empty lane is filled in one go
    const due = store.deliveries.due(seq, { now, limit: width }).filter((delivery) => !sending.has(delivery.seq))
    const begun = due.slice(0, room)
    for (const delivery of begun) this.#follow(delivery, subscription)
    const next = sending.size > 0 ? null : store.deliveries.nextDue(seq)
    if (next !== null) wake(next)
    return begun.length
  }

  /** Delivers once the delivery before it of the same payment has been tried. */
  #follow(delivery: Delivery, subscription: Subscription): void {
    const { tails } = this.#lane(subscription.seq)
    const tail = this.#deliver(delivery, { subscription, after: tails.get(delivery.payment) }).finally(() => {
      if (tails.get(delivery.payment) === tail) tails.delete(delivery.payment)
    })
    tails.set(delivery.payment, tail)
  }

  async #deliver(delivery: Delivery, { subscription, after }: Turn): Promise<void> {
    const { database, clock, sender, onFault, wake } = this.#deps
    const current = this.#lane(subscription.seq)
    current.sending.add(delivery.seq)
    this.#inFlight += 1
    let next: number | null = null
    try {
      await after
      await database.settled // the events of a transaction that fails must not get out
      const started_at = clock.now()
      const elapsed = clock.stopwatch()
      const outcome = await sender.send(delivery, subscription)
      const duration_ms = elapsed()
      current.failing = outcome.error !== null
      if (!this.#closed) this.#settle({ delivery, subscription, outcome, started_at, duration_ms })
      await database.settled
    } catch (error) {
      onFault(error)
      next = clock.now() + faultDelay // it is due still
    } finally {
      current.sending.delete(delivery.seq)
      this.#inFlight -= 1
      if (next === null) this.#pump(subscription.seq)
      else wake(next)
      if (current.sending.size === 0 && !current.failing) this.#lanes.delete(subscription.seq)
      this.#tellIdle()
    }
  }

  #settle({ delivery, subscription, outcome, started_at, duration_ms }: Finished): void {
    const { store, database, clock } = this.#deps
    const { seq, attempt } = delivery
    const current = this.#lane(subscription.seq)
    const sentAt = Math.floor(started_at / 1000)
    database.write(() => {
      store.deliveries.record(seq, { number: attempt, started_at, duration_ms, ...outcome })
      if (current.sentAt !== sentAt) store.subscriptions.sent(subscription.seq, started_at)
      if (outcome.error === null) return store.deliveries.delivered(seq)
      if (attempt < subscription.max_attempts) return store.deliveries.retryAt(seq, clock.now() + retryDelay(attempt))
      store.deliveries.exhausted(seq)
      const reason = `Delivery failed ${attempt} times: ${outcome.error}`
      store.subscriptions.suspend(subscription.seq, { reason, at: clock.now() })
    })
    current.sentAt = sentAt
  }

  #lane(seq: number): Lane {
    let current = this.#lanes.get(seq)
    if (!current) {
      current = { sending: new Set(), failing: false, sentAt: null, tails: new Map() }
      this.#lanes.set(seq, current)
    }
    return current
  }
}

interface Turn {
  readonly subscription: Subscription
  readonly after: Promise<void> | undefined
}

interface Finished {
  readonly delivery: Delivery
  readonly subscription: Subscription
  readonly outcome: Outcome
  readonly started_at: number
  readonly duration_ms: number
}
