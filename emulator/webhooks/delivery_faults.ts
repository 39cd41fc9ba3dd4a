import type { Chaos } from '../chaos/chaos.ts'
import type { Evidence } from '../evidence.ts'
import type { Faults } from '../faults.ts'
import type { Begun } from '../repeated_writes.ts'
import type { RequestLog } from '../request_log.ts'
import type { Delivery, NewEvent } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'

/** A delivery that another overtakes goes out after this long at the latest, in milliseconds of the world's time. */
const longestHold = 60_000

interface Dependencies {
  readonly rules: Faults
  readonly chaos: Chaos | null
  readonly store: Store
  readonly evidence: Evidence
  readonly requests: RequestLog
}

/** Lets deliveries go wrong as the rules of a world say: twice, late, never, or after the next one. */
export class DeliveryFaults {
  readonly #deps: Dependencies
  /** By the seqs of deliveries that go out once more after they were taken: how much later, in milliseconds. */
  readonly #twice = new Map<number, number>()
  /** Deliveries whose first attempt gets a wrong signature. */
  readonly #badlySigned = new Set<number>()
  /** The delivery of each subscription that waits for the next one. */
  readonly #held = new Map<number, number>()
  /** Deliveries that wait for an attempt at another, by the seq of that one. */
  readonly #behind = new Map<number, number>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Whether anything is to be looked at; if not, deliveries take their usual way. */
  get active(): boolean {
    const { rules, chaos } = this.#deps
    return (
      chaos !== null ||
      rules.deliveries > 0 ||
      [this.#held, this.#behind, this.#twice, this.#badlySigned].some(({ size }) => size > 0)
    )
  }

  /** Stores an event with its deliveries; returns when each subscription that gets one is to be looked at. */
  add(event: NewEvent, subscriptions: readonly number[]): Map<number, number> {
    const { deliveries } = this.#deps.store
    const seq = deliveries.addEvent(event)
    const due = new Map<number, number>()
    for (const subscription of subscriptions) {
      const { fault, delay } = this.#faultOf(event, subscription)
      if (fault === 'drop') continue
      const overtaken = this.#held.get(subscription)
      const holds = fault === 'reorder' && overtaken === undefined
      const at = event.at + (holds ? delay || longestHold : fault === undefined ? delay : 0)
      const delivery = deliveries.addDelivery(seq, { subscription, at })
      due.set(subscription, at)
      if (fault === 'duplicate') this.#twice.set(delivery, delay)
      if (fault === 'bad_signature') this.#badlySigned.add(delivery)
      if (holds) this.#held.set(subscription, delivery)
      else if (overtaken !== undefined) {
        this.#held.delete(subscription)
        this.#behind.set(delivery, overtaken)
      }
    }
    return due
  }

  /** Whether the next attempt at a delivery gets a wrong signature; asked once for each attempt. */
  takesBadSignature = (delivery: number): boolean => this.#badlySigned.delete(delivery)

  /** Makes due what waited for an attempt at this delivery. */
  attempted(subscription: number, delivery: number, now: number): void {
    if (this.#held.get(subscription) === delivery) this.#held.delete(subscription)
    const overtaken = this.#behind.get(delivery)
    if (overtaken === undefined) return
    this.#behind.delete(delivery)
    this.#deps.store.deliveries.hastenOne(overtaken, now)
  }

  /** For `accepted`, when an attempt begins. */
  begun = (at: number): Begun => ({ request: this.#deps.requests.last, at })

  /** In how many milliseconds of the world's time a delivery that was taken goes out once more; undefined: it does not. */
  accepted({ seq, event }: Delivery, url: string, begun: Begun): number | undefined {
    const delay = this.#twice.get(seq)
    this.#twice.delete(seq)
    this.#deps.evidence.accepted({ seq, event, url, again: delay !== undefined }, begun)
    return delay
  }

  #faultOf({ name }: NewEvent, subscription: number): { readonly fault?: string | undefined; readonly delay: number } {
    const { rules, chaos, store } = this.#deps
    const id = rules.deliveries > 0 ? store.subscriptions.bySeq(subscription)?.id : undefined
    const fault = id === undefined ? undefined : rules.next({ event: name, subscription: id })
    return fault ?? chaos?.delivery(name) ?? { delay: 0 }
  }
}
