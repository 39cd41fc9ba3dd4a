import { isDeepStrictEqual } from 'node:util'
import {
  type Arrival,
  controlEndpoints,
  type ReceiverAnswer,
  receiverIdPattern,
  receiverLimits,
  worldPath,
} from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { OwnAddress } from '../http/addresses.ts'

/** A delivery that arrives at its receiver. */
type Arriving = Omit<Arrival, 'at' | 'status'>

interface Receiver {
  answer: ReceiverAnswer
  arrived: number
  /** Oldest first. */
  readonly arrivals: Arrival[]
}

const usualAnswer: ReceiverAnswer = { status: 200, delay_ms: 0, hang_up: false }

/**
 * Built-in receivers for the webhooks of one world. The world's sender hands deliveries over without a connection, so
 * deliveries can't loop, reach another world, or come from outside.
 */
export class Receivers {
  readonly #clock: Clock
  readonly #all = new Map<string, Receiver>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Takes a delivery; resolves with the status that the receiver answers. Rejects if the receiver closes the connection
   * without an answer, or when the signal aborts.
   */
  async take(id: string, arriving: Arriving, signal: AbortSignal): Promise<number> {
    const receiver = this.#open(id)
    const { status, delay_ms: delay, hang_up: hangsUp } = receiver.answer
    receiver.arrived += 1
    receiver.arrivals.push({
      at: preciseTimestamp(this.#clock.now()),
      ...arriving,
      status: hangsUp ? null : status,
    })
    if (receiver.arrivals.length > receiverLimits.arrivals) receiver.arrivals.shift()
    if (delay > 0) await this.#clock.wait(delay, signal)
    signal.throwIfAborted()
    if (hangsUp) throw new Error('The receiver hung up')
    return status
  }

  /** Sets how a receiver answers. Omitted members have their defaults. */
  answer(id: string, answer: Partial<ReceiverAnswer>): Readonly<Receiver> {
    const receiver = this.#open(id)
    receiver.answer = { ...usualAnswer, ...answer }
    return receiver
  }

  /** A receiver that does not exist yet looks like a new receiver. */
  get = (id: string): Readonly<Receiver> => this.#all.get(id) ?? newReceiver()

  list = (): readonly (readonly [id: string, receiver: Readonly<Receiver>])[] => [...this.#all]

  /** True if any receiver's answer differs from the usual answer. */
  get areSet(): boolean {
    return [...this.#all.values()].some(({ answer }) => !isDeepStrictEqual(answer, usualAnswer))
  }

  /** If there are too many receivers, forgets the oldest receiver. */
  #open(id: string): Receiver {
    const receiver = this.#all.get(id) ?? newReceiver()
    this.#all.set(id, receiver)
    const [oldest] = this.#all.keys()
    if (this.#all.size > receiverLimits.receivers && oldest !== undefined) this.#all.delete(oldest)
    return receiver
  }
}

const newReceiver = (): Receiver => ({ answer: usualAnswer, arrived: 0, arrivals: [] })

const { path } = controlEndpoints['control.receivers.get']

const receiverPath = new RegExp(`^(?:${worldPath}/[^/]+)?${path.replace('{id}', `(${receiverIdPattern})`)}$`)

/** Path of a receiver's URL below the URL of its world. */
export const pathOfReceiver = (id: string): string => path.replace('{id}', id)

/**
 * Id of the built-in receiver that a URL names; null for any other URL. The world in the URL is ignored: a fork has the
 * subscriptions of another world, but its deliveries stay in the fork.
 */
export function receiverAt(url: URL, own: OwnAddress): string | null {
  const [, id = null] = receiverPath.exec(url.pathname) ?? []
  return id !== null && url.protocol === new URL(own.url).protocol && own.isNamedBy(url) ? id : null
}
