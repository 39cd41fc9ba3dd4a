import { stringify } from 'csv-stringify/sync'
import { inert, printableLines } from '../run/sanitise.ts'
import { type Target, writeWhole } from './output_file.ts'
import {
  type CsvForm,
  type EncodingName,
  isBlank,
  isSeparatorLine,
  type Separator,
  type Sheet,
  type SheetRow,
} from './sheet.ts'
import { toWindows1252 } from './text_encoding.ts'
import type { WrittenCell } from './write_xlsx.ts'

/** An original row of a sheet, and cells to append. */
export interface ExtendedRow {
  readonly row: SheetRow
  /** Cells to append, which may contain text from the service. A row without added cells stays unchanged. */
  readonly added: readonly string[]
}

interface ExtendedSheet {
  /** The original sheet: the output has its separator, encoding and line ends. */
  readonly sheet: Pick<Sheet, 'csv' | 'xlsx'>
  /** Number of cells before the added cells; shorter rows are padded. */
  readonly width: number
  /** Line of the heading, which is bold in an .xlsx file. */
  readonly headerLine?: number | undefined
  /** Returns all rows, from the first row, at each call. */
  readonly rows: () => AsyncIterable<ExtendedRow> | Iterable<ExtendedRow>
}

/**
 * Writes rows to a file: .xlsx if its name ends in .xlsx, otherwise CSV, in which the records of an original CSV file
 * stay byte-identical. Writes the file atomically. Returns `xlsx`, or the encoding of the CSV file: UTF-8 if
 * Windows-1252 lacks a character.
 */
export async function writeExtended(target: Target, sheet: ExtendedSheet): Promise<EncodingName | 'xlsx'> {
  if (isXlsxName(target.path)) {
    await writeWorkbook(target, sheet)
    return 'xlsx'
  }
  const kept = sheet.sheet.csv?.encoding ?? { name: 'UTF-8', hasMark: true }
  const encoding = (await fits(sheet, kept)) ? kept : { name: 'UTF-8' as const, hasMark: true }
  await writeWhole(target, async (file) => {
    // Does not use `write`, which can write only part of the bytes, for example on a nearly full disk.
    for await (const bytes of chunksOf(sheet, encoding)) await file.appendFile(bytes ?? new Uint8Array())
  })
  return encoding.name
}

export const isXlsxName = (path: string): boolean => /\.xlsx$/i.test(path)

/** Number of characters to encode and write at a time. */
const chunkSize = 64_000

async function fits(sheet: ExtendedSheet, encoding: CsvForm['encoding']): Promise<boolean> {
  if (encoding.name !== 'Windows-1252') return true
  for await (const bytes of chunksOf(sheet, encoding)) if (!bytes) return false
  return true
}

/** Yields the bytes of the file in parts; yields undefined for a part with a character that the encoding lacks. */
async function* chunksOf(
  { sheet, width, rows }: ExtendedSheet,
  encoding: CsvForm['encoding'],
): AsyncGenerator<Uint8Array | undefined, void> {
  const { separator, lineEnd } = sheet.csv ?? { separator: ',' as const, lineEnd: '\r\n' }
  let text = encoding.hasMark ? '\ufeff' : ''
  for await (const { row, added } of rows()) {
    const written = row.raw ?? csvLine(row.cells.map(asText(row, separator)), separator)
    const gap = added.length > 0 ? separator.repeat(Math.max(0, width - row.cells.length) + 1) : ''
    text += `${written}${gap}${
      added.length > 0
        ? csvLine(
            added.map((cell) => inert(printableLines(cell), separator)),
            separator,
          )
        : ''
    }${lineEnd}`
    if (text.length < chunkSize) continue
    yield encoded(text, encoding.name)
    text = ''
  }
  yield encoded(text, encoding.name)
}

/** Escapes text of a workbook for CSV: only a workbook distinguishes the text `=1` from a formula. */
const asText =
  ({ kinds }: SheetRow, separator: Separator) =>
  (cell: string, at: number): string =>
    kinds?.[at] === 'text' ? inert(cell, separator) : cell

/** One CSV record without its line end. */
export const csvLine = (cells: readonly string[], delimiter: string): string =>
  stringify([[...cells]], { delimiter, eof: false, quoted_match: /^\s|\s$|[\r\n]/ })

function encoded(text: string, name: EncodingName): Uint8Array | undefined {
  if (name === 'Windows-1252') return toWindows1252(text)
  if (name === 'UTF-8') return Buffer.from(text)
  const bytes = Buffer.from(text, 'utf16le')
  return name === 'UTF-16BE' ? bytes.swap16() : bytes
}

async function writeWorkbook(target: Target, sheet: ExtendedSheet): Promise<void> {
  const { xlsxBytes } = await import('./write_xlsx.ts')
  const bytes = await xlsxBytes({ name: sheet.sheet.xlsx?.sheet ?? 'payctl', rows: writtenRows(sheet) })
  await writeWhole(target, (file) => file.appendFile(bytes))
}

async function* writtenRows({ width, headerLine, rows }: ExtendedSheet): AsyncGenerator<readonly WrittenCell[], void> {
  for await (const { row, added } of rows()) {
    if (isSeparatorLine(row)) continue
    const heading = row.line === headerLine ? ('heading' as const) : undefined
    const kept = row.cells.map((text, at) => ({ text, kind: heading ?? row.kinds?.[at] ?? 'text' }))
    const filling = Array.from({ length: Math.max(0, width - kept.length) }, () => nothing)
    const more = added.map((text) => ({ text: printableLines(text), kind: heading ?? ('text' as const) }))
    yield isBlank(row) && added.length === 0 ? [] : [...kept, ...filling, ...more]
  }
}

const nothing = { text: '', kind: 'empty' } as const
