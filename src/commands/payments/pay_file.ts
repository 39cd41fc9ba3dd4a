import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { UsageError } from '../../errors/cli_error.ts'
import type { NextStep } from '../../errors/next_step.ts'
import { existingJournal } from '../../journal/journal.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { payBatch, type Results, rehearseBatch } from '../../payments/batch.ts'
import { type CheckedRows, withCheckedRows } from '../../payments/batch_checks.ts'
import { stageFile } from '../../payments/batch_file.ts'
import type { RunOptions } from '../../payments/batch_run.ts'
import type { Summary } from '../../payments/batch_summary.ts'
import { resumeBatch } from '../../payments/resume.ts'
import { retryBatch } from '../../payments/retry.ts'
import { defaultAccount } from '../chosen_account.ts'
import type { Context } from '../context.ts'
import { withHint } from '../next_step.ts'
import { reporterOf } from '../reporter.ts'
import { checkResultPath, isLookedAt, ResultFile, rowsOnStdout, WrongRows } from './batch_results.ts'
import { reportResult } from './report_result.ts'
import type { ResumeFlags } from './resume_intents.ts'
import { answererOf, namedSender, paymentOptions, requireAnswerer, senderOptions, withJournal } from './session.ts'

/** The flags of `payments batch`. */
export interface BatchFlags {
  readonly from?: string
  readonly batchId?: string
  readonly skipSent?: boolean
  readonly checkPayees?: boolean
  readonly concurrency: number
  /** Path of the result file. */
  readonly result?: string
  readonly wait?: boolean
  /** Milliseconds. */
  readonly waitTimeout: number
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** Faulty rows that are shown to people; data has all. */
const shownFaults = 50

export async function payFile(file: string, flags: BatchFlags, context: Context): Promise<void> {
  const { dryRun, result, checkPayees, concurrency } = flags
  if (!dryRun) requireAnswer(file, flags, context)
  if (result !== undefined) checkResultPath(result, file)
  keepHeapSmall()
  const client = await context.client(dryRun ? 'token' : 'payment')
  const from = flags.from ?? (await defaultAccount(context))
  const maxFaults = ['json', 'ndjson'].includes(context.output.format) ? undefined : shownFaults
  const { signal, globals } = context
  const explain = (problem: string, next: NextStep) => withHint(problem, next, globals)
  const payees = async () => (await import('../payees/saved.ts')).savedPayees(context)
  const staging = {
    ...{ client, checkPayees, concurrency, maxFaults },
    stage: stageFile.bind(undefined, { bytes: bytesOf(file, context), from, payees, maxFaults, explain, signal }),
  }
  const title = file === '-' ? 'stdin' : basename(file)
  const work = dryRun ? rehearse : pay
  await withCheckedRows(staging, (rows) => work({ ...rows, title }, flags, context))
}

/** Rows of a file, and its name. */
interface TitledRows extends CheckedRows {
  readonly title: string
}

function requireAnswer(file: string, { yes }: BatchFlags, { interactive }: Context): void {
  if (yes) return
  const hint = 'Add --yes to send without being asked, or --dry-run to see what would happen'
  if (file === '-') throw new UsageError('stdin holds the payments, so there is nobody to ask. Nothing was sent.', hint)
  if (!interactive)
    throw new UsageError('This sends money, and there is no terminal to ask on. Nothing was sent.', hint)
}

async function* bytesOf(file: string, { io, signal }: Context): AsyncGenerator<Uint8Array | string, void> {
  try {
    yield* addAbortSignal(signal, file === '-' ? (io.stdin as Readable) : createReadStream(file))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(`${file} can't be read: ${error.message}.`, 'Name a CSV file, or - for stdin')
  }
}

async function rehearse(
  { title, ...rows }: TitledRows,
  { batchId, skipSent }: BatchFlags,
  context: Context,
): Promise<void> {
  const journal = existingJournal(context.stateDir)
  try {
    const options = paymentOptions(await senderOptions(context), context)
    const summary = await rehearseBatch(rows, { ...options, journal, title, batchId, skipSent })
    await context.output.record(summary, summaryColumns)
  } finally {
    journal?.close()
  }
}

const summaryColumns: readonly Column<Summary>[] = [
  field('batch', ({ batch }) => batch),
  field('rows', ({ rows }) => rows),
  field('sent_before', ({ sent_before }) => sent_before),
  field('to_send', ({ to_send }) => to_send),
  field('in_doubt', ({ in_doubt }) => in_doubt),
  field('payees', ({ payees }) => payees),
  field('warnings', ({ warnings }) => warnings.length),
]

async function pay({ title, ...rows }: TitledRows, flags: BatchFlags, context: Context): Promise<void> {
  const { batchId, skipSent, concurrency, result, yes, wait } = flags
  const wrong = new WrongRows()
  const report = await withJournal(context, (options) =>
    payBatch(rows, {
      ...runOf(options, { concurrency }, context),
      ...{ title, batchId, skipSent, confirm: !yes, wait: wait ? flags.waitTimeout : undefined },
      openResults: () => openResults(result, wrong, context),
    }),
  )
  const correction = `Correct them and run the file again${batchId === undefined ? ' with --skip-sent' : ''}: what was sent is left out`
  reportResult(report, { awaited: wait === true, correction, wrong, result }, context)
}

/** To the file that was named; else to stdout, unless a person looks at it. */
async function openResults(file: string | undefined, wrong: WrongRows, context: Context): Promise<Results> {
  if (file === undefined) return isLookedAt(context) ? wrong.asResults() : rowsOnStdout(context)
  const results = await ResultFile.open(file)
  return { write: (rows) => results.write(wrong.noticed(rows)), close: () => results.close() }
}

interface Resumed extends ResumeFlags {
  readonly batch: string
  readonly concurrency: number
}

/** Finishes a batch. */
export async function resumeRows({ batch, concurrency, sentBy, yes }: Resumed, context: Context): Promise<void> {
  keepHeapSmall()
  const wrong = new WrongRows()
  const results = await openResults(undefined, wrong, context)
  const report = await withJournal(context, (options) =>
    resumeBatch({
      ...runOf(options, { concurrency }, context),
      ...{ batch, sentBy: namedSender(sentBy), confirm: !yes, requireAnswerer: answererOf(yes, context) },
      write: (rows) => results.write(rows),
    }),
  )
  if (!report) return context.output.note(`Batch ${batch} has no row that is open.`)
  reportResult(report, { awaited: false, correction: 'Correct them in the file and run it again', wrong }, context)
}

export interface RetryFlags extends Pick<BatchFlags, 'concurrency' | 'result' | 'wait' | 'waitTimeout' | 'yes'> {}

/** Sends rows of a batch again that paid nobody. */
export async function retryRows(batch: string, flags: RetryFlags, context: Context): Promise<void> {
  const { concurrency, result, wait, waitTimeout, yes } = flags
  if (result !== undefined) checkResultPath(result)
  keepHeapSmall()
  requireAnswerer(yes, context, 'Add --yes to send without being asked')
  const wrong = new WrongRows()
  let results: Results | undefined
  const report = await withJournal(context, async (options) =>
    retryBatch({
      ...runOf(options, { concurrency }, context),
      ...{ batch, confirm: !yes, wait: wait ? waitTimeout : undefined },
      async write(rows) {
        results = await openResults(result, wrong, context)
        await results.write(rows)
      },
    }),
  ).finally(() => results?.close())
  const correction = 'Correct them in the file and run it again'
  reportResult(report, { awaited: wait === true, correction, wrong, result }, context)
}

function runOf<Options extends Omit<RunOptions, 'concurrency' | 'connect' | 'write'>>(
  options: Options,
  { concurrency }: Pick<RunOptions, 'concurrency'>,
  context: Context,
) {
  const reporter = reporterOf(context)
  // Rows on the same terminal show the progress.
  const showsRows = context.io.stdout.isTTY === true && !isLookedAt(context)
  const connect: RunOptions['connect'] = ({ signal, ...manner }) => context.clientUntil(signal, manner)
  return { ...options, concurrency, connect, reporter: showsRows ? { ...reporter, progress() {} } : reporter }
}

/**
 * Makes V8 collect garbage instead of growing its heap: otherwise 100,000 rows take 1.7 times the memory of 1,000, nearly
 * all of it garbage.
 */
const keepHeapSmall = (): void => setFlagsFromString('--optimize-for-size')
