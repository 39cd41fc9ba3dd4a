import { reasonOf } from '../errors/cli_error.ts'
import { failureOf } from '../errors/failure.ts'
import type { Intent } from '../journal/intent.ts'
import type { Accounts } from './accounts.ts'
import { type ResultRow, resultRow, showProgress, Tally, writeRows } from './batch_result.ts'
import { BatchRunner, inParallel, type RunnerOptions } from './batch_runner.ts'
import { isOpen, update, updateStatuses } from './current_statuses.ts'
import type { PaymentOptions, PaymentSession } from './payment_session.ts'
import { type Numbered, type Outcome, ReportedRows } from './reported_rows.ts'

/** How a batch is run, whatever its rows come from. */
export interface RunOptions extends PaymentOptions {
  /** Payments under way at a time. */
  readonly concurrency: number
  readonly connect: RunnerOptions['connect']
  /** Where the results of that many rows go, opened once it is agreed that they are sent. */
  readonly openResults: (rows: number) => Promise<Results>
}

export interface Results {
  /** Takes what became of each row, as soon as it is known. */
  write(rows: AsyncIterable<ResultRow>): Promise<void>
  close(): Promise<void>
}

interface BatchRun {
  /** The batch's name. */
  readonly batch: string
  /** Writes the intents down that are not there yet, once results can be written. */
  readonly prepare?: () => void
  /** In the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  /** Rows that were in doubt before this run. */
  readonly doubts: number
  readonly accounts: Accounts
  /** Minor units that the service is expected to take for a payment; null where that is not known. */
  readonly feeOf?: (intent: Intent) => number | null
  /** Milliseconds to wait for the ends of payments, or undefined for not at all. */
  readonly wait: number | undefined
}

/** How a batch ended. */
export interface BatchReport {
  readonly batch: string
  readonly tally: Tally
  /** Whether rows were left, or their payments on their way, because the run was asked to stop. */
  readonly interrupted: boolean
  /** Why rows were left out, unless it was interrupted. */
  readonly failure: unknown
  /** Why the run was asked to stop, if it did not come to all rows. */
  readonly stopReason: unknown
  /** Why the result could not be written to its end, if so; all rows were treated. */
  readonly writeError: unknown
  /** The answers came from another world than at the start. */
  readonly hasMoved: boolean
}

/** Pays rows, whose intents are on disk before the first one leaves. */
export async function runBatch(run: BatchRun, options: RunOptions, session: PaymentSession): Promise<BatchReport> {
  const results = await options.openResults(run.total)
  try {
    run.prepare?.()
    return await payRows(run, { ...options, write: (rows) => results.write(rows) }, session)
  } catch (error) {
    session.journal.releaseUnsent(run.batch) // it was not begun: a login has ended, say
    throw error
  } finally {
    await results.close()
  }
}

type Paying = Pick<RunOptions, 'connect' | 'concurrency'> & Pick<Results, 'write'>

async function payRows(run: BatchRun, options: Paying, session: PaymentSession): Promise<BatchReport> {
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
  // Another process at work on the same rows puts some in doubt that were not before.
  const leftInDoubt = tally.leaveInDoubt(Math.max(0, run.doubts - runner.doubtsMet))
  const open = tally.unsent + leftInDoubt + (wait === undefined ? 0 : tally.of('in_progress'))
  const interrupted = session.signal?.aborted === true && open > 0
  const failure = runner.failure ?? (tally.unsent > 0 && !interrupted ? runner.lastNetworkError : undefined)
  const stopReason = tally.unsent + leftInDoubt > 0 ? session.signal?.reason : undefined
  return { batch, tally, interrupted, failure, stopReason, writeError, hasMoved: session.sender.hasMoved }
}

/** Intents that are marked as sent in one write to disk. A run that is killed leaves no more of them in doubt. */
const groupSize = 64

/** Milliseconds between two looks at all payments: soon at first, as most payments take seconds. */
const firstPause = 250
const longestPause = 5_000

/** The rows of a batch, and how to work on them. */
interface Work {
  /** In the same order each time. */
  readonly intents: () => Iterable<Intent>
  readonly total: number
  readonly concurrency: number
  /** Milliseconds to wait for the ends of payments, or undefined for not at all. */
  readonly wait: number | undefined
}

/** Sends what is not sent yet and yields each intent once, as soon as it is known what became of it. */
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
  if (wait !== undefined) yield* ends(runner, { ...work, reported, deadline: Date.now() + wait })
  else if (runner.stopped) yield* paidBefore(runner, { ...work, reported })
}

/** Rows whose payment an earlier run made, and that had not ended when it was last heard of. */
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

  /** Reads today's statuses. Where that is not possible, the rows are told as they were known. */
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

/** Rows that a run which has stopped did not come to, and that an earlier one has paid. */
function* paidBefore(runner: BatchRunner, { intents, reported }: Reporting): Generator<Outcome, void> {
  for (const row of numbered(intents(), runner)) {
    if (!reported.has(row) && row.intent.status === 'settled') yield row.intent
  }
}

interface Waiting extends Reporting {
  /** In milliseconds since 1970. */
  readonly deadline: number
}

/** Looks at payments that are on their way until they have ended or the time is up; then yields those that are left. */
async function* ends(runner: BatchRunner, waiting: Waiting): AsyncGenerator<Outcome, void> {
  const { concurrency, reported, deadline } = waiting
  const pendingRows = function* (): Generator<Numbered, void> {
    for (const row of numbered(waiting.intents(), runner)) {
      if (reported.awaits(row) || (!reported.has(row) && row.intent.status === 'settled')) yield row
    }
  }
  const look = async ({ intent, number }: Numbered) => ({
    intent: Date.now() + runner.waiting < deadline ? await lookAt(intent, runner) : intent,
    number,
  })
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let open = 0
    for await (const row of inParallel(pendingRows(), concurrency, look)) {
      if (hasOutcome(row.intent) && reported.add(row)) yield row.intent
      else open += 1
    }
    if (open === 0) return
    if (runner.stopped || Date.now() >= deadline) break
    await runner.pause(Math.min(pause, deadline - Date.now()))
  }
  for (const { intent } of pendingRows()) yield intent
}

/** Not yet where another process has begun to repeat a payment that has failed. */
const hasOutcome = ({ status }: Intent): boolean => status === 'settled' || status === 'rejected'

/** As the service has it now; as it was known, when the service does not answer. */
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

/** Ends early, and stops the runner, when the intents can't be read any more. */
function* numbered(intents: Iterable<Intent>, runner: BatchRunner): Generator<Numbered, void> {
  const source = intents[Symbol.iterator]()
  for (let number = 0; ; number += 1) {
    const read = runner.orFail(() => source.next())
    if (!read || read.done) return
    yield { intent: read.value, number }
  }
}

/** Rows that are marked as sent, until the runner stops. Those that are left then must be retracted. */
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
