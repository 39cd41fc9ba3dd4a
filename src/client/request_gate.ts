import { setTimeout as pause } from 'node:timers/promises'
import { rateLimitOf } from '../errors/service_errors.ts'

/** Milliseconds between the repeated request and the others: its answer may hold them back again. */
const headStart = 100

/**
 * Holds new requests back while one waits to be repeated: a rate limit or an outage concerns all.
 */
export class RequestGate {
  readonly #signal: AbortSignal
  /** Milliseconds of the monotonic clock: the wall clock can be set back. */
  #until = 0

  /** `signal` ends the wait. */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  hold(ms: number): void {
    this.#until = Math.max(this.#until, performance.now() + ms + headStart)
  }

  /** Holds until the time that a rate limit named, if an error comes from one. */
  heed(error: unknown): void {
    const limit = rateLimitOf(error)
    if (limit) this.hold(limit.retryAfter ?? 0)
  }

  /** Resolves when a request may leave. */
  async released(): Promise<void> {
    for (let ms = this.left; ms > 0; ms = this.left) await pause(ms, undefined, { signal: this.#signal })
  }

  /** Milliseconds until requests may leave. */
  get left(): number {
    return Math.max(this.#until - performance.now(), 0)
  }
}
