import { reasonOf } from '../errors/cli_error.ts'
import { failureOf } from '../errors/failure.ts'
import type { Intent, NewIntent } from '../journal/intent.ts'
import { monotonicClock } from '../real_time.ts'
import { grouped } from '../run/counts.ts'
import { signalsHandled } from '../run/processes.ts'
import type { Accounts } from './accounts.ts'
import { type ResultRow, resultRow, showProgress, Tally, writeRows } from './batch_result.ts'
import { BatchRunner, inParallel, type RunnerOptions } from './batch_runner.ts'
import { isOpen, update, updateStatuses } from './current_statuses.ts'
import type { PaymentOptions, PaymentSession } from './payment_session.ts'
import { type Numbered, type Outcome, ReportedRows } from './reported_rows.ts'

/** Options of any batch run, whatever the source of its rows. */
export interface RunOptions extends PaymentOptions {
  /** Concurrent payments. */
  readonly concurrency: number
  readonly connect: RunnerOptions['connect']
  /** Opens the output for the results of `rows` rows; called after agreement to send them. */
  readonly openResults: (rows: number) => Promise<Results>
}

export interface Results {
  /** Takes the result of each row as soon as it is known. */
  write(rows: AsyncIterable<ResultRow>): Promise<void>
  close(): Promise<void>
}

interface BatchRun {
  /** The batch's name. */
  readonly batch: string
  /** Records the missing intents, once results can be written. Resolves to false if an interruption left some out. */
  readonly prepare?: () => Promise<boolean>
  /** Yields the recorded intents in the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  /** Rows that were in doubt before this run. */
  readonly doubts: number
  readonly accounts: Accounts
  /** Expected fee of a payment in minor units; null if unknown. */
  readonly feeOf?: (intent: Intent) => number | null
  /** Milliseconds to wait for payments to end; undefined: don't wait. */
  readonly wait: number | undefined
}

/** Result of a batch. */
export interface BatchReport {
  readonly batch: string
  readonly tally: Tally
  /** True if the run was asked to stop and left rows unsent or payments in progress. */
  readonly interrupted: boolean
  /** Reason why rows were left out, except an interruption. */
  readonly failure: unknown
  /** Reason of the interruption, if the run did not reach all rows. */
  readonly stopReason: unknown
  /** Reason why the results are incomplete, if so; all rows were processed. */
  readonly writeError: unknown
  /** True if answers came from another world than at the start. */
  readonly hasMoved: boolean
  /** False if the journal lacks rows, so that resuming the batch would leave them out. */
  readonly isRecorded: boolean
}

/** Pays rows. Their intents are on disk before the first request is sent. */
export async function runBatch(run: BatchRun, options: RunOptions, session: PaymentSession): Promise<BatchReport> {
  const results = await options.openResults(run.total)
  try {
    const isRecorded = (await run.prepare?.()) ?? true
    const report = await payRows(run, { ...options, write: (rows) => results.write(rows) }, session)
    return { ...report, isRecorded }
  } catch (error) {
    session.journal.releaseUnsent(run.batch) // not begun, for example because a login has ended
    throw error
  } finally {
    await results.close()
  }
}

/** Number of intents to record in one transaction. */
const slice = 500

/**
 * Records intents in slices, between which signals are handled and progress is shown. Resolves to false after an
 * interruption, which leaves intents out: then no row is sent.
 */
export async function recordInSlices(
  orders: Iterable<NewIntent>,
  total: number,
  { journal, reporter, signal }: PaymentSession,
): Promise<boolean> {
  let part: NewIntent[] = []
  let recorded = 0
  try {
    for (const order of orders) {
      part.push(order)
      if (part.length < slice && recorded + part.length < total) continue
      await signalsHandled()
      if (signal?.aborted) return false
      journal.prepareAll(part)
      recorded += part.length
      reporter.progress(`Preparing ${grouped(recorded)} of ${grouped(total)}`)
      part = []
    }
    return true
  } finally {
    reporter.progress(null)
  }
}

type Paying = Pick<RunOptions, 'connect' | 'concurrency'> & Pick<Results, 'write'>

