import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from '../cli/command.ts'
import { reporterOf } from '../cli/reporter.ts'
import { standardInput } from '../cli/standard_input.ts'
import { RequestGate } from '../client/retry.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { toRun } from '../errors/next_step.ts'
import { fileFault } from '../files/file_fault.ts'
import { type FileLookupResult, lookUpFile } from '../lookups/file_lookup.ts'
import { chooseColumns, columnTitles, isHeaderFor, looksLikeHeader, sampleOf } from '../lookups/sheet_columns.ts'
import { columnsOf, nested } from '../output/columns.ts'
import { learnSender } from '../payments/sender.ts'
import { grouped } from '../run/counts.ts'
import { columnLetters, columnNamed } from '../sheets/column_names.ts'
import { requireWritable, type Target } from '../sheets/output_file.ts'
import { readSheet } from '../sheets/read_sheet.ts'
import type { Sheet, SheetRow, XlsxForm } from '../sheets/sheet.ts'
import { type Said, say, type Text } from '../words/text.ts'
import { lookups } from './look_up_values.ts'
import type { LookupFlags } from './lookups.ts'
import { senderOptions } from './payments/session.ts'

type SheetFlags = LookupFlags & { readonly file: string }

/** Looks up the values of a spreadsheet and writes a copy with the results. */
export async function lookUpSheet(flags: SheetFlags, context: Context): Promise<void> {
  const { signal, stateDir, output } = context
  const target = targetOf(flags)
  requireWritable(target)
  const source = await sourceOf(flags.file, context)
  const { sample, columns, expected, header } = await examine(source, flags)
  for (const remark of remarksOn(sample, flags)) output.note(remark)
  const sender = await learnSender(await senderOptions(context))
  sender.stopListening()
  const gate = new RequestGate(signal)
  context.onRetry((delay) => gate.hold(delay))
  const result = await lookUpFile({
    open: (onBytes) => source((bytes) => onBytes(bytes), { sheet: flags.sheet, header, keepBlank: true }),
    sample,
    columns,
    expected,
    target,
    find: { phone: lookups.phone.find, iban: lookups.iban.find },
    client: await context.client(),
    gate,
    concurrency: flags.concurrency,
    signal,
    stateDir,
    asker: JSON.stringify([sender.base_url, sender.user, sender.world]),
    cacheMs: flags.cache,
    reporter: reporterOf(context),
  })
  await printResult(result, target, context)
}

/** File to write: `customers-lookup.csv` for `customers.csv`; CSV if the source has no extension. */
function targetOf({ file, outputFile, force }: SheetFlags): Target {
  if (outputFile !== undefined) return { path: outputFile, force: force === true, source: file }
  if (file === '-')
    throw new UsageError('Input from stdin has no file name.', 'Name the result with --output-file <path>')
  const extension = extname(file)
  const stem = extension === '' ? file : file.slice(0, -extension.length)
  return { path: `${stem}-lookup${extension || '.csv'}`, force: force === true, source: file }
}

type Source = (onBytes: (bytes: Uint8Array) => void, options: Parameters<typeof readSheet>[1]) => Promise<Sheet>

/** A source that can be read several times: reads a file again each time, but reads stdin once and buffers it. */
async function sourceOf(file: string, context: Context): Promise<Source> {
  const { signal } = context
  const kept: Buffer[] = []
  if (file === '-') for await (const chunk of standardInput(context)) kept.push(Buffer.from(chunk))
  const bytesOf = async function* (onBytes: (bytes: Uint8Array) => void) {
    const stream = file === '-' ? Readable.from(kept) : createReadStream(file)
    try {
      for await (const bytes of stream) {
        onBytes(bytes)
        yield bytes as Uint8Array
      }
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      throw new UsageError(say`${file} can't be read: ${fileFault(error)}.`, 'Name a spreadsheet')
    } finally {
      stream.destroy()
    }
  }
  return (onBytes, options) => readSheet(bytesOf(onBytes), { ...options, signal })
}

