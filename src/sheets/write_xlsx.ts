import type { CellObject } from 'write-excel-file/node'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { asText, type Said, say } from '../words/text.ts'
import type { CellKind } from './sheet.ts'

/**
 * A cell to write. `money`: a number of major units with two decimals. `heading`: bold text in a row that stays visible
 * while the sheet scrolls.
 */
export interface WrittenCell {
  readonly text: string
  readonly kind: CellKind | 'money' | 'heading'
}

export interface XlsxSheet {
  /** Name of the sheet. */
  readonly name: string
  readonly rows: Iterable<readonly WrittenCell[]> | AsyncIterable<readonly WrittenCell[]>
}

/**
 * Maximum number of rows below the heading. A workbook is held in memory until it is complete: 100,000 rows of 14
 * columns take 0.8 GB.
 */
export const mostRows = 100_000

/** `nothing`: sentence such as "Nothing was sent." */
export const tooManyRows = (nothing: Said, advice: Said | NextStep): UsageError =>
  new UsageError(
    say`payctl writes .xlsx files of ${mostRows} rows at most, and there are more. ${asText(nothing)}`,
    advice,
  )

/** Maximum number of characters in an Excel cell. */
const longestText = 32_767

/** Minimum and maximum width of a column, in characters. */
const widths = { least: 8, most: 60 }

/**
 * Writes rows as the bytes of an .xlsx file. Text stays text whatever it begins with: no formulas, no digits turned
 * into numbers.
 */
export async function xlsxBytes({ name, rows }: XlsxSheet): Promise<Buffer> {
  const { default: writeExcelFile } = await import('write-excel-file/node')
  const data: (CellObject | null)[][] = []
  const columns: { width: number }[] = []
  let headings = 0
  for await (const row of rows) {
    if (data.length - headings === mostRows) throw tooManyRows('Nothing was written.', 'Take fewer, or write CSV')
    data.push(row.map(cellOf))
    if (row[0]?.kind === 'heading') headings = data.length
    for (const [at, { text }] of row.entries())
      columns[at] = { width: Math.max(columns[at]?.width ?? 0, widthOf(text)) }
  }
  const sticky = headings === 0 ? {} : { stickyRowsCount: headings }
  return writeExcelFile(data, { sheet: sheetName(name), columns, ...sticky }).toBuffer()
}

function cellOf({ text, kind }: WrittenCell): CellObject | null {
  if (text === '') return null
  const number = kind === 'number' || kind === 'money' ? exactNumber(text) : undefined
  if (number !== undefined) {
    return { value: number, type: Number, ...(kind === 'money' && { format: '#,##0.00' }) }
  }
  if (kind === 'boolean') return { value: text === 'TRUE', type: Boolean }
  const date = kind === 'date' ? dateOf(text) : undefined
  if (date) return { value: date, type: Date, format: text.length > 10 ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd' }
  const value = escaped(text).slice(0, longestText)
  return { value, type: String, format: '@', ...(kind === 'heading' && { fontWeight: 'bold' }) }
}

/**
 * The number in a cell; undefined if the text has more digits than Excel can hold: the cell is then written as text, in
 * full.
 */
function exactNumber(text: string): number | undefined {
  const digits = text.replace(/^-?0*|\./g, '').replace(/^0+/, '')
  return /^-?\d+(\.\d+)?$/.test(text) && digits.length <= 15 ? Number(text) : undefined
}

/** The local time as if it were UTC, as the writer library requires. */
function dateOf(text: string): Date | undefined {
  const time = new Date(`${text.replace(' ', 'T')}${text.length > 10 ? '' : 'T00:00:00'}Z`)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Escapes `_x0041_` in text, which Excel would decode to a character. */
const escaped = (text: string): string => text.replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')

/** Removes characters that Excel forbids in sheet names. */
const sheetName = (name: string): string =>
  name
    .replace(/[\\/?*[\]:]/g, ' ')
    .replace(/^'+|'+$/g, '')
    .slice(0, 31)
    .trim() || 'payctl'

const widthOf = (text: string): number =>
  Math.min(widths.most, Math.max(widths.least, (text.split('\n', 1)[0] ?? '').length + 2))