async function payRows(
  run: BatchRun,
  options: Paying,
  session: PaymentSession,
): Promise<Omit<BatchReport, 'isRecorded'>> {
  const { batch, total, accounts, wait, feeOf = () => null } = run
  const { connect, concurrency, write } = options
  const runner = await BatchRunner.start({ session, connect, batch })
  const tally = new Tally(total)
  const endProgress = showProgress(tally, runner, session.reporter)
  const results = async function* (): AsyncGenerator<ResultRow, void> {
    for await (const outcome of outcomes(runner, { intents: run.intents, total, concurrency, wait })) {
      const row = resultRow(outcome, accounts)
      tally.add({ ...row, fee: outcome.fee ?? feeOf(outcome), isFeeKnown: typeof outcome.fee === 'number' })
      yield row
    }
  }
  const writeError = await writeRows(results(), write).finally(() => {
    endProgress()
    return runner.close()
  })
  // Another process at work on the same rows may put more of them in doubt.
  const leftInDoubt = tally.leaveInDoubt(Math.max(0, run.doubts - runner.doubtsMet))
  const open = tally.unsent + leftInDoubt + (wait === undefined ? 0 : tally.of('in_progress'))
  const interrupted = session.signal?.aborted === true && open > 0
  const failure = runner.failure ?? (tally.unsent > 0 && !interrupted ? runner.lastNetworkError : undefined)
  const stopReason = tally.unsent + leftInDoubt > 0 ? session.signal?.reason : undefined
  return { batch, tally, interrupted, failure, stopReason, writeError, hasMoved: session.sender.hasMoved }
}

/**
 * Number of intents to mark as sent in one write to disk. A killed run leaves at most this many more in doubt.
 */
const groupSize = 64

/** Milliseconds between polls of all payments: short at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 5_000

/** Rows of a batch and options to process them. */
interface Work {
  /** Yields the intents in the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  readonly concurrency: number
  /** Milliseconds to wait for payments to end; undefined: don't wait. */
  readonly wait: number | undefined
}

/** Sends unsent rows and yields each intent once, as soon as its outcome is known. */
async function* outcomes(runner: BatchRunner, work: Work): AsyncGenerator<Outcome, void> {
  const { total, concurrency, wait } = work
  const reported = new ReportedRows(total, wait !== undefined)
  const unresolved: Numbered[] = []
  const earlier = new EarlierPayments(total)

  const send = async (row: Numbered) => ({ ...row, intent: await runner.send(row.intent), before: row.intent })
  for await (const { before, ...row } of inParallel(markedRows(work.intents(), runner), concurrency, send)) {
    if (runner.unresolved.has(row.intent)) unresolved.push(row)
    else if (isOpen(before)) earlier.add(row)
    else if (reported.add(row)) yield row.intent
  }
  runner.orFail(() => runner.journal.retract())

  await runner.resolve()
  for (const { intent, number } of unresolved) {
    const row = { intent: runner.reread(intent), number }
    if (reported.add(row)) yield row.intent
  }
  await earlier.update(runner, work.intents)
  for (const row of earlier.rows(runner, work.intents)) if (reported.add(row)) yield row.intent
  if (wait !== undefined) yield* ends(runner, { ...work, reported, deadline: monotonicClock() + wait })
  else if (runner.stopped) yield* paidBefore(runner, { ...work, reported })
}

/** Rows whose payment an earlier run made and that had not ended at its last known status. */
class EarlierPayments {
  #count = 0
  #since: string | undefined
  /** A flag for each row of the batch. */
  readonly #flags: Uint8Array

  constructor(total: number) {
    this.#flags = new Uint8Array(total)
  }

