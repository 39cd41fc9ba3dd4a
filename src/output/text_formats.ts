import { originalOf } from '../client/decode.ts'
import { escapeHidden, inert, printable } from '../run/sanitise.ts'
import type { Column } from './output.ts'
import { dataOf, type Renderer } from './renderer.ts'

// Formats that need no package.

const pretty = (data: unknown): string => escapeHidden(JSON.stringify(originalOf(data), null, 2))

const whole = (data: unknown): string => `${pretty(data)}\n`

export const json: Renderer = {
  record: whole,
  whole,
  async *rows(rows) {
    let count = 0
    for await (const row of rows) {
      yield `${count === 0 ? '[' : ','}\n  ${pretty(row).replaceAll('\n', '\n  ')}`
      count += 1
    }
    yield count === 0 ? '[]\n' : '\n]\n'
  },
}

const jsonLine = (data: unknown): string => `${escapeHidden(JSON.stringify(originalOf(data)))}\n`

export const ndjson: Renderer = {
  record: jsonLine,
  async *rows(rows) {
    for await (const row of rows) yield jsonLine(row)
  },
}

/** Renderer of a heading line, then a line for each row. One record is rendered like a list with one row. */
export function separated(line: (cells: readonly string[]) => string): Renderer {
  const heading = <Row>(columns: readonly Column<Row>[]) => line(columns.map(({ name }) => name))
  const rowLine = <Row>(row: Row, columns: readonly Column<Row>[]) => line(columns.map((column) => dataOf(column, row)))
  return {
    record: (data, columns) => heading(columns) + rowLine(data, columns),
    async *rows(rows, columns) {
      yield heading(columns)
      for await (const row of rows) yield rowLine(row, columns)
    },
  }
}

export const tsv = separated((cells) => `${cells.map((cell) => inert(printable(cell), '\t')).join('\t')}\n`)
