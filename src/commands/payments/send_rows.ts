import { setFlagsFromString } from 'node:v8'
import type { Context } from '../../cli/command.ts'
import { requireColumnsOfBatch } from '../../cli/list_options.ts'
import { array } from '../../cli/prints.ts'
import { reporterOf } from '../../cli/reporter.ts'
import type { Journal } from '../../journal/journal.ts'
import type { BatchReport, Results, RunOptions } from '../../payments/batch_plan.ts'
import { resumeBatch } from '../../payments/resume_batch.ts'
import { retryBatch } from '../../payments/retry_batch.ts'
import type { CsvDialect } from '../../sheets/sheet.ts'
import { isXlsxName } from '../../sheets/write_sheet.ts'
import { mostRows, tooManyRows } from '../../sheets/write_xlsx.ts'
import { type Said, say } from '../../words/text.ts'
import type { BatchFlags } from './batch.ts'
import { columnsWith, isLookedAt, rowsOnStdout, WrongRows } from './batch_results.ts'
import { reportResult } from './report_result.ts'
import { checkResultPath, openResultFile } from './result_file.ts'
import type { ResumeFlags } from './resume_intents.ts'
import { answererOf, type EngineOptions, namedSender, requireAnswerer, withJournal } from './session.ts'

type SendingFlags = Pick<BatchFlags, 'concurrency' | 'yes'> &
  Partial<Pick<BatchFlags, 'outputFile' | 'wait' | 'waitTimeout' | 'keyLife'>>

interface Sending {
  readonly flags: SendingFlags
  /** Returns the names of the columns that the user's file adds. */
  readonly own: (journal: Journal, batch: string) => readonly string[]
  /** Form of the caller's CSV file; undefined: as recorded with the batch. */
  readonly form?: CsvDialect | null
  /** Next step for refused rows. */
  readonly correction: Said
  /** Sends the rows; returns undefined if there are none. */
  readonly send: (options: EngineOptions & RunOptions) => Promise<BatchReport | undefined>
  /** Called with the service's reasons for refusing rows, keyed by line, before the result is reported. */
  readonly onRefusals?: ((refusals: ReadonlyMap<number, readonly Said[]>) => Promise<void>) | undefined
}

/**
 * Sends the rows of a batch, writes their results, and reports the result of the batch. Returns false for a batch
 * without rows.
 */
export async function sendRows(
  { flags, own, form, correction, send, onRefusals }: Sending,
  context: Context,
): Promise<boolean> {
  const { concurrency, yes, outputFile, wait, waitTimeout } = flags
  const wrong = new WrongRows({ keepsRefusals: onRefusals !== undefined })
  const report = await withJournal(context, flags, (options) =>
    send({
      ...options,
      reporter: reporterBesideRows(context),
      concurrency,
      confirm: !yes,
      wait: wait ? waitTimeout : undefined,
      connect: ({ signal, ...manner }) => context.clientUntil(signal, manner),
      openResults(rows, batch, of) {
        const { journal } = options
        const dialect = form === undefined ? journal.batchSource(of, batch).form : form
        return openResults({ outputFile, wrong, own: own(journal, batch), rows, form: dialect }, context)
      },
    }),
  )
  if (!report) return false
  await onRefusals?.(wrong.refusals)
  await reportResult(report, { awaited: wait === true, correction, wrong, outputFile }, context)
  return true
}

/** The reporter of the run; it shows no progress if the rows are printed on a terminal. */
function reporterBesideRows(context: Context): EngineOptions['reporter'] {
  const reporter = reporterOf(context)
  const showsRows = context.io.stdout.isTTY === true && !isLookedAt(context)
  return showsRows ? { ...reporter, progress() {} } : reporter
}

interface ResultPlace {
  readonly outputFile: string | undefined
  readonly wrong: WrongRows
  readonly own: readonly string[]
  readonly rows: number
  readonly form: CsvDialect | null
}

/** Opens the named file; without one, opens stdout, unless a person reads stdout. */
async function openResults(
  { outputFile: file, wrong, own, rows, form }: ResultPlace,
  context: Context,
): Promise<Results> {
  const prints = array(async () => (await import('../schema/payment_shapes.ts')).resultRow)
  await requireColumnsOfBatch({ layout: columnsWith(own), prints }, context)
  if (file === undefined && isLookedAt(context)) return wrong.asResults()
  const isWorkbook = file === undefined ? context.output.format === 'xlsx' : isXlsxName(file)
  if (isWorkbook && rows > mostRows) throw tooManyRows('Nothing was sent.', 'Write CSV: --output-file result.csv')
  const results =
    file === undefined
      ? rowsOnStdout(context, own)
      : await openResultFile(file, { columns: columnsWith(own), chosen: context.globals.columns, form })
  return { write: (rows) => results.write(wrong.noticed(rows)), close: () => results.close() }
}

const correctFile = 'Correct the file and send it again'

/** Finishes a batch: sends its open rows, and finds the outcomes of rows in doubt. */
export async function resumeRows(
  flags: ResumeFlags & {
    readonly batch: string
    readonly concurrency: number
    readonly outputFile: string | undefined
  },
  context: Context,
): Promise<void> {
  const { batch, sentBy, yes, outputFile } = flags
  if (outputFile !== undefined) checkResultPath(outputFile)
  keepHeapSmall()
  const asking = { sentBy: namedSender(sentBy), requireAnswerer: answererOf(yes, context) }
  const isFound = await sendRows(
    {
      flags,
      own: (journal, name) => journal.columnNames(name),
      correction: correctFile,
      send: (options) => resumeBatch({ ...options, ...asking, batch }),
    },
    context,
  )
  if (!isFound) context.output.note(say`Batch ${batch} has no unfinished rows.`)
}

/** Sends the failed rows of a batch again. These rows have paid nobody. */
export async function retryRows(batch: string | undefined, flags: SendingFlags, context: Context): Promise<void> {
  if (flags.outputFile !== undefined) checkResultPath(flags.outputFile)
  keepHeapSmall()
  requireAnswerer(flags.yes, context, 'Add --yes to send without being asked')
  await sendRows(
    {
      flags,
      own: (journal, name) => journal.columnNames(name),
      correction: correctFile,
      send: (options) => retryBatch({ ...options, batch }),
    },
    context,
  )
}

/**
 * Makes V8 collect garbage instead of growing its heap: otherwise 100,000 rows take 1.7 times the memory of 1,000 rows,
 * and nearly all of the difference is garbage.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--optimize-for-size')
