import { basename } from 'node:path'
import { addAbortSignal } from 'node:stream'
import type { Context } from '../../cli/command.ts'
import { saidWithHint } from '../../cli/next_step.ts'
import { standardInput } from '../../cli/standard_input.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { fileFault } from '../../files/file_fault.ts'
import { readFileOrPipe } from '../../files/named_pipe.ts'
import { journalToRead } from '../../journal/journal.ts'
import { columnsOf, field } from '../../output/columns.ts'
import { type BatchFile, type StagedFile, stageFile } from '../../payments/batch_file.ts'
import { type SummaryData, summaryData } from '../../payments/batch_summary.ts'
import { type CheckedRows, withCheckedRows } from '../../payments/checked_rows.ts'
import { dryRunBatch, payBatch, type RowSelection } from '../../payments/pay_batch.ts'
import type { CsvDialect } from '../../sheets/sheet.ts'
import { say } from '../../words/text.ts'
import { defaultAccount } from '../chosen_account.ts'
import type { BatchFlags } from './batch.ts'
import { isLookedAt } from './batch_results.ts'
import { fileLayouts, rememberColumns } from './file_layouts.ts'
import { type RejectsFile, rejectsFileAt } from './rejects_file.ts'
import { checkResultPath } from './result_file.ts'
import { keepHeapSmall, sendRows } from './send_rows.ts'
import { paymentOptions, requireAnswerer, senderOptions, sendHint } from './session.ts'

/** Maximum number of wrong rows that an error names; at a terminal and in JSON the error names all wrong rows. */
const shownFaults = 50

/** Checks the rows of a file, and pays them. */
export async function payFile(file: string, flags: BatchFlags, context: Context): Promise<void> {
  const { dryRun, outputFile, batchId, skipSent, concurrency } = flags
  if (!dryRun) requireAnswer(file, flags, context)
  else if (context.globals.columns) {
    throw new UsageError(
      '--columns chooses columns of the rows, but --dry-run prints no rows.',
      'Leave one of them out',
    )
  }
  if (outputFile !== undefined) checkResultPath(outputFile, file)
  const rejects = rejectsFileOf(file, flags)
  keepHeapSmall()
  const client = await context.client(dryRun ? 'token' : 'payment')
  const from = flags.from ?? (await defaultAccount(context))
  // At a terminal, all rows with the same reason share one line.
  const namesAll = context.io.stderr.isTTY === true || ['json', 'ndjson'].includes(context.output.format)
  const maxFaults = namesAll ? undefined : shownFaults
  let own: readonly string[] = []
  let staged: StagedFile | undefined
  const onHeading = (read: StagedFile) => {
    staged = read
    own = read.heading.extra.map(({ name }) => name)
    rejects?.begin(read)
  }
  const isAsked = context.interactive && !flags.yes && file !== '-'
  const checkPayees = flags.checkPayees ?? (isAsked && flags.checkNew ? ('new' as const) : undefined)
  const reading = {
    ...readingOf(file, flags, context),
    layouts: fileLayouts(isAsked, context),
    from,
    maxFaults,
    onHeading,
    keepsOriginals: rejects !== undefined,
  }
  const staging = { client, batchId, stage: stageFile.bind(undefined, reading), onWrong: rejects?.writeWrong(context) }
  const title = file === '-' ? 'stdin' : basename(file)
  await withCheckedRows(staging, async (rows) => {
    if (isAsked && flags.map && staged) await rememberColumns(staged, flags.map, context)
    const form = staged && dialectOf(staged)
    const selection = { title, form, skipSent, checkPayees, concurrency, maxFaults }
    if (dryRun) return checkOnly(rows, selection, context)
    await sendRows(
      {
        flags,
        own: () => own,
        form: form ?? null,
        correction:
          batchId === undefined
            ? 'Correct the file and run the command again with --skip-sent: rows that were sent are left out'
            : 'Correct the file and run the command again: rows that were sent are left out',
        send: (options) => payBatch(rows, { ...options, ...selection }),
        onRefusals: rejects && ((refusals) => rejects.write('refused', refusals, rows.staged, context)),
      },
      context,
    )
  })
}

/**
 * Separator, decimal mark and byte order mark of the results, as in the caller's CSV file. Call this function after all
 * rows were read, because the rows show the decimal mark.
 */
function dialectOf({ sheet: { csv }, amounts }: StagedFile): CsvDialect | undefined {
  if (!csv) return undefined
  // Excel recognises UTF-8 by the byte order mark. Results are always UTF-8, even if the file has another encoding.
  const hasMark = csv.encoding.hasMark || csv.encoding.name !== 'UTF-8'
  return { separator: csv.separator, decimal: amounts.decimalMark, hasMark }
}

function requireAnswer(file: string, { yes }: BatchFlags, context: Context): void {
  if (!yes && file === '-') {
    throw new UsageError("The payments come from stdin, so payctl can't ask. Nothing was sent.", sendHint)
  }
  requireAnswerer(yes, context)
}

function rejectsFileOf(file: string, { rejectsFile: path, force, outputFile }: BatchFlags): RejectsFile | undefined {
  if (path === undefined) return undefined
  return rejectsFileAt({ path, force: force === true, ...(file !== '-' && { source: file }) }, outputFile)
}

/** Options to read the file. */
function readingOf(
  file: string,
  { description, map, sheet, decimal }: BatchFlags,
  context: Context,
): Omit<BatchFile, 'from'> {
  const { signal, globals, output } = context
  return {
    bytes: bytesOf(file, context),
    description,
    map,
    sheet,
    decimal,
    signal,
    payees: async () => (await import('../../cli/saved_payees.ts')).savedPayees(context),
    explain: (problem, next) => saidWithHint(problem, next, globals),
    remark: (text) => output.note(text),
  }
}

async function* bytesOf(file: string, context: Context): AsyncGenerator<Uint8Array | string, void> {
  try {
    yield* file === '-' ? standardInput(context) : addAbortSignal(context.signal, readFileOrPipe(file))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(say`${file} can't be read: ${fileFault(error)}.`, 'Name a CSV or .xlsx file, or - for stdin')
  }
}

async function checkOnly(rows: CheckedRows, selection: RowSelection, context: Context): Promise<void> {
  const journal = journalToRead(context.stateDir)
  try {
    const options = { ...paymentOptions(await senderOptions(context), context), limitsIn: context.configDir, journal }
    const summary = await dryRunBatch(rows, { ...options, ...selection })
    // At a terminal, the notes have already shown the whole summary.
    const isShown = isLookedAt(context) && context.io.stderr.isTTY === true && !context.globals.quiet
    if (!isShown) await context.output.record(summaryData(summary), summaryColumns)
  } finally {
    journal.close()
  }
}

const summaryColumns = columnsOf<SummaryData>(
  'batch',
  'rows',
  'sent_before',
  'to_send',
  'in_doubt',
  'payees',
  field('warnings', ({ warnings }: SummaryData) => warnings.length),
)
