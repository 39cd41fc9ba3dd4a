import type { Client, ClientOptions } from '../client/client.ts'
import type { InitiatedPayment, Named } from '../client/received.ts'
import { RequestGate } from '../client/retry.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import { failureOf } from '../errors/failure.ts'
import { ApiError, rateLimitOf } from '../errors/service_errors.ts'
import { journalReason } from '../journal/database.ts'
import { type Intent, isInDoubt, mayHavePaid } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { pause, setTimeout } from '../real_time.ts'
import { signalsHandled } from '../run/processes.ts'
import type { Reporter } from '../run/reporter.ts'
import { type Said, say, type Text } from '../words/text.ts'
import { type Doubt, KeyTooOld, OldKey, Overtaken, resolveDoubts } from './doubts.ts'
import type { PaymentOutcome } from './payment_outcome.ts'
import type { PaymentSession } from './payment_session.ts'
import { NeedlessRepetition } from './repetitions.ts'
import { MovedAway } from './sender.ts'

/** Milliseconds that an interrupted batch waits for answers to requests that were sent. */
const grace = 5_000

/** Number of consecutive rows without a clear answer after which no more rows are sent. */
const maxUnansweredRows = 10

/** First and longest wait in milliseconds after a rate limit without a stated duration. */
const firstWait = 1_000
const longestWait = 60_000

/** A row of a batch with its intent. */
export interface RecordedRow {
  /** Number of the row in the batch, from 0. */
  readonly number: number
  /** Intent with its last known state. The intent's line, reference and columns are those of this run's file. */
  readonly intent: Intent
  /** Fee of the row's payment in minor units, if the service has returned it. */
  readonly fee?: number | null | undefined
}

export interface RunnerOptions {
  readonly session: PaymentSession
  /** Creates a client for the batch alone. */
  readonly connect: (
    options: {
      readonly [Name in 'signal' | 'onRetry' | 'delay']: NonNullable<ClientOptions[Name]>
    },
  ) => Promise<Client>
  /** The batch's name. */
  readonly batch: string
}

/**
 * State shared by all rows of a batch: the client, delays that the service asks for, and the decision to stop. After a
 * stop nothing new is sent; answers to sent requests are awaited.
 */
export class BatchRunner {
  readonly journal: Journal
  /** Intents in doubt, by id, to look up together at the end of the run. */
  readonly unresolved = new Map<string, Doubt>()
  /** Reason why rows were left out, except an interruption. */
  failure: unknown
  /** Last reason why a row was not sent although the batch was not stopped: no clear answer, or another process. */
  whyUnsent: unknown
  /** Description, for people, of work other than sending rows; undefined while there is none. */
  activity: Text | undefined
  /** Number of rows whose payment the service has accepted in this run. */
  accepted = 0
  /** Number of rows that were in doubt before this run, and that this run has reached. */
  doubtsMet = 0
  readonly #session: PaymentSession
  readonly #batch: string
  readonly #remark: Reporter['remark']
  readonly #stop: AbortController
  readonly #gate: RequestGate
  #unanswered = 0
  #inFlight = 0