type Header = ((cells: readonly string[]) => boolean) | false

/** Finds the columns to look up, and the header if there is one. */
async function examine(source: Source, flags: SheetFlags) {
  const { column: wanted = [], name, document, sheet, header: hasHeader } = flags
  const open = async (header: Header | undefined) => {
    const sample = await source(() => {}, { sheet, ...(header !== undefined && { header }) })
    return { sample, rows: await sampleOf(sample), header }
  }
  const isHeader = isHeaderFor(wanted)
  let opened = await open(hasHeader ? isHeader : false)
  const [first] = opened.rows
  if (hasHeader && !opened.sample.header && first && looksLikeHeader(first)) {
    opened = await open((cells) => cells.every((cell, at) => cell === first.cells[at]))
  }
  const { sample, rows } = opened
  const header: Header = sample.header ? sameAs(sample.header) : false
  try {
    if (!sample.header && rows.length === 0) throw new UsageError('The file has no rows.', 'Name another spreadsheet')
    const titles = columnTitles(sample.header, rows)
    const at = (wantedName: string | undefined) =>
      wantedName === undefined ? undefined : columnNamed(wantedName, titles)
    const expected = { name: at(name), document: at(document) }
    return { sample, columns: chooseColumns(wanted, sample.header, rows), expected, header }
  } catch (error) {
    throw error instanceof UsageError ? withOtherSheets(error, sample, flags) : error
  }
}

/** Adds the names of the workbook's other sheets: one of them may contain the list. */
function withOtherSheets(error: UsageError, { xlsx }: Omit<Sheet, 'rows'>, { file }: SheetFlags): UsageError {
  if (!xlsx || xlsx.others.length === 0) return error
  const [other = '', ...more] = xlsx.others
  return new UsageError(
    say`${error.said} The sheet ${`'${xlsx.sheet}'`} was read; the file also has: ${xlsx.others.join(', ')}.`,
    toRun(['lookup', file, '--sheet', more.length === 0 ? other : '<name>'], error.saidHint),
  )
}

const sameAs =
  ({ cells: own }: SheetRow) =>
  (cells: readonly string[]): boolean =>
    cells.length === own.length && cells.every((cell, at) => cell === own[at])

function remarksOn({ xlsx, csv, header }: Omit<Sheet, 'rows'>, { sheet }: SheetFlags): Said[] {
  const remarks: Said[] = []
  if (xlsx && xlsx.others.length > 0 && sheet === undefined) {
    remarks.push(
      say`Sheet ${`'${xlsx.sheet}'`} is read; the file also has: ${xlsx.others.join(', ')}. Choose a sheet with --sheet.`,
    )
  }
  if (xlsx) remarks.push(...hiddenRemark(xlsx, header))
  if (csv && csv.encoding.name !== 'UTF-8') remarks.push(say`The file is read as ${csv.encoding.name}.`)
  return remarks
}

/** Warns that hidden rows and columns of the sheet are read, and written to the output. */
function hiddenRemark({ hiddenRows, hiddenColumns }: XlsxForm, header: SheetRow | undefined): Said[] {
  const names = hiddenColumns.map((at) => header?.cells[at]?.trim() || columnLetters(at))
  const parts = [
    ...(hiddenRows > 0 ? [hiddenRows === 1 ? say`1 row` : say`${hiddenRows} rows`] : []),
    ...(names.length > 0
      ? [names.length === 1 ? say`the column ${names.join(', ')}` : say`the columns ${names.join(', ')}`]
      : []),
  ]
  if (parts.length === 0) return []
  return [say`Hidden in the sheet, but read and written: ${parts.reduce((one, other) => say`${one} and ${other}`)}.`]
}

/**
 * Prints sentences for people, a record for programs. Values that nobody holds set the exit code, and so do names or
 * documents that differ.
 */
