import type { Client } from '../client/client.ts'
import { RequestGate } from '../client/request_gate.ts'
import { sleep } from '../client/retry.ts'
import type { Context } from '../commands/context.ts'
import { repeatFlags } from '../commands/payments/repeat_flags.ts'
import type { InitiatedPayment, Payment } from '../contract/index.ts'
import { type Intent, mayHavePaid } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { givenUp, isInDoubt, journalFault, prospectAfter, rateLimitOf } from './batch/faults.ts'
import { type Desk, transmit } from './payment_session.ts'
import { movedAway, type Sender } from './sender.ts'
import { Suspects } from './unresolved_intents.ts'

/** How long an interrupted batch waits for the answers to what has left, in milliseconds. */
const grace = 5_000

/** Rows in a row of which the service did not tell what became: the next would fare no better. */
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
  readonly sender: Sender
  /** The command that finishes the batch. */
  readonly resume: string
  /** Why rows were left out, unless it was an interruption. */
  failure: unknown
  readonly #stop: AbortController
  readonly #brake: RequestGate
  readonly #desk: Desk
  readonly suspects = new Suspects()
  /** Why a row was not sent although the batch went on: the service could not be reached. */
  silence: unknown
  /** Rows in doubt from before that this run came to. */
  doubtsMet = 0
  #unanswered = 0
  #underWay = 0

  private constructor({ client, journal, context, sender, batch, stop, brake }: Parts) {
    this.client = client
    this.journal = journal
    this.context = context
    this.sender = sender
    this.resume = `payctl payments resume --batch ${batch}${repeatFlags(context.globals)}`
    this.#stop = stop
    this.#brake = brake
    this.#desk = {
      journal,
      client,
      context,
      sender,
      note: () => {},
      suspect: (intent, refusal) => this.suspects.add(intent, refusal),
      onJournalFault: (error) => this.fail(journalFault(error)),
    }
  }

  static async assemble({ batch, journal, context, sender }: Assembly): Promise<Crew> {
    const [stop, end] = [new AbortController(), new AbortController()]
    const brake = new RequestGate(stop.signal)
    await context.client('payment') // says so when there is no token
    const client = await context.clientUntil(end.signal, {
      onRetry: ({ delay }) => brake.hold(delay),
      delay: (ms, signal) => sleep(ms, AbortSignal.any([signal, stop.signal])),
    })
    journal.relax()
    const crew = new Crew({ client, journal, context, sender, batch, stop, brake })
    const onAbort = () => crew.#interrupt(end)
    context.signal.addEventListener('abort', onAbort, { once: true })
    if (context.signal.aborted) onAbort()
    return crew
  }

  /** Tells at once how to go on: a second Ctrl-C ends the process without another word. */
  #interrupt(end: AbortController): void {
    const { reason } = this.context.signal
    this.#stop.abort(reason)
    setTimeout(() => end.abort(reason), grace).unref()
    if (this.#underWay === 0) return
    const rows = this.#underWay === 1 ? 'row that has' : 'rows that have'
    this.context.output.note(
      `Interrupted: waiting up to ${grace / 1000} s for the answer to ${this.#underWay} ${rows} left. To go on afterwards: ${this.resume}`,
    )
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** Sends an intent unless it is known to be paid, and returns what is known of it then. Throws only for a bug. */
  async send(intent: Intent): Promise<Intent> {
    if (isDoubtful(intent)) this.doubtsMet += 1
    for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
      const now = this.reread(intent)
      if (now.status === 'settled') return now
      if (!(await this.ready())) return this.#leave(now)
      try {
        const payment = await this.#transmit(unmarked(now, intent))
        this.#unanswered = 0
        return this.#paid(now, payment)
      } catch (error) {
        const limit = rateLimitOf(error)
        if (!limit) {
          this.#heed(now, error)
          return this.#failed(now, error)
        }
        this.#brake.hold(Math.max(limit.retryAfter ?? 0, wait))
      }
    }
  }

  /** Runs work on the journal; when it can't be done the batch stops. */
  orFail<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.fail(error)
      return undefined
    }
  }

  async clearSuspects(): Promise<void> {
    if (this.suspects.none || !(await this.ready())) return
    await this.suspects.clear(this.#desk).catch((error) => this.fail(error))
  }

  #leave(intent: Intent): Intent {
    this.orFail(() => this.journal.retract([intent.id]))
    return this.reread(intent)
  }

  /** Milliseconds until the service may be asked again. */
  get waiting(): number {
    return this.#brake.left
  }

  /** Whether the next request may leave; false once the batch has stopped. */
  async ready(): Promise<boolean> {
    if (!this.stopped) await this.#brake.released().catch(() => {})
    if (this.sender.hasMoved) this.fail(movedAway())
    return !this.stopped
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  fail(error: unknown): void {
    this.failure ??= error
    this.#stop.abort(error)
  }

  #heed(intent: Intent, error: unknown): void {
    if (this.stopped) return
    const prospect = this.suspects.has(intent) ? 'next' : prospectAfter(error)
    if (prospect === 'stop') this.fail(error)
    this.#unanswered = prospect === 'no answer' ? this.#unanswered + 1 : 0
    if (prospect === 'no answer') this.silence = error
    if (this.#unanswered >= patience) this.fail(givenUp(patience, error))
  }

  /**
   * What is known of it now, in its place in the file at hand: a row that was sent before may have come from another. As
   * it was when the journal can't be read any more.
   */
  reread(intent: Intent): Intent {
    const now = this.orFail(() => this.journal.find(intent.id)) ?? intent
    return { ...now, line: intent.line, reference: intent.reference }
  }

  /** What the journal has of it, unless it broke meanwhile. */
  #paid(before: Intent, { id }: { readonly id: string }): Intent {
    const now = this.reread(before)
    if (now.status === 'settled') return now
    return { ...now, status: 'settled', payment_id: id, payment_status: 'pending', error: null }
  }

  #failed(before: Intent, error: unknown): Intent {
    const now = this.reread(before)
    return isInDoubt(error) && !mayHavePaid(now.status) ? { ...now, status: 'unknown' } : now
  }

  async #transmit(intent: Intent): Promise<InitiatedPayment | Payment> {
    this.#underWay += 1
    return await transmit(intent, this.#desk).finally(() => {
      this.#underWay -= 1
    })
  }
}

const isDoubtful = ({ status }: Intent): boolean => status !== 'settled' && mayHavePaid(status)

/** With the status it had before this run marked it as sent, which says whether an earlier one may have paid. */
const unmarked = (now: Intent, before: Intent): Intent =>
  now.status === 'sent' ? { ...now, status: before.status } : now

interface Assembly {
  /** Its name. */
  readonly batch: string
  readonly journal: Journal
  readonly context: Context
  readonly sender: Sender
}

interface Parts extends Assembly {
  readonly client: Client
  readonly stop: AbortController
  readonly brake: RequestGate
}
