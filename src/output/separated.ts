import { printable } from '../run/sanitise.ts'
import type { Column } from './output.ts'
import { dataOf, type Renderer } from './renderer.ts'

const plainNumber = /^[+-]?\d+(\.\d+)?$/

/** Removes spaces, line ends and invisible characters in front, as spreadsheets do before they interpret a cell. */
const asLookedAt = (text: string): string => text.replace(/^[\s\p{Z}\p{C}]+/u, '')

/** A spreadsheet runs text that begins like a formula; an apostrophe prevents that. */
export const inert = (text: string): string => (isFormula(text) && !plainNumber.test(text) ? `'${text}` : text)

/** Compatible forms such as full-width ones too. A tab or line end at the start begins another cell. */
const isFormula = (text: string): boolean =>
  /^[\t\r\n]/.test(text) || /^[=+\-@\u2212]/.test(asLookedAt(text).slice(0, 2).normalize('NFKC'))

const cells = <Row>(row: Row, columns: readonly Column<Row>[]): string[] => columns.map((column) => dataOf(column, row))

const names = <Row>(columns: readonly Column<Row>[]): string[] => columns.map(({ name }) => name)

/** A heading line, then a line for each row; one record is a list of one. */
export const separated = (line: (cells: readonly string[]) => string): Renderer => ({
  record: (data, columns) => line(names(columns)) + line(cells(data, columns)),
  async *rows(rows, columns) {
    yield line(names(columns))
    for await (const row of rows) yield line(cells(row, columns))
  },
})

export const tsv = separated((cells) => `${cells.map((cell) => inert(printable(cell))).join('\t')}\n`)
