import { CliError, reasonOf } from '../errors/cli_error.ts'
import type { Intent, NewIntent, Principal } from '../journal/intent.ts'
import { grouped } from '../run/counts.ts'
import { signalsHandled } from '../run/processes.ts'
import { type Said, say } from '../words/text.ts'
import type { Accounts } from './accounts.ts'
import { RowOutcomes } from './batch_outcomes.ts'
import { type ResultRow, resultRow, showProgress, Tally, writeRows } from './batch_result.ts'
import { BatchRunner, type RunnerOptions } from './batch_runner.ts'
import { type Batch, batchesIn } from './batches.ts'
import { askToSend, type Sum } from './confirmation.ts'
import { type HolderNotes, linesOfNotes } from './holders.ts'
import type { PaymentOptions, PaymentSession } from './payment_session.ts'

// The steps of every batch, once its rows are selected: check, limits, agree, run.

/** Rows of a batch, and the steps that depend on their source: a file, or an earlier run. */
export interface BatchPlan {
  readonly batch: string
  /** Count of rows to report, sent or not. */
  readonly total: number
  /** Count of rows that an earlier run may have sent. */
  readonly inDoubt: number
  readonly accounts: Accounts
  /** Looks up payees. Throws UsageError that names wrong rows. Returns lines to show before the question. */
  check(): Promise<HolderNotes>
  /** Yields the rows that no request can have paid. */
  unsent(): Iterable<UnsentRow>
  /** Shows the rows, and returns the question. Throws if the rows must not be sent. */
  propose(): Promise<Proposal>
  /**
   * Records intents that are not in the journal yet; called when the output for the results is open. Resolves to false
   * if an interruption left intents out.
   */
  record(): Promise<boolean>
  /** Yields the recorded intents in the same order each time. */
  intents(): Iterable<Intent>
  /**
   * True if `propose` has proposed to send this intent in its present state. False if another process has since found
   * that the intent was not paid: nobody has agreed to send it.
   */
  isAgreed(intent: Intent): boolean
}

export type UnsentRow = Pick<Intent, 'line' | 'body' | 'idempotency_key'>

/** Payments to agree to. */
export interface Proposal {
  /** Undefined if there is nothing to agree to. */
  readonly question?: Said
  /** Note in place of the question if nobody is asked. */
  readonly announcement?: Said
  readonly sums: readonly Sum[]
  /** Expected fee of a payment in minor units; null if unknown. */
  readonly feeOf?: (intent: Intent) => number | null
}

/** Options for any run of a batch. */
export interface RunOptions extends PaymentOptions {
  /** True: asks the reporter before anything is sent. False: unclear cases are refused. */
  readonly confirm?: boolean
  /** Concurrent payments. */
  readonly concurrency: number
  readonly connect: RunnerOptions['connect']
  /** Milliseconds to wait for payments to end; undefined: don't wait. */
  readonly wait?: number | undefined
  /** Opens the output for the results of `rows` rows of a batch; called after agreement to send them. */
  readonly openResults: (rows: number, batch: string, of: Principal) => Promise<Results>
}

export interface Results<Row = ResultRow> {
  /** Writes the result of each row as soon as it is known. */
  write(rows: AsyncIterable<Row>): Promise<void>
  close(): Promise<void>
}

/** Result of a batch. */
export interface BatchReport {
  readonly batch: string
  /** The whole batch, with the rows of other runs; undefined if the journal can't be read. */
  readonly whole: Batch | undefined
  readonly tally: Tally
  /** True if the run was asked to stop and left rows unsent or payments in progress. */
  readonly interrupted: boolean
  /** Reason why rows were left out, except an interruption. */
  readonly failure: unknown
  /** Reason for the interruption, if the run did not reach all rows. */
  readonly stopReason: unknown
  /** Reason why the written results are incomplete, if they are; all rows were processed anyway. */
  readonly writeError: unknown
  /** True if the world of the service's answers changed during the run. */
  readonly hasMoved: boolean
  /** False if the journal lacks rows: resuming the batch would leave these rows out. */
  readonly isRecorded: boolean
}

/** Carries out a plan. Throws errors that prevent the start of the batch; later errors are part of the report. */
export async function carryOut(plan: BatchPlan, options: RunOptions, session: PaymentSession): Promise<BatchReport> {
  const notes = await plan.check()
  await requireWithinLimits(plan, session)
  const { question, announcement, sums, feeOf = () => null } = await plan.propose()
  if (question !== undefined) {
    for (const line of linesOfNotes(notes, session.reporter.translate))
      options.confirm ? session.reporter.fact(line) : session.reporter.remark(line)
    if (options.confirm) await askToSend(question, sums, session)
    else session.guard?.requireNoTyping(sums)
    if (!options.confirm && announcement !== undefined) session.reporter.remark(announcement)
  }
  return run(plan, { ...options, feeOf }, session)
}

