import { type Delivery, identityOf } from './delivery.ts'
import { eventOf, type TailEvent } from './event.ts'
import { type Forwarder, isAccepted, type Outcome } from './forward.ts'
import type { Queue } from './queue.ts'
import type { Recovered } from './rebuilt_event.ts'
import type { Acknowledgement } from './receiver.ts'
import { Recent } from './recent.ts'
import type { SavedFile } from './saved_file.ts'

/** Something to print. */
export interface Item {
  readonly event: TailEvent
  /** Whether it was not printed before: a delivery can come more than once. */
  readonly isNew: boolean
  readonly forward?: Promise<Outcome>
}

interface Dependencies {
  readonly queue: Queue<Item>
  readonly saved: SavedFile | undefined
  readonly forwarder: Forwarder | undefined
  /** Deliveries that are taken, repetitions aside. */
  readonly limit: number
  readonly onArrival: (event: TailEvent) => void
  /** The file cannot be written any more. */
  readonly onFault: (error: unknown) => void
}

/** Deliveries by which a repetition is known. */
const remembered = 20_000

/**
 * Takes deliveries in. One is acknowledged once it is in the file, where there is one, and has its place in the queue:
 * when that is full the service waits. Whoever it is forwarded to decides instead.
 */
export class Intake {
  readonly #deps: Dependencies
  #seen = new Recent(remembered)
  #count = 0
  #closed = false

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async accept(delivery: Delivery): Promise<Acknowledgement> {
    const { queue, saved, forwarder, limit, onArrival, onFault } = this.#deps
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
    const room = queue.push({ event, isNew, ...(forward && { forward }) })
    if (forward) return acknowledgementOf(await forward)
    await room
    return { status: 200 }
  }

  /**
   * Saves, prints and passes on what was missed. Resolves when that is done; false where whoever it is passed on to did
   * not take it.
   */
  async recover({ event, delivery }: Recovered, isNew: boolean): Promise<boolean> {
    const { queue, saved, forwarder, onFault } = this.#deps
    if (this.#closed) return false
    try {
      if (isNew && delivery) await saved?.append(delivery)
    } catch (error) {
      onFault(error)
      return false
    }
    const forward = delivery && forwarder?.send(delivery)
    await queue.push({ event, isNew, ...(forward && { forward }) })
    return forward === undefined || isAccepted(await forward)
  }

  /** Names of deliveries that come from now on may have been those of others. */
  forgetNames(): void {
    this.#seen = new Recent(remembered)
  }

  /** From now on everything is refused; the service will try again elsewhere, or never. */
  close(): void {
    this.#closed = true
  }
}

const acknowledgementOf = ({ status, error, contentType, body }: Outcome): Acknowledgement =>
  status === null
    ? { status: 502, contentType: 'text/plain', body: Buffer.from(`${error}\n`) }
    : { status, contentType, body }
