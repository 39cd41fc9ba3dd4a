import { rateLimitOf } from '../errors/service_errors.ts'
import { monotonicClock, pause } from '../real_time.ts'

/** Milliseconds between the repeated request and the others: its answer may delay them again. */
const headStart = 100

/** Delays new requests while one waits to be repeated: a rate limit or an outage concerns all. */
export class RequestGate {
  readonly #signal: AbortSignal
  readonly #clock: () => number
  /** Milliseconds of the monotonic clock: the wall clock can be set back. */
  #until = 0

  /** `signal` ends the wait. */
  constructor(signal: AbortSignal, clock = monotonicClock) {
    this.#signal = signal
    this.#clock = clock
  }

  hold(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock() + ms + headStart)
  }

  /** Delays requests if the error comes from a rate limit, until the time that it names. */
  heed(error: unknown): void {
    const limit = rateLimitOf(error)
    if (limit) this.hold(limit.retryAfter ?? 0)
  }

  /** Resolves when a request may be sent. */
  async released(): Promise<void> {
    for (let ms = this.left; ms > 0; ms = this.left) await pause(ms, this.#signal)
  }

  /** Milliseconds until requests may be sent. */
  get left(): number {
    return Math.max(this.#until - this.#clock(), 0)
  }
}