/** Maximum number of lines in the message; the error's data contains all lines. */
const mostLines = 10

/**
 * Throws if limits would forbid a row, assuming that all rows are paid today. Each row is judged again when it is sent,
 * because other processes may have paid in the meantime.
 */
export async function requireWithinLimits(
  plan: Pick<BatchPlan, 'unsent'>,
  { guard, client, journal }: PaymentSession,
): Promise<void> {
  if (!guard) return
  const sources = new Set<string>()
  for (const { body } of plan.unsent()) sources.add(body.source_account_id)
  await guard.learn(sources, client)
  const refused = [...guard.refused(plan.unsent(), journal.counted)].map(({ row, error }) => ({
    line: row.line,
    error,
  }))
  const [first] = refused
  if (!first) return
  const lines = refused.slice(0, mostLines).map(({ line }) => line)
  const message =
    refused.length === 1
      ? say`1 row is not valid (line ${lines.join()}): ${reasonOf(first.error)}. Nothing was sent.`
      : say`${refused.length} rows are not valid (lines ${`${lines.join(', ')}${refused.length > mostLines ? ', ...' : ''}`}). Nothing was sent.`
  const error = new CliError('forbidden', message, first.error.next)
  const byLimit = Map.groupBy(refused, ({ error }) => String(error.sharedReason))
  const reason = ({ error }: (typeof refused)[number]) =>
    byLimit.get(String(error.sharedReason))?.length === 1 ? reasonOf(error) : error.sharedReason
  error.saidErrors = Object.fromEntries(refused.map((row) => [`line ${row.line}`, [reason(row)]]))
  throw error
}

interface SendingOptions extends RunOptions {
  readonly feeOf: (intent: Intent) => number | null
}

/** Sends the rows. The intents of the rows are on disk before the first request is sent. */
async function run(plan: BatchPlan, options: SendingOptions, session: PaymentSession): Promise<BatchReport> {
  const results = await options.openResults(plan.total, plan.batch, session.sender)
  try {
    const isRecorded = await plan.record()
    const report = await sendRows(plan, results, options, session)
    return { ...report, isRecorded, whole: wholeBatch(plan.batch, session) }
  } catch (error) {
    session.journal.releaseUnsent(plan.batch) // the run has not begun, for example because a login has ended
    throw error
  } finally {
    await results.close()
  }
}

function wholeBatch(batch: string, { journal, sender }: PaymentSession): Batch | undefined {
  try {
    return batchesIn(journal, { batch, of: sender })[0]
  } catch {
    return undefined // the run reports its own failure, which says more than this error
  }
}

/** Number of intents to record in one transaction. */
const slice = 500

/**
 * Records `total` intents in slices. Between slices, handles signals and shows progress. Resolves to false after an
 * interruption: some intents are then missing, and no row is sent.
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
      reporter.progress(say`Preparing ${grouped(recorded)} of ${grouped(total)}`)
      part = []
    }
    return true
  } finally {
    reporter.progress(null)
  }
}

async function sendRows(
  plan: BatchPlan,
  output: Results,
  { connect, concurrency, wait, feeOf }: SendingOptions,
  session: PaymentSession,
): Promise<Omit<BatchReport, 'isRecorded' | 'whole'>> {
  const { batch, total, accounts } = plan
  const runner = await BatchRunner.start({ session, connect, batch })
  const tally = new Tally(total)
  const endProgress = showProgress(tally, runner, session.reporter)
  const rows = new RowOutcomes(plan, runner, concurrency, wait)
  const results = async function* (): AsyncGenerator<ResultRow, void> {
    for await (const { intent, fee } of rows.each()) {
      const row = resultRow(intent, accounts)
      tally.add(row, fee, feeOf(intent))
      yield row
    }
  }
  const writeError = await writeRows(results(), (all) => output.write(all)).finally(() => {
    endProgress()
    return runner.close()
  })
  // Another process at work on the same rows may put more rows in doubt.
  const leftInDoubt = tally.leaveInDoubt(Math.max(0, plan.inDoubt - runner.doubtsMet))
  const open = tally.unsent + leftInDoubt + (wait === undefined ? 0 : tally.of('in_progress'))
  const interrupted = session.signal?.aborted === true && open > 0
  const failure = runner.failure ?? (tally.unsent > 0 && !interrupted ? runner.whyUnsent : undefined)
  const stopReason = tally.unsent + leftInDoubt > 0 ? session.signal?.reason : undefined
  return { batch, tally, interrupted, failure, stopReason, writeError, hasMoved: session.sender.hasMoved }
}
