import type { Chaos } from '../chaos/chaos.ts'
import type { Faults } from '../faults.ts'
import type { Evidence } from '../observation/evidence.ts'
import type { AttemptStart } from '../observation/repeated_writes.ts'
import type { RequestLog } from '../observation/request_log.ts'
import type { Delivery, NewEvent, QueuedDelivery } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'

/**
 * Maximum time for which a delivery waits to be overtaken, in milliseconds of the world's time, unless its fault sets a
 * delay.
 */
const longestHold = 60_000

/** Entries of the maps in `DeliveryFaults`: faults that deliveries still await. */
export interface PendingFaults {
  readonly duplicates: readonly (readonly [delivery: number, delay: number])[]
  readonly badlySigned: readonly number[]
  readonly held: readonly (readonly [subscription: number, delivery: number])[]
  readonly behind: readonly (readonly [first: number, overtaken: number])[]
}

interface Dependencies {
  readonly rules: Faults
  readonly chaos: Chaos | null
  readonly store: Store
  readonly evidence: Evidence
  readonly requests: RequestLog
}

/**
 * Applies the delivery faults of a world's rules or chaos: a delivery is sent twice, late, never, after the next
 * delivery, or with a wrong signature.
 */
export class DeliveryFaults {
  readonly #deps: Dependencies
  /** Deliveries that are sent again once they are accepted: the delay in milliseconds, by seq. */
  readonly #duplicates = new Map<number, number>()
  /** Deliveries whose first attempt gets a wrong signature. */
  readonly #badlySigned = new Set<number>()
  /** By subscription: the delivery that waits until the next delivery overtakes it. */
  readonly #held = new Map<number, number>()
  /** Overtaken deliveries, keyed by the seq of the delivery that must be attempted first. */
  readonly #behind = new Map<number, number>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** False if no delivery can have a fault; deliveries then take the usual path. */
  get active(): boolean {
    const { rules, chaos } = this.#deps
    return chaos !== null || rules.deliveries > 0 || this.#pendingCount > 0
  }

  get #pendingCount(): number {
    return this.#held.size + this.#behind.size + this.#duplicates.size + this.#badlySigned.size
  }

  /** Faults that deliveries still await; null: none. */
  get pending(): PendingFaults | null {
    if (this.#pendingCount === 0) return null
    const [duplicates, badlySigned] = [[...this.#duplicates], [...this.#badlySigned]]
    return { duplicates, badlySigned, held: [...this.#held], behind: [...this.#behind] }
  }

  /** Applies the faults that deliveries awaited when the world's file was closed. */
  resume({ duplicates, badlySigned, held, behind }: PendingFaults): void {
    for (const [delivery, delay] of duplicates) this.#duplicates.set(delivery, delay)
    for (const delivery of badlySigned) this.#badlySigned.add(delivery)
    for (const [subscription, delivery] of held) this.#held.set(subscription, delivery)
    for (const [first, overtaken] of behind) this.#behind.set(first, overtaken)
  }

  /** Stores an event with its deliveries. */
  add(event: NewEvent, subscriptions: readonly number[]): QueuedDelivery[] {
    const { deliveries } = this.#deps.store
    const seq = deliveries.addEvent(event)
    const queued: QueuedDelivery[] = []
    for (const subscription of subscriptions) {
      const { fault, delay } = this.#faultOf(event, subscription)
      if (fault === 'drop') continue
      const overtaken = this.#held.get(subscription)
      const holds = fault === 'reorder' && overtaken === undefined
      const at = event.at + (holds ? delay || longestHold : fault === undefined ? delay : 0)
      const delivery = deliveries.addDelivery(seq, { subscription, at })
      queued.push({ seq: delivery, subscription, at })
      if (fault === 'duplicate') this.#duplicates.set(delivery, delay)
      if (fault === 'bad_signature') this.#badlySigned.add(delivery)
      if (holds) this.#held.set(subscription, delivery)
      else if (overtaken !== undefined) {
        this.#held.delete(subscription)
        this.#behind.set(delivery, overtaken)
      }
    }
    return queued
  }

  /** True if this attempt at a delivery gets a wrong signature; call it once for each attempt. */
  takesBadSignature = (delivery: number): boolean => this.#badlySigned.delete(delivery)

  /** If another delivery waits for an attempt at this delivery, makes the other delivery due. */
  attempted(subscription: number, delivery: number, now: number): void {
    if (this.#held.get(subscription) === delivery) this.#held.delete(subscription)
    const overtaken = this.#behind.get(delivery)
    if (overtaken === undefined) return
    this.#behind.delete(delivery)
    this.#deps.store.deliveries.hastenOne(overtaken, now)
  }

  /** State at the start of an attempt, which `accepted` and `arrived` need. */
  begun = (at: number): AttemptStart => ({ request: this.#deps.requests.last, at })

  /**
   * Records an accepted delivery. Returns the delay after which the delivery is sent again, in milliseconds of the
   * world's time; undefined: it is not sent again.
   */
  accepted({ seq, event, payment }: Delivery, url: string, begun: AttemptStart): number | undefined {
    const delay = this.#duplicates.get(seq)
    this.#duplicates.delete(seq)
    this.#deps.evidence.accepted({ seq, event, url, payment, again: delay !== undefined }, begun)
    return delay
  }

  /** Records an attempt that may have reached the receiver. */
  arrived({ seq, event }: Delivery, url: string, begun: AttemptStart): void {
    this.#deps.evidence.arrivedDelivery({ seq, event, url }, begun)
  }

  #faultOf({ name }: NewEvent, subscription: number): { readonly fault?: string | undefined; readonly delay: number } {
    const { rules, chaos, store } = this.#deps
    const id = rules.deliveries > 0 ? store.subscriptions.bySeq(subscription)?.id : undefined
    const fault = id === undefined ? undefined : rules.next({ event: name, subscription: id })
    return fault ?? chaos?.delivery(name) ?? { delay: 0 }
  }
}
