import { inert, printable } from '../run/sanitise.ts'
import type { Column } from './output.ts'
import { dataOf, type Renderer } from './renderer.ts'

const cells = <Row>(row: Row, columns: readonly Column<Row>[]): string[] => columns.map((column) => dataOf(column, row))

const names = <Row>(columns: readonly Column<Row>[]): string[] => columns.map(({ name }) => name)

/** A heading line, then a line for each row. Renders one record like a list of one. */
export const separated = (line: (cells: readonly string[]) => string): Renderer => ({
  record: (data, columns) => line(names(columns)) + line(cells(data, columns)),
  async *rows(rows, columns) {
    yield line(names(columns))
    for await (const row of rows) yield line(cells(row, columns))
  },
})

export const tsv = separated((cells) => `${cells.map((cell) => inert(printable(cell), '\t')).join('\t')}\n`)
