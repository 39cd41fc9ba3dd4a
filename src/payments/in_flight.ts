import type { Attempt } from '../journal/attempts.ts'
import { type Intent, isInDoubt } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { KeyTooOld, type LookedUp, Overtaken } from './doubts.ts'

interface Request {
  readonly intent: Intent
  readonly attempt: Attempt
  /** Time of the first request of this run, in epoch milliseconds; undefined before that request. */
  since?: number
}

/** The payment requests that a session is sending, by idempotency key. */
export class InFlight {
  readonly #requests = new Map<string, Request>()
  readonly #looked: LookedUp

  constructor(looked: LookedUp) {
    this.#looked = looked
  }

  add(intent: Intent, attempt: Attempt): void {
    this.#requests.set(intent.idempotency_key, { intent, attempt })
  }

  delete({ idempotency_key: key }: Intent): void {
    this.#requests.delete(key)
  }

  /**
   * Call before each request. Throws if another process has settled the payment meanwhile, or if the request repeats a
   * key that the service may have forgotten meanwhile: the machine may have slept between two requests.
   */
  requireOpen(key: string, journal: Journal): void {
    const request = this.#requests.get(key)
    if (!request) return
    const { intent, attempt, since } = request
    if (isInDoubt(intent)) {
      if (this.#looked.prospectOf(intent) === 'old') throw new KeyTooOld()
    } else if (since === undefined) request.since = Date.now()
    else if (this.#looked.mayBeForgotten(since)) throw new KeyTooOld()
    if (!journal.isOpen(attempt)) throw new Overtaken()
  }
}
