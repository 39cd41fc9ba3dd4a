import { setTimeout as pause } from 'node:timers/promises'

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

  /** Resolves when a request may leave. */
  async released(): Promise<void> {
    for (let ms = this.left; ms > 0; ms = this.left) await pause(ms, undefined, { signal: this.#signal })
  }

  /** Milliseconds until requests may leave. */
  get left(): number {
    return Math.max(this.#until - performance.now(), 0)
  }
}