  add({ intent, number }: Numbered): void {
    this.#count += 1
    this.#flags[number] = 1
    if (this.#since === undefined || intent.created_at < this.#since) this.#since = intent.created_at
  }

  /** Reads today's statuses. If that fails, rows keep their last known status. */
  async update(runner: BatchRunner, intents: Work['intents']): Promise<void> {
    if (this.#since === undefined || runner.stopped) return
    const open = { count: this.#count, since: this.#since, intents: () => this.#intents(runner, intents) }
    runner.activity = "reads today's statuses"
    try {
      await updateStatuses(open, { ...runner.reading, ready: () => runner.ready() })
    } catch (error) {
      const rows = this.#count === 1 ? '1 row' : `${this.#count} rows`
      runner.remark(
        `The statuses of ${rows} sent before may be out of date, as they can't be read now: ${reasonOf(error)}.`,
      )
    } finally {
      runner.activity = undefined
    }
  }

  *rows(runner: BatchRunner, intents: Work['intents']): Generator<Numbered, void> {
    if (this.#count === 0) return
    for (const row of numbered(intents(), runner)) if (this.#flags[row.number] === 1) yield row
  }

  *#intents(runner: BatchRunner, intents: Work['intents']): Generator<Intent, void> {
    for (const { intent } of this.rows(runner, intents)) yield intent
  }
}

interface Reporting extends Work {
  readonly reported: ReportedRows
}

/** Rows that an earlier run has paid and that this stopped run did not reach. */
function* paidBefore(runner: BatchRunner, { intents, reported }: Reporting): Generator<Outcome, void> {
  for (const row of numbered(intents(), runner)) {
    if (!reported.has(row) && row.intent.status === 'settled') yield row.intent
  }
}

interface Waiting extends Reporting {
  /** Milliseconds of the monotonic clock. */
  readonly deadline: number
}

/** Polls payments in progress until they have ended or the time is up; then yields those that are left. */
async function* ends(runner: BatchRunner, waiting: Waiting): AsyncGenerator<Outcome, void> {
  const { concurrency, reported, deadline } = waiting
  const pendingRows = function* (): Generator<Numbered, void> {
    for (const row of numbered(waiting.intents(), runner)) {
      if (reported.awaits(row) || (!reported.has(row) && row.intent.status === 'settled')) yield row
    }
  }
  const look = async ({ intent, number }: Numbered) => ({
    intent: monotonicClock() + runner.waiting < deadline ? await lookAt(intent, runner) : intent,
    number,
  })
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let open = 0
    for await (const row of inParallel(pendingRows(), concurrency, look)) {
      if (hasOutcome(row.intent) && reported.add(row)) yield row.intent
      else open += 1
    }
    if (open === 0) return
    if (runner.stopped || monotonicClock() >= deadline) break
    await runner.pause(Math.min(pause, deadline - monotonicClock()))
  }
  for (const { intent } of pendingRows()) yield intent
}

/** False if another process has begun to repeat a failed payment. */
const hasOutcome = ({ status }: Intent): boolean => status === 'settled' || status === 'rejected'

/** Reads the intent's current status; falls back to the known one if the service does not answer. */
async function lookAt(intent: Intent, runner: BatchRunner): Promise<Outcome> {
  const known = runner.reread(intent)
  if (!isOpen(known) || known.payment_id === null || !(await runner.ready())) return known
  try {
    const payment = await runner.client.call('payments.get', { params: { id: known.payment_id } })
    const { status, error_message: error, fee } = payment
    if (!status || !update(known, payment, runner.reading)) return known
    return { ...known, payment_status: status, error: error ?? null, fee: fee?.value }
  } catch (error) {
    const { exit } = failureOf(error, false)
    if (exit === 'unauthenticated' || exit === 'forbidden') runner.fail(error)
    runner.heed(error)
    return known
  }
}

/** Ends early, and stops the runner, if the intents can't be read any more. */
function* numbered(intents: Iterable<Intent>, runner: BatchRunner): Generator<Numbered, void> {
  const source = intents[Symbol.iterator]()
  for (let number = 0; ; number += 1) {
    const read = runner.orFail(() => source.next())
    if (!read || read.done) return
    yield { intent: read.value, number }
  }
}

/** Marks rows as sent and yields them, until the runner stops. Marked rows that are left then must be retracted. */
function* markedRows(intents: Iterable<Intent>, runner: BatchRunner): Generator<Numbered, void> {
  const rows = numbered(intents, runner)
  for (;;) {
    const group: Numbered[] = []
    while (group.length < groupSize && !runner.stopped) {
      const { done, value } = rows.next()
      if (done) break
      group.push(value)
    }
    if (runner.stopped || group.length === 0) return
    const open = group.filter(({ intent }) => intent.status !== 'settled').map(({ intent }) => intent.id)
    runner.orFail(() => runner.journal.markSentInGroup(open))
    for (const row of group) {
      if (runner.stopped) return
      yield row
    }
  }
}
