import { stringify } from 'csv-stringify/sync'
import { inert, printableLines } from '../run/sanitise.ts'
import { localTime, zoneName } from '../run/time.ts'
import type { CsvDialect } from '../sheets/sheet.ts'
import { csvLine } from '../sheets/write_sheet.ts'
import { type WrittenCell, xlsxBytes } from '../sheets/write_xlsx.ts'
import type { Column } from './output.ts'
import { dataOf, type Renderer, type Rows } from './renderer.ts'
import { separated } from './text_formats.ts'

/** CSV for programs. */
export const csv = separated((cells) => stringify([cells.map((cell) => inert(printableLines(cell), ','))]))

/** CSV for programs, with the separator and the decimal mark of another file. */
export function csvLike({ separator, decimal, hasMark }: CsvDialect): Renderer {
  const line = (cells: readonly string[]) =>
    `${csvLine(
      cells.map((cell) => inert(printableLines(cell), separator)),
      separator,
    )}\n`
  const heading = <Row>(columns: readonly Column<Row>[]) =>
    (hasMark ? '\ufeff' : '') + line(columns.map(({ name }) => name))
  const cellsOf = <Row>(row: Row, columns: readonly Column<Row>[]) =>
    columns.map((column) => {
      const data = dataOf(column, row)
      return column.isMoney && decimal === 'comma' ? data.replace('.', ',') : data
    })
  return {
    record: (data, columns) => heading(columns) + line(cellsOf(data, columns)),
    async *rows(rows, columns) {
      yield heading(columns)
      for await (const row of rows) yield line(cellsOf(row, columns))
    },
  }
}

/** Excel's separators by country: between cells, and before decimals. */
const countries = { 'es-CR': { separator: ';', decimal: ',' }, 'en-US': { separator: ',', decimal: '.' } } as const

/**
 * CSV that Excel in that country opens correctly on a double click. Times are local, because Excel can't read a time
 * with a zone.
 */
export function excelCsv(country: keyof typeof countries): Renderer {
  const { separator, decimal } = countries[country]
  const line = (cells: readonly string[]) => `${csvLine(cells, separator)}\r\n`
  const safe = (text: string) => inert(printableLines(text), separator)
  const heading = <Row>(columns: readonly Column<Row>[]) =>
    `\ufeff${line(columns.map((column) => safe(localHeading(column))))}`
  const cells = <Row>(row: Row, columns: readonly Column<Row>[]) =>
    columns.map((column) => {
      const data = dataOf(column, row)
      if (column.isTime) return safe(localTime(data))
      const isNumber = column.isMoney || typeof column.data(row) === 'number'
      return isNumber ? data.replace('.', decimal) : digitsAsText(safe(data))
    })
  return {
    record: (data, columns) => heading(columns) + line(cells(data, columns)),
    async *rows(rows, columns) {
      yield heading(columns)
      for await (const row of rows) yield line(cells(row, columns))
    },
  }
}

/** Heading of a column; with the zone if its times are local. */
const localHeading = <Row>({ name, isTime }: Column<Row>): string => (isTime ? `${name} (${zoneName()})` : name)

/**
 * Writes digits as a formula, so that they stay text: Excel would turn them into a number, and lose leading zeros and
 * all digits beyond the fifteenth.
 */
const digitsAsText = (cell: string): string => (/^\d{5,}$|^0\d+$/.test(cell) ? `="${cell}"` : cell)

/**
 * Writes a workbook of one sheet: money as numbers with two decimals, times as local dates with the zone in the
 * heading, strings as text, so that documents and references keep all digits.
 */
export const xlsx = <Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): Promise<Uint8Array> =>
  xlsxBytes({ name: 'payctl', rows: workbookRows(rows, columns) })

async function* workbookRows<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
): AsyncGenerator<readonly WrittenCell[], void> {
  yield columns.map((column) => ({ text: localHeading(column), kind: 'heading' }))
  for await (const row of rows) yield columns.map((column) => workbookCell(column, row))
}

function workbookCell<Row>(column: Column<Row>, row: Row): WrittenCell {
  const data = column.data(row)
  if (column.isMoney && data != null) return { text: String(data), kind: 'money' }
  if (column.isTime) return { text: localTime(dataOf(column, row)), kind: 'date' }
  if (typeof data === 'number') return { text: String(data), kind: 'number' }
  if (typeof data === 'boolean') return { text: data ? 'TRUE' : 'FALSE', kind: 'boolean' }
  return { text: printableLines(dataOf(column, row)), kind: 'text' }
}