  private constructor(
    session: PaymentSession,
    client: Client,
    batch: string,
    stop: AbortController,
    gate: RequestGate,
  ) {
    this.#batch = batch
    this.journal = session.journal
    this.#stop = stop
    this.#gate = gate
    this.#remark = session.reporter.remark
    this.#session = session.with({
      client,
      reporter: { ...session.reporter, remark() {} },
      onUnresolved: (doubt) => this.unresolved.set(doubt.intent.id, doubt),
      onJournalFault: (error) =>
        this.fail(new CliError('usage', say`The payment journal could not be updated: ${journalReason(error)}.`)),
    })
  }

  static async start({ session, connect, batch }: RunnerOptions): Promise<BatchRunner> {
    const [stop, end] = [new AbortController(), new AbortController()]
    const gate = new RequestGate(stop.signal)
    const client = await connect({
      signal: end.signal,
      onRetry: ({ delay }) => gate.hold(delay),
      delay: (ms, signal) => pause(ms, AbortSignal.any([signal, stop.signal])),
    })
    session.sender.listenTo(client)
    session.watch(client)
    session.journal.relax()
    const runner = new BatchRunner(session, client, batch, stop, gate)
    // Handles signals that came while rows were prepared: after an interruption nothing is sent.
    await signalsHandled()
    const { signal, reporter } = session
    const interrupt = () => {
      stop.abort(signal?.reason)
      setTimeout(() => end.abort(signal?.reason), grace).unref()
      const left = runner.#inFlight
      if (left === 0) return
      // Shows the note now, because a second Ctrl-C ends the process at once.
      const waiting =
        left === 1
          ? say`Interrupted: waiting at most ${grace / 1000} s for the answer to 1 row that was sent.`
          : say`Interrupted: waiting at most ${grace / 1000} s for the answer to ${left} rows that were sent.`
      reporter.remark(waiting, { kind: 'resume_batch', batch })
    }
    signal?.addEventListener('abort', interrupt, { once: true })
    if (signal?.aborted) interrupt()
    return runner
  }

  get client(): Client {
    return this.#session.client
  }

  /** Access to read payment statuses and record them. */
  get reading(): Pick<PaymentSession, 'client' | 'journal' | 'sender' | 'reporter'> {
    return this.#session
  }

  /** Shows a note about the batch as a whole. */
  remark(text: Said): void {
    this.#remark(text)
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** Milliseconds until the service may be called again. */
  get waiting(): number {
    return this.#gate.left
  }

  /** Waits until the service may be called. False if the batch has stopped: no request may then be sent. */
  async ready(): Promise<boolean> {
    if (!this.stopped) await this.#gate.released().catch(() => {})
    if (this.#session.sender.hasMoved) this.fail(new MovedAway())
    return !this.stopped
  }

  /** Delays further requests if the error comes from a rate limit. */
  heed(error: unknown): void {
    this.#gate.heed(error)
  }

  /** Waits; ends early when the batch stops. */
  pause = (ms: number): Promise<void> => pause(ms, this.#stop.signal).catch(() => {})

  fail(error: unknown): void {
    this.failure ??= error
    this.#stop.abort(error)
  }

  /** Runs work on the journal; stops the batch if it throws. */
  orFail<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.fail(error)
      return undefined
    }
  }

  /** Sends a row unless the journal already has its payment; returns the row's new state. */
  async send(row: RecordedRow): Promise<RecordedRow> {
    if (isInDoubt(row.intent)) this.doubtsMet += 1
    for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
      const now = this.reread(row)
      if (now.intent.status === 'settled') return now
      if (!(await this.ready())) return this.#leaveOut(now)
      // The status before this run marked the row as sent shows whether an earlier run may have paid. A refusal that
      // another process has found since is not what this run has decided to send.
      const status = ['sent', 'rejected'].includes(now.intent.status) ? row.intent.status : now.intent.status
      const result = await this.#transmit({ ...now.intent, status })
      if (result.outcome === 'accepted') {
        this.#unanswered = 0
        this.accepted += 1
        return this.#paid(now, result.payment)
      }
      const limit = rateLimitOf(result.error)
      if (!limit) {
        this.#judge(now.intent, result)
        return this.#failed(now, result)
      }
      this.#gate.hold(Math.max(limit.retryAfter ?? 0, wait))
    }
  }

  async #transmit(intent: Intent): Promise<PaymentOutcome> {
    this.#inFlight += 1
    try {
      return await this.#session.send(intent)
    } catch (error) {
      return { outcome: 'not_sent', intentId: intent.id, error } // a bug; the journal knows whether a request was sent
    } finally {
      this.#inFlight -= 1
    }
  }

  #leaveOut(row: RecordedRow): RecordedRow {
    this.orFail(() => this.journal.retract([row.intent.id]))
    return this.reread(row)
  }

  /** Decides whether the batch continues after this failure. */
  #judge(intent: Intent, { outcome, error }: Exclude<PaymentOutcome, { outcome: 'accepted' }>): void {
    if (this.stopped) return
    const prospect = this.unresolved.has(intent.id) ? 'next' : prospectAfter(error)
    if (prospect === 'stop') this.fail(error)
    this.#unanswered = prospect === 'no answer' ? this.#unanswered + 1 : 0
    if (prospect === 'no answer' || outcome === 'not_sent') this.whyUnsent = error
    if (this.#unanswered >= maxUnansweredRows) this.fail(givenUp(error))
  }

  /** The row as the journal has it; if the journal has failed, as the answer shows it. */
  #paid(row: RecordedRow, { id }: Named<InitiatedPayment>): RecordedRow {
    const now = this.reread(row)
    if (now.intent.status === 'settled') return now
    const settled = { status: 'settled', payment_id: id, payment_status: 'pending', error: null } as const
    return { ...now, intent: { ...now.intent, ...settled } }
  }

  #failed(row: RecordedRow, { outcome }: PaymentOutcome): RecordedRow {
    const now = this.reread(row)
    const isUnrecorded = outcome === 'unknown' && !mayHavePaid(now.intent.status)
    return isUnrecorded ? { ...now, intent: { ...now.intent, status: 'unknown' } } : now
  }

  /**
   * Reads the present state of the row's intent. The line, reference and columns stay those of this run's file, because
   * a row that was sent before may come from another file. Returns the row unchanged if the journal can't be read.
   */
  reread(row: RecordedRow): RecordedRow {
    const { id, line, reference, columns } = row.intent
    const now = this.orFail(() => this.journal.find(id))
    return now ? { ...row, intent: { ...now, line, reference, columns } } : row
  }

  /** Looks up the unresolved intents in the history. */
  async resolve(): Promise<void> {
    if (this.unresolved.size === 0 || !(await this.ready())) return
    await resolveDoubts([...this.unresolved.values()], this.#session).catch((error) => this.fail(error))
  }

  async close(): Promise<void> {
    this.orFail(() => this.journal.releaseUnsent(this.#batch))
    this.orFail(() => this.journal.restore())
    await this.client.close()
  }
}

/**
 * Decides whether a batch continues after an error. A refusal concerns only its row; an invalid token, a missing
 * permission or a fault of this machine concerns all rows.
 */
function prospectAfter(error: unknown): 'next' | 'no answer' | 'stop' {
  const { exit } = failureOf(error, false)
  if ([Overtaken, KeyTooOld, NeedlessRepetition].some((kind) => error instanceof kind)) return 'next'
  if (error instanceof CliError && error.cause instanceof OldKey) return 'next'
  const answered = error instanceof ApiError || (error instanceof CliError && error.cause instanceof ApiError)
  if (answered && exit !== 'unauthenticated' && exit !== 'forbidden') return 'next'
  return exit === 'outcome_unknown' || exit === 'unavailable' ? 'no answer' : 'stop'
}

const givenUp = (error: unknown): CliError =>
  new CliError(
    'unavailable',
    say`The service gave no clear answer for ${maxUnansweredRows} consecutive rows, so no more were sent: ${reasonOf(error)}.`,
  )
