import { RecentSet } from '../run/recent.ts'
import { type Delivery, identityOf } from './delivery.ts'
import { eventOf, type RecoveredEvent, type TailEvent } from './event.ts'
import { type Forwarder, isAccepted, type Outcome } from './forward.ts'
import type { Acknowledgement } from './receiver.ts'
import type { SavedFile } from './saved_file.ts'

/** An event that waits to be printed. */
export interface QueuedEvent {
  readonly event: TailEvent
  /** False if it was printed before: a delivery can come more than once. */
  readonly isNew: boolean
  /** The answer of the target, if the event is forwarded. */
  readonly forward?: Promise<Outcome>
}

interface Options {
  readonly saved: SavedFile | undefined
  readonly forwarder: Forwarder | undefined
  /** Number of new deliveries that are accepted. */
  readonly limit: number
  readonly onArrival: (event: TailEvent) => void
  /** Called when the file can no longer be written. */
  readonly onFault: (error: unknown) => void
}

/** Deliveries that are remembered to recognise repetitions. */
const remembered = 20_000

/** Most events that are acknowledged and not yet printed. */
const longestQueue = 1_000

/**
 * Saves, forwards and queues deliveries. A delivery is acknowledged when it is saved and queued; while the
 * queue is full the service waits. A forwarded delivery gets the target's answer.
 */
export class DeliveryHandler {
  /** Events to print, in order of arrival. Ends after close. */
  readonly events = new Queue<QueuedEvent>(longestQueue)
  readonly #options: Options
  #seen = new RecentSet<string>(remembered)
  #count = 0
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  async handle(delivery: Delivery): Promise<Acknowledgement> {
    const { saved, forwarder, limit, onArrival, onFault } = this.#options
    const identity = identityOf(delivery)
    const isNew = !this.#seen.has(identity)
    if (this.#closed || (isNew && this.#count >= limit)) return { status: 503 }
    this.#seen.add(identity)
    if (isNew) this.#count += 1
    try {
      if (isNew) await saved?.append(delivery)
    } catch (error) {
      onFault(error)
      return { status: 500 }
    }
    const event = eventOf(delivery)
    if (isNew) onArrival(event)
    const forward = forwarder?.send(delivery)
    if (!isNew && !forward) return { status: 200 }
    const room = this.events.push({ event, isNew, ...(forward && { forward }) })
    if (forward) return acknowledgementOf(await forward)
    await room
    return { status: 200 }
  }

  /** Saves, queues and forwards a recovered event. Resolves to false when the target did not accept it. */
  async handleRecovered({ event, delivery }: RecoveredEvent, isNew: boolean): Promise<boolean> {
    const { saved, forwarder, onFault } = this.#options
    if (this.#closed) return false
    try {
      if (isNew && delivery) await saved?.append(delivery)
    } catch (error) {
      onFault(error)
      return false
    }
    const forward = delivery && forwarder?.send(delivery)
    await this.events.push({ event, isNew, ...(forward && { forward }) })
    return forward === undefined || isAccepted(await forward)
  }

  /** Forgets delivery ids, because a new subscription may use them again. */
  forgetDeliveries(): void {
    this.#seen = new RecentSet(remembered)
  }

  /** Refuses further deliveries and ends the queue. */
  close(): void {
    this.#closed = true
    this.events.end()
  }
}

const acknowledgementOf = ({ status, error, contentType, body }: Outcome): Acknowledgement =>
  status === null
    ? { status: 502, contentType: 'text/plain', body: Buffer.from(`${error}\n`) }
    : { status, contentType, body }

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

  /** The reader gets the remaining items and then ends. */
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
