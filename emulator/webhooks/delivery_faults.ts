import type { Faults } from '../faults.ts'
import type { NewEvent } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'

/** A delivery that another overtakes goes out after this long at the latest, in milliseconds of the world's time. */
const longestHold = 60_000

interface Dependencies {
  readonly rules: Faults
  readonly store: Store
}

/** Lets deliveries go wrong as the rules of a world say: twice, late, never, or after the next one. */
export class DeliveryFaults {
  readonly #deps: Dependencies
  /** Seqs of deliveries that go out once more after they were taken. */
  readonly #twice = new Set<number>()
  /** The delivery of each subscription that waits for the next one. */
  readonly #held = new Map<number, number>()
  /** Deliveries that wait for an attempt at another, by the seq of that one. */
  readonly #behind = new Map<number, number>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Whether anything is to be looked at; if not, deliveries take their usual way. */
  get active(): boolean {
    const { rules } = this.#deps
    return rules.deliveries > 0 || this.#held.size > 0 || this.#behind.size > 0 || this.#twice.size > 0
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
      const at = event.at + (holds ? longestHold : delay)
      const delivery = deliveries.addDelivery(seq, { subscription, at })
      due.set(subscription, at)
      if (fault === 'duplicate') this.#twice.add(delivery)
      if (holds) this.#held.set(subscription, delivery)
      else if (overtaken !== undefined) {
        this.#held.delete(subscription)
        this.#behind.set(delivery, overtaken)
      }
    }
    return due
  }

  /** Makes due what waited for an attempt at this delivery. */
  attempted(subscription: number, delivery: number, now: number): void {
    if (this.#held.get(subscription) === delivery) this.#held.delete(subscription)
    const overtaken = this.#behind.get(delivery)
    if (overtaken === undefined) return
    this.#behind.delete(delivery)
    this.#deps.store.deliveries.hastenOne(overtaken, now)
  }

  /** Whether a delivery that was taken goes out once more. */
  goesAgain(delivery: number): boolean {
    return this.#twice.delete(delivery)
  }

  #faultOf({ name }: NewEvent, subscription: number): { readonly fault?: string | undefined; readonly delay: number } {
    const { rules, store } = this.#deps
    const id = rules.deliveries > 0 ? store.subscriptions.bySeq(subscription)?.id : undefined
    return (id !== undefined && rules.next({ event: name, subscription: id })) || { delay: 0 }
  }
}
