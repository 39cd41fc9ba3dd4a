import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from './context.ts'

/** Milliseconds by which the one that waits goes first: its answer may hold the others back again. */
const headStart = 100

/**
 * Holds new requests back while one waits to be sent again: a rate limit, or a service in trouble, concerns them all.
 */
export class Brake {
  readonly #signal: AbortSignal
  /** Milliseconds since the epoch. */
  #until = 0

  constructor({ signal, onRetry }: Pick<Context, 'signal' | 'onRetry'>) {
    this.#signal = signal
    onRetry((delay) => this.hold(delay))
  }

  hold(ms: number): void {
    this.#until = Math.max(this.#until, Date.now() + ms + headStart)
  }

  /** Resolves when a request may leave. */
  async released(): Promise<void> {
    for (let ms = this.left; ms > 0; ms = this.left) await pause(ms, undefined, { signal: this.#signal })
  }

  /** Milliseconds until it is released. */
  get left(): number {
    return Math.max(this.#until - Date.now(), 0)
  }
}
