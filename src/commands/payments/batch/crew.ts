import type { Client } from '../../../client/client.ts'
import { ApiError } from '../../../client/errors.ts'
import { sleep } from '../../../client/retry.ts'
import type { Intent } from '../../../journal/intent.ts'
import type { Journal } from '../../../journal/journal.ts'
import { CliError } from '../../../output/cli_error.ts'
import { failureOf } from '../../../output/failure.ts'
import { Brake } from '../../brake.ts'
import type { Context } from '../../context.ts'
import { type Desk, transmit } from '../transmit.ts'
import { Suspects } from './suspects.ts'

/** How long an interrupted batch waits for the answers to what has left, in milliseconds. */
const grace = 5_000

/** Rows in a row that the service did not answer: the next would fare no better. */
const patience = 10

/** First and longest wait after a rate limit without word of how long it lasts, in milliseconds. */
const firstWait = 1_000
const longestWait = 60_000

/**
 * What all rows of a batch share: the way to the service, waiting when it asks for that, and the decision to stop.
 * Once stopped nothing new leaves; what has left is waited for.
 */
export class Crew {
  readonly client: Client
  readonly journal: Journal
  readonly context: Context
  /** Why rows were left out, unless it was an interruption. */
  failure: unknown
  readonly #stop: AbortController
  readonly #brake: Brake
  readonly #desk: Desk
  readonly suspects = new Suspects()
  #unanswered = 0

  private constructor({ client, journal, context, stop, brake }: Parts) {
    this.client = client
    this.journal = journal
    this.context = context
    this.#stop = stop
    this.#brake = brake
    this.#desk = {
      journal,
      client,
      context,
      note: () => {},
      suspect: (intent, refusal) => this.suspects.add(intent, refusal),
    }
  }

  static async assemble(journal: Journal, context: Context): Promise<Crew> {
    const [stop, end] = [new AbortController(), new AbortController()]
    const interrupt = () => {
      stop.abort(context.signal.reason)
      setTimeout(() => end.abort(context.signal.reason), grace).unref()
    }
    context.signal.addEventListener('abort', interrupt, { once: true })
    if (context.signal.aborted) interrupt()
    const brake = new Brake({ signal: stop.signal, onRetry: () => {} })
    await context.client() // says so when there is no token
    const client = await context.clientUntil(end.signal, {
      onRetry: ({ delay }) => brake.hold(delay),
      delay: (ms, signal) => sleep(ms, AbortSignal.any([signal, stop.signal])),
    })
    journal.relax()
    return new Crew({ client, journal, context, stop, brake })
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** Sends an intent unless it is known to be paid, and returns what is known of it then. Throws only for a bug. */
  async send(intent: Intent): Promise<Intent> {
    for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
      const now = this.reread(intent)
      if (now.status === 'settled') return now
      if (!(await this.ready())) return this.#leave(now)
      try {
        await transmit(now, this.#desk)
        this.#unanswered = 0
        return this.reread(now)
      } catch (error) {
        const limit = rateLimitOf(error)
        if (!limit) {
          this.#heed(error)
          return this.reread(now)
        }
        this.#brake.hold(limit.retryAfter ?? wait)
      }
    }
  }

  /** Runs work on the journal; when it can't be done the batch stops. */
  orFail(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }

  async clearSuspects(): Promise<void> {
    if (this.suspects.none || !(await this.ready())) return
    await this.suspects.clear(this.client, this.journal).catch((error) => this.fail(error))
  }

  #leave(intent: Intent): Intent {
    this.journal.retract([intent.id])
    return this.reread(intent)
  }

  /** Milliseconds until the service may be asked again. */
  get waiting(): number {
    return this.#brake.left
  }

  /** Whether the next request may leave; false once the batch has stopped. */
  async ready(): Promise<boolean> {
    if (!this.stopped) await this.#brake.released().catch(() => {})
    return !this.stopped
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  fail(error: unknown): void {
    this.failure ??= error
    this.#stop.abort(error)
  }

  #heed(error: unknown): void {
    if (this.stopped) return
    const { exit } = failureOf(error, false)
    const answered = error instanceof ApiError || (error instanceof CliError && error.cause instanceof ApiError)
    if (answered && exit !== 'unauthenticated' && exit !== 'forbidden') {
      this.#unanswered = 0
    } else if (exit === 'outcome_unknown' || exit === 'unavailable') {
      this.#unanswered += 1
      if (this.#unanswered >= patience) this.fail(givenUp(error))
    } else this.fail(error)
  }

  /** As it was when the journal can't be read any more. */
  reread(intent: Intent): Intent {
    try {
      return this.journal.find(intent.id) ?? intent
    } catch (error) {
      this.fail(error)
      return intent
    }
  }
}

interface Parts {
  readonly client: Client
  readonly journal: Journal
  readonly context: Context
  readonly stop: AbortController
  readonly brake: Brake
}

/** The refusal for asking too often that an error comes down to. */
function rateLimitOf(error: unknown): ApiError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApiError) return cause.status === 429 ? cause : undefined
  }
  return undefined
}

const givenUp = (error: unknown): CliError =>
  new CliError(
    'unavailable',
    `The service gave no answer for ${patience} rows in a row, so no more were sent: ${messageOf(error)}`,
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
