import { inert, printableLines } from '../run/sanitise.ts'
import { localTime } from '../run/time.ts'
import { csvLine } from '../sheets/write_sheet.ts'
import type { Column } from './output.ts'
import { dataOf, localHeading, type Renderer } from './renderer.ts'

/** Excel's separators by country: between cells, and before decimals. */
const countries = { 'es-CR': { separator: ';', decimal: ',' }, 'en-US': { separator: ',', decimal: '.' } } as const

type ExcelCountry = keyof typeof countries

/** CSV for a double click in an Excel of that country. Times are local, because Excel reads no others. */
export function excelCsv(country: ExcelCountry): Renderer {
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
      return isNumber ? data.replace('.', decimal) : asText(safe(data))
    })
  return {
    record: (data, columns) => heading(columns) + line(cells(data, columns)),
    async *rows(rows, columns) {
      yield heading(columns)
      for await (const row of rows) yield line(cells(row, columns))
    },
  }
}

/**
 * Writes digits as a formula, so that they stay text: Excel would make them a number, and lose leading zeros and all
 * digits beyond the fifteenth.
 */
const asText = (cell: string): string => (/^\d{5,}$|^0\d+$/.test(cell) ? `="${cell}"` : cell)
