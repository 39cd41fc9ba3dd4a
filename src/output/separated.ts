import type { Column } from './output.ts'
import type { Renderer } from './renderer.ts'

const plainNumber = /^[+-]?\d+(\.\d+)?$/

/** A spreadsheet runs text that begins like a formula: an apostrophe makes it text again. */
export const inert = (text: string): string => (/^[=+\-@]/.test(text) && !plainNumber.test(text) ? `'${text}` : text)

const cells = <Row>(row: Row, columns: readonly Column<Row>[]): string[] =>
  columns.map(({ data }) => String(data(row) ?? ''))

const names = <Row>(columns: readonly Column<Row>[]): string[] => columns.map(({ name }) => name)

/** A heading line, then a line for each row; one record is a list of one. */
export const separated = (line: (cells: readonly string[]) => string): Renderer => ({
  record: (data, columns) => line(names(columns)) + line(cells(data, columns)),
  async *rows(rows, columns) {
    yield line(names(columns))
    for await (const row of rows) yield line(cells(row, columns))
  },
})
