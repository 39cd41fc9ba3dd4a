import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import type { Context } from '../../cli/command.ts'
import { requireColumnsOfBatch } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { reasonOf, UsageError } from '../../errors/cli_error.ts'
import { fileFault } from '../../files/file_fault.ts'
import { existingJournal } from '../../journal/journal.ts'
import { columnsOf, field } from '../../output/columns.ts'
import { type CheckedRows, withCheckedRows } from '../../payments/batch_checks.ts'
import { type BatchFile, stageFile } from '../../payments/batch_file.ts'
import { OriginalFile } from '../../payments/batch_original.ts'
import type { Results, RunOptions } from '../../payments/batch_plan.ts'
import type { Summary } from '../../payments/batch_summary.ts'
import type { WrongRowsError } from '../../payments/checked_rows.ts'
import { dryRunBatch, payBatch } from '../../payments/pay_batch.ts'
import { resumeBatch } from '../../payments/resume_batch.ts'
import { retryBatch } from '../../payments/retry_batch.ts'
import type { Target } from '../../sheets/output_file.ts'
import { isXlsxName } from '../../sheets/write_sheet.ts'
import { mostRows, tooManyRows } from '../../sheets/write_xlsx.ts'
import { defaultAccount } from '../chosen_account.ts'
import type { BatchFlags } from './batch.ts'
import { printsRows } from './batch_options.ts'
import { columnsWith, isLookedAt, rowsOnStdout, WrongRows } from './batch_results.ts'
import { reportResult } from './report_result.ts'
import { checkRejectsPath, checkResultPath, openResultFile } from './result_file.ts'
import type { ResumeFlags } from './resume_intents.ts'
import {
  answererOf,
  namedSender,
  paymentOptions,
  requireAnswerer,
  senderOptions,
  sendHint,
  withJournal,
} from './session.ts'

/** Maximum number of wrong rows to show to people; data has all. */
const shownFaults = 50

export async function payFile(file: string, flags: BatchFlags, context: Context): Promise<void> {
  const { dryRun, outputFile, checkPayees, concurrency, rejectsFile, force = false } = flags
  if (!dryRun) requireAnswer(file, flags, context)
  else if (context.globals.columns) {
    throw new UsageError('--columns chooses columns of the rows, and --dry-run prints none.', 'Leave one of them out')
  }
  if (outputFile !== undefined) checkResultPath(outputFile, file)
  const target =
    rejectsFile === undefined ? undefined : { path: rejectsFile, force, ...(file !== '-' && { source: file }) }
  if (target) checkRejectsPath(target, outputFile)
  keepHeapSmall()
  const client = await context.client(dryRun ? 'token' : 'payment')
  const from = flags.from ?? (await defaultAccount(context))
  const maxFaults = ['json', 'ndjson'].includes(context.output.format) ? undefined : shownFaults
  const rejecting = target && { original: new OriginalFile(), target }
  let own: readonly string[] = []
  const reading = readingOf(file, { ...flags, from }, context)
  const staging = {
    client,
    checkPayees,
    concurrency,
    maxFaults,
    stage: stageFile.bind(undefined, {
      ...reading,
      maxFaults,
      onHeading(read) {
        own = read.heading.extra.map(({ name }) => name)
        rejecting?.original.begin(read)
      },
      onRow: (row) => rejecting?.original.keep(row),
    }),
    async onWrong({ faults }: WrongRowsError) {
      const reasons = new Map([...faults].map(([line, all]) => [line, all.join('; ')]))
      if (rejecting) await writeRejects({ which: 'wrong', reasons }, rejecting, context)
    },
  }
  const title = file === '-' ? 'stdin' : basename(file)
  const work = dryRun ? checkOnly : pay
  try {
    await withCheckedRows(staging, (rows) => work({ ...rows, title, own, rejecting }, flags, context))
  } finally {
    rejecting?.original.close()
  }
}

interface Reading extends Pick<BatchFlags, 'map' | 'sheet' | 'decimal'> {
  readonly from: string | undefined
}

/** Options to read a file. */
function readingOf(file: string, { from, map, sheet, decimal }: Reading, context: Context): BatchFile {
  const { signal, globals, output } = context
  return {
    bytes: bytesOf(file, context),
    from,
    map,
    sheet,
    decimal,
    signal,
    payees: async () => (await import('../../cli/saved_payees.ts')).savedPayees(context),
    explain: (problem, next) => withHint(problem, next, globals),
    remark: (text) => output.note(text),
  }
}

/** Rows of a file, and its name. */
interface TitledRows extends CheckedRows {
  readonly title: string
  /** Names of the other columns of the caller's file. */
  readonly own: readonly string[]
  readonly rejecting: Rejecting | undefined
}

/** The original file, and the file for its refused rows. */
interface Rejecting {
  readonly original: OriginalFile
  readonly target: Target
}

function requireAnswer(file: string, { yes }: BatchFlags, context: Context): void {
  if (!yes && file === '-') {
    throw new UsageError('stdin holds the payments, so there is nobody to ask. Nothing was sent.', sendHint)
  }
  requireAnswerer(yes, context)
}

async function* bytesOf(file: string, { io, signal }: Context): AsyncGenerator<Uint8Array | string, void> {
  try {
    yield* addAbortSignal(signal, file === '-' ? (io.stdin as Readable) : createReadStream(file))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(`${file} can't be read: ${fileFault(error)}.`, 'Name a CSV or .xlsx file, or - for stdin')
  }
}

