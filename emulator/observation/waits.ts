import type { Clock } from '../clock.ts'
import { Refusal } from '../domain/refusal.ts'

/** State of the change that a caller waits for. */
export interface Sight<T> {
  readonly seen: T
  /** True if the awaited change has happened. */
  readonly done: boolean
  /** True if the awaited change can no longer happen. */
  readonly hopeless?: boolean
}

interface Waiter {
  /** Looks again. */
  readonly look: () => void
  readonly end: (refusal: Refusal) => void
}

/**
 * Requests that wait for a change in their world. They check for the change after each commit or answer, without a
 * timer.
 */
export class Waits {
  readonly #clock: Clock
  readonly #waiters = new Set<Waiter>()
  #ended: Refusal | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Resolves with the state once the change has happened or can't happen, after `ms` milliseconds of real time, or once
   * the client disconnects.
   */
  until<T>(see: () => Sight<T>, ms: number, gone?: AbortSignal): Promise<Sight<T>> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const time = this.#clock.timeout(ms)
      const leave = () => {
        time.clear()
        gone?.removeEventListener('abort', time.expire)
        this.#waiters.delete(waiter)
      }
      const look = (last: boolean) => {
        try {
          const sight = see()
          if (!last && !sight.done && !sight.hopeless) return
          leave()
          resolve(sight)
        } catch (error) {
          leave()
          reject(error)
        }
      }
      const waiter: Waiter = {
        look: () => look(false),
        end(refusal) {
          leave()
          reject(refusal)
        },
      }
      this.#waiters.add(waiter)
      time.signal.addEventListener('abort', () => look(true))
      gone?.addEventListener('abort', time.expire)
      look(gone?.aborted === true)
    })
  }

  /** Call after a possible change, outside a transaction. */
  readonly wake = (): void => {
    for (const { look } of this.#waiters) look()
  }

  /** Ends all waits with a refusal. */
  end(refusal = worldEnded('wait')): void {
    this.#ended = refusal
    for (const { end } of this.#waiters) end(refusal)
  }
}

/** Refuses a wait in an emulator that is about to stop: the client can send the request again to the next process. */
export const emulatorStops = (): Refusal =>
  new Refusal(503, { message: 'The emulator is about to stop. Try again', headers: { 'Retry-After': '1' } })

export const worldEnded = (during: string): Refusal =>
  new Refusal(410, { message: `The world ended during the ${during}: it was reset, restored, deleted or expired` })
