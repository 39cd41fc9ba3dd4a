import { RecentMap } from '../run/recent.ts'
import { type Delivery, identityOf } from './delivery.ts'
import { eventOf, type RecoveredEvent, type TailEvent } from './event.ts'
import { isAccepted, type Outcome, type Routes } from './forward.ts'
import type { Acknowledgement } from './receiver.ts'
import type { SavedFile } from './saved_deliveries.ts'

/** An event waiting to be printed. */
export interface QueuedEvent {
  readonly event: TailEvent
  /** False if a delivery of the event arrived before. */
  readonly isNew: boolean
  /** Number of arrivals; 1 for a new event. */
  readonly times: number
  /** The target's answer, if the event is forwarded. */
  readonly forward?: Promise<Outcome>
}

interface Options {
  /** Files that each new delivery is appended to. */
  readonly saved: readonly Pick<SavedFile, 'append'>[]
  readonly forwarder: Pick<Routes, 'send'> | undefined
  /** True for events to print; other events are only acknowledged. */
  readonly isWanted: (event: TailEvent) => boolean
  /** Called for events that the filter excludes. */
  readonly onExcluded: (event: TailEvent) => void
  /** Number of new deliveries to accept. */
  readonly limit: number
  readonly onArrival: (event: TailEvent) => void
  /** Called when a write to a file fails. */
  readonly onFault: (error: unknown) => void
}

/** Number of deliveries remembered to recognise repetitions. */
const remembered = 20_000

/** Maximum number of acknowledged events that are not yet printed. */
const longestQueue = 1_000

/**
 * Saves, forwards and queues deliveries. Acknowledges a delivery after saving and queueing it. While the queue is full,
 * the service must wait for the acknowledgement. The answer to a forwarded delivery is the target's answer.
 */
export class DeliveryHandler {
  /** Events to print, in order of arrival. Ends after close. */
  readonly events = new Queue<QueuedEvent>(longestQueue)
  readonly #options: Options
  #times = new RecentMap<string, number>(remembered)
  #count = 0
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  /** False after `close`, and after `limit` new deliveries, because later deliveries would not be printed. */
  get takesMore(): boolean {
    return !this.#closed && this.#count < this.#options.limit
  }

  async handle(delivery: Delivery): Promise<Acknowledgement> {
    const { forwarder, isWanted, onArrival, onExcluded } = this.#options
    const identity = identityOf(delivery)
    const times = (this.#times.get(identity) ?? 0) + 1
    const isNew = times === 1
    if (this.#closed || (isNew && !this.takesMore)) return { status: 503 }
    const event = eventOf(delivery)
    if (!isWanted(event)) {
      onExcluded(event)
      return { status: 200 }
    }
    this.#times.set(identity, times)
    if (isNew) this.#count += 1
    if (isNew && !(await this.#save(delivery))) return { status: 500 }
    if (isNew) onArrival(event)
    const forward = forwarder?.send(delivery, event)
    if (!isNew && !forward) return { status: 200 }
    const queued = this.events.push({ event, isNew, times, ...(forward && { forward }) })
    if (!forward) {
      await queued
      return { status: 200 }
    }
    const { status, error, contentType, body } = await forward
    if (status === null) return { status: 502, contentType: 'text/plain', body: Buffer.from(`${error}\n`) }
    return { status, contentType, body }
  }

  /**
   * Saves, queues and forwards a recovered event; `attempt` counts from 1. Resolves to false if the event could not be
   * saved, if its target did not accept it, or after `close`.
   */
  async handleRecovered({ event, delivery }: RecoveredEvent, attempt: number): Promise<boolean> {
    const { forwarder, isWanted, onExcluded } = this.#options
    if (this.#closed) return false
    if (!isWanted(event)) {
      onExcluded(event)
      return true
    }
    if (attempt === 1 && delivery && !(await this.#save(delivery))) return false
    const forward = delivery && forwarder?.send(delivery, event)
    await this.events.push({ event, isNew: attempt === 1, times: attempt, ...(forward && { forward }) })
    return forward === undefined || isAccepted(await forward)
  }

  /** Appends the delivery to the files; resolves to false if a write fails. */
  async #save(delivery: Delivery): Promise<boolean> {
    const { saved, onFault } = this.#options
    try {
      await Promise.all(saved.map((file) => file.append(delivery)))
      return true
    } catch (error) {
      onFault(error)
      return false
    }
  }

  /** Forgets delivery ids, because a new subscription may use them again. */
  forgetDeliveries(): void {
    this.#times = new RecentMap(remembered)
  }

  /** Refuses further deliveries and ends the queue. */
  close(): void {
    this.#closed = true
    this.events.end()
  }
}

/** A queue with one reader. */
class Queue<Item> implements AsyncIterable<Item> {
  readonly #capacity: number
  readonly #items: Item[] = []
  #wakeReader: (() => void) | undefined
  #waiting: (() => void)[] = []
  #ended = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Adds the item at once. Resolves when at most `capacity` items wait, or when the queue has ended. */
  push(item: Item): Promise<void> {
    this.#items.push(item)
    this.#wakeReader?.()
    if (this.#items.length <= this.#capacity || this.#ended) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** The reader receives the remaining items and then ends. */
  end(): void {
    this.#ended = true
    this.#wakeReader?.()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    while (true) {
      const item = this.#items.shift()
      if (item !== undefined) {
        if (this.#items.length <= this.#capacity) for (const resolve of this.#waiting.splice(0)) resolve()
        yield item
      } else if (this.#ended) return
      else await new Promise<void>((resolve) => (this.#wakeReader = resolve))
    }
  }
}