async function checkOnly(
  { title, ...rows }: TitledRows,
  { batchId, skipSent }: BatchFlags,
  context: Context,
): Promise<void> {
  const journal = existingJournal(context.stateDir)
  try {
    const options = { ...paymentOptions(await senderOptions(context), context), limitsIn: context.configDir }
    const summary = await dryRunBatch(rows, { ...options, journal, title, batchId, skipSent })
    await context.output.record(summary, summaryColumns)
  } finally {
    journal?.close()
  }
}

const summaryColumns = columnsOf<Summary>(
  'batch',
  'rows',
  'sent_before',
  'to_send',
  'in_doubt',
  'payees',
  field('warnings', ({ warnings }: Summary) => warnings.length),
)

async function pay({ title, own, rejecting, ...rows }: TitledRows, flags: BatchFlags, context: Context): Promise<void> {
  const { batchId, skipSent, concurrency, outputFile, yes, wait } = flags
  const wrong = new WrongRows({ keepsRefusals: rejecting !== undefined })
  const report = await withJournal(context, flags, (options) =>
    payBatch(rows, {
      ...runOf(options, { concurrency }, context),
      title,
      batchId,
      skipSent,
      confirm: !yes,
      wait: wait ? flags.waitTimeout : undefined,
      openResults: (count) => openResults({ file: outputFile, wrong, own, rows: count }, context),
    }),
  )
  if (rejecting) await writeRejects({ which: 'refused', reasons: wrong.refusals }, rejecting, context)
  const correction = `Correct them and run the file again${batchId === undefined ? ' with --skip-sent' : ''}: what was sent is left out`
  await reportResult(report, { awaited: wait === true, correction, wrong, outputFile }, context)
}

interface RejectedRows {
  /** `wrong`: refused by the checks; `refused`: by the service. */
  readonly which: 'wrong' | 'refused'
  /** By line. */
  readonly reasons: ReadonlyMap<number, string>
}

/** Reports a write error without throwing: the results of the rows are already known. */
async function writeRejects(
  { which, reasons }: RejectedRows,
  { original, target }: Rejecting,
  { output }: Context,
): Promise<void> {
  if (reasons.size === 0) return output.note(`No row was refused: ${target.path} is not written.`)
  const rows = `The rows that ${which === 'wrong' ? 'are wrong' : 'were refused'}`
  try {
    await original.write(reasons, target)
    output.note(`${rows} are in ${target.path}, with their reasons.`)
  } catch (error) {
    output.note(`${rows} could not be written to ${target.path}: ${reasonOf(error)}`)
  }
}

interface ResultPlace {
  readonly file: string | undefined
  readonly wrong: WrongRows
  /** Columns of the caller's file. */
  readonly own: readonly string[]
  readonly rows: number
}

/** Opens the named file; otherwise stdout, unless a person reads it. */
async function openResults({ file, wrong, own, rows }: ResultPlace, context: Context): Promise<Results> {
  await requireColumnsOfBatch({ layout: columnsWith(own), prints: printsRows }, context)
  if (file === undefined && isLookedAt(context)) return wrong.asResults()
  const isWorkbook = file === undefined ? context.output.format === 'xlsx' : isXlsxName(file)
  if (isWorkbook && rows > mostRows) throw tooManyRows('Nothing was sent.', 'Write CSV: --output-file result.csv')
  const results =
    file === undefined ? rowsOnStdout(context, own) : await openResultFile(file, own, context.globals.columns)
  return { write: (rows) => results.write(wrong.noticed(rows)), close: () => results.close() }
}

interface Resumed extends ResumeFlags {
  readonly batch: string
  readonly concurrency: number
}

/** Finishes a batch. */
export async function resumeRows(flags: Resumed, context: Context): Promise<void> {
  const { batch, concurrency, sentBy, yes } = flags
  keepHeapSmall()
  const wrong = new WrongRows()
  const report = await withJournal(context, flags, (options) =>
    resumeBatch({
      ...runOf(options, { concurrency }, context),
      batch,
      sentBy: namedSender(sentBy),
      confirm: !yes,
      requireAnswerer: answererOf(yes, context),
      openResults: (rows) =>
        openResults({ file: undefined, wrong, own: options.journal.columnNames(batch), rows }, context),
    }),
  )
  if (!report) return context.output.note(`Batch ${batch} has no row that is open.`)
  const correction = 'Correct them in the file and run it again'
  await reportResult(report, { awaited: false, correction, wrong }, context)
}

type RetryFlags = Pick<BatchFlags, 'concurrency' | 'outputFile' | 'wait' | 'waitTimeout' | 'yes'>

/** Retries rows of a batch that paid nobody. */
export async function retryRows(batch: string, flags: RetryFlags, context: Context): Promise<void> {
  const { concurrency, outputFile, wait, waitTimeout, yes } = flags
  if (outputFile !== undefined) checkResultPath(outputFile)
  keepHeapSmall()
  requireAnswerer(yes, context, 'Add --yes to send without being asked')
  const wrong = new WrongRows()
  const report = await withJournal(context, flags, (options) =>
    retryBatch({
      ...runOf(options, { concurrency }, context),
      batch,
      confirm: !yes,
      wait: wait ? waitTimeout : undefined,
      openResults: (rows) =>
        openResults({ file: outputFile, wrong, own: options.journal.columnNames(batch), rows }, context),
    }),
  )
  const correction = 'Correct them in the file and run it again'
  await reportResult(report, { awaited: wait === true, correction, wrong, outputFile }, context)
}

function runOf<Options extends Omit<RunOptions, 'concurrency' | 'connect' | 'openResults'>>(
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