async function printResult(result: FileLookupResult, { path }: Target, context: Context): Promise<void> {
  const { output } = context
  const { found, notFound, invalid, failed, columns, added, encoding } = result
  if (output.format !== 'table') await output.record(summaryOf(path, result), summary)
  else for (const line of linesOn(result)) output.note(line)
  const yours = columns === 1 ? say`your column` : say`your ${columns} columns`
  output.note(
    encoding === 'xlsx'
      ? say`Written: ${path} (${yours} and ${added} more)`
      : say`Written: ${path} (${yours} and ${added} more, ${encoding})`,
  )
  const total = found + notFound + invalid + failed
  if (failed > 0) {
    throw new CliError(
      'unavailable',
      say`Values for which the service failed: ${grouped(failed)} of ${grouped(total)}.`,
      result.isSaved
        ? 'Repeat the command with --force: only those values are looked up again'
        : 'Repeat the command with --force',
    )
  }
  if (invalid > 0)
    throw new CliError(
      'usage',
      invalid === 1
        ? say`1 of ${grouped(total)} values is not a phone or an IBAN.`
        : say`${grouped(invalid)} of ${grouped(total)} values are not a phone or an IBAN.`,
      'The reason column says why',
    )
  const differ = [result.names, result.documents].some((counts) => counts && counts.partly + counts.no > 0)
  if (differ) context.exitWith(exits.conflict.code)
  else if (notFound > 0) context.exitWith(exits.not_found.code)
}

function linesOn({ found, notFound, invalid, invalidLines, areMore, failed, names, documents }: FileLookupResult) {
  const numbers = `${invalidLines.join(', ')}${areMore ? ', ...' : ''}`
  const lines = invalidLines.length === 1 ? say`line ${numbers}` : say`lines ${numbers}`
  const parts = [
    say`${grouped(found)} found`,
    ...(notFound > 0 ? [say`${grouped(notFound)} not registered`] : []),
    ...(invalid > 0 ? [say`${grouped(invalid)} not a phone or IBAN (${lines})`] : []),
    ...(failed > 0 ? [say`${grouped(failed)} failed`] : []),
  ]
  const [ofNames, ofDocuments] = [fitsIn(names), fitsIn(documents)]
  return [
    inColumns(parts),
    ...(ofNames.length > 0 ? [say`Names fit: ${inColumns(ofNames)}`] : []),
    ...(ofDocuments.length > 0 ? [say`Documents fit: ${inColumns(ofDocuments)}`] : []),
  ]
}

const fitsIn = (counts: FileLookupResult['names']): readonly Text[] =>
  Object.entries(counts ?? {}).flatMap(([fit, count]) =>
    count > 0 ? [fitsSaid[fit as keyof typeof fitsSaid](grouped(count))] : [],
  )

const fitsSaid = {
  yes: (count: string) => say`${count} yes`,
  partly: (count: string) => say`${count} partly`,
  no: (count: string) => say`${count} no`,
  'not compared': (count: string) => say`${count} not compared`,
}

const inColumns = (parts: readonly Text[]): Text => parts.reduce((before, one) => say`${before}   ${one}`)

/** Summary for programs. `remembered`: number of distinct values that an earlier run looked up. */
const summaryOf = (file: string, result: FileLookupResult) => ({
  file,
  rows: result.rows,
  found: result.found,
  not_found: result.notFound,
  invalid: result.invalid,
  failed: result.failed,
  remembered: result.remembered,
  names: result.names && asMembers(result.names),
  documents: result.documents && asMembers(result.documents),
})

const asMembers = ({ 'not compared': not_compared, ...counts }: NonNullable<FileLookupResult['names']>) => ({
  ...counts,
  not_compared,
})

type Summary = ReturnType<typeof summaryOf>

const summary = columnsOf<Summary>(
  'file',
  'rows',
  'found',
  'not_found',
  'invalid',
  'failed',
  'remembered',
  nested('names', (row) => row.names ?? undefined),
  nested('documents', (row) => row.documents ?? undefined),
)
