import CliTable from 'cli-table3'
import { batches } from './batches.ts'
import { shownOf, toneOf } from './cell.ts'
import type { Paint } from './colour.ts'
import { fitWidths, gap, textWidth } from './column_widths.ts'
import type { Column } from './output.ts'
import type { Renderer } from './renderer.ts'
import { printable } from './sanitise.ts'

/** Rows that are laid out together, held in memory. */
const batchSize = 100

/** For people. `width` is the terminal's, or infinite: then nothing is cut. */
export function table(paint: Paint, width: number): Renderer {
  const listing = <Row>(row: Row, columns: readonly Column<Row>[]): string => {
    const keys = Math.max(...columns.map(({ name }) => label(name).length))
    const lines = columns.map((column) => {
      const key = label(column.name).padEnd(keys + gap)
      return `${paint.heading(key)}${painted(column, row, cell(column, row) || '-')}\n`
    })
    return lines.join('')
  }

  const painted = <Row>(column: Column<Row>, row: Row, text: string): string => {
    const colour = toneOf(column, row)
    return colour ? paint.tone(colour, text) : text
  }

  return {
    record: (data, columns) => listing(data, columns),
    async *rows(rows, all) {
      const columns = all.filter(({ detail }) => !detail)
      const headings = columns.map(({ name }) => label(name).toUpperCase())
      let natural = headings.map(textWidth)
      let first = true
      for await (const batch of batches(rows, batchSize)) {
        const texts = batch.map((row) => columns.map((column) => cell(column, row)))
        natural = natural.map((widest, at) => Math.max(widest, ...texts.map((line) => textWidth(line[at] ?? ''))))
        const widths = fitWidths(
          natural,
          columns.map((column, at) => isCuttable(column, at, texts)),
          width,
        )
        if (widths === null) {
          const blocks = batch.map((row) => listing(row, columns))
          yield (first ? '' : '\n') + blocks.join('\n')
        } else {
          const lines = batch.map((row, line) =>
            columns.map((column, at) => painted(column, row, texts[line]?.[at] ?? '')),
          )
          yield grid(first ? [headings.map(paint.heading), ...lines] : lines, columns, widths)
        }
        first = false
      }
    },
  }
}

/** `payctl api` has the service's own names. */
const label = (name: string): string => printable(name).replaceAll('_', ' ')

const cell = <Row>(column: Column<Row>, row: Row): string => printable(shownOf(column, row))

/** Words can lose their end; an identifier, a time or an amount can't. */
const isCuttable = <Row>({ uncut }: Column<Row>, at: number, texts: readonly string[][]): boolean =>
  !uncut && texts.some((line) => line[at]?.includes(' '))

function grid<Row>(lines: string[][], columns: readonly Column<Row>[], widths: readonly number[]): string {
  const borderless = new CliTable({
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    colWidths: widths.map((width) => width + gap),
    colAligns: columns.map(({ align }) => align ?? 'left'),
  })
  borderless.push(...lines)
  return `${borderless.toString().replace(/ +$/gm, '')}\n`
}

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('middle')
    .map((name) => [name, '']),
)
