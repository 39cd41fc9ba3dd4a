import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds by which the one that waits goes first: its answer may hold the others back again. */
const headStart = 100

/**
 * Holds new requests back while one waits to be sent again: a rate limit, or a service in trouble, concerns them all.
 */
export class RequestGate {
  readonly #signal: AbortSignal
  /** Milliseconds of a clock that nobody sets: one that is put back would hold everything up. */
  #until = 0

  /** `signal` ends the waiting. */
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

  /** Milliseconds until it is released. */
  get left(): number {
    return Math.max(this.#until - performance.now(), 0)
  }
}
