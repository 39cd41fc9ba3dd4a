import CliTable from 'cli-table3'
import { cutTo, fitWidths, gap, textWidth, wrapped } from '../run/cell_lines.ts'
import type { Paint } from '../run/colour.ts'
import { printable } from '../run/sanitise.ts'
import { batches } from './batches.ts'
import type { Column } from './output.ts'
import { type Renderer, shownOf } from './renderer.ts'

/** Rows that are held in memory and laid out together. */
const batchSize = 100

/** A longer cell continues on the next line, even if nothing is cut. */
const longestLine = 500

/** Cells that are reserved for values of unknown width. */
const usual = 8

/** For people. `width` is the terminal's; infinite: nothing is cut. */
export function table(paint: Paint, width: number): Renderer {
  const listing = <Row>(row: Row, columns: readonly Column<Row>[]): string => {
    const keys = Math.max(...columns.map(({ name }) => textWidth(label(name))))
    const lines = columns.map((column) => {
      const key = label(column.name) + ' '.repeat(keys + gap - textWidth(label(column.name)))
      return `${paint.heading(key)}${painted(column, row, cell(column, row) || '-')}\n`
    })
    return lines.join('')
  }

  const painted = <Row>(column: Column<Row>, row: Row, text: string): string => {
    const colour = column.tone?.(row)
    return colour ? paint.tone(colour, text) : text
  }

  /** The lines of a row, as many as its longest cell needs. */
  const lines = <Row>(row: Row, columns: readonly Column<Row>[], layout: Layout): string[][] => {
    const parts = columns.map((column, at) => {
      const [text, room] = [cell(column, row), layout.widths[at] ?? 0]
      return layout.isCut[at] ? [cutTo(text, room)] : wrapped(text, room)
    })
    const height = Math.max(...parts.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) =>
      columns.map((column, at) => painted(column, row, parts[at]?.[line] ?? '')),
    )
  }

  return {
    record: (data, columns) => listing(data, columns),
    async *rows(rows, all) {
      const columns = all.filter(({ detail }) => !detail)
      let layout: Layout | null | undefined
      for await (const batch of batches(rows, batchSize)) {
        const isFirst = layout === undefined
        const known = Array.isArray(rows) ? rows : batch.rows
        layout ??= layOut({ columns, known, isWhole: batch.isLast || known === rows, width })
        if (layout === null) {
          yield (isFirst ? '' : '\n') + batch.rows.map((row) => listing(row, columns)).join('\n')
          continue
        }
        const { widths } = layout
        const heading = columns.map(({ name }) => paint.heading(label(name).toUpperCase()))
        const laid = batch.rows.flatMap((row) => lines(row, columns, layout as Layout))
        yield grid(isFirst ? [heading, ...laid] : laid, columns, widths)
      }
    },
  }
}

/** `payctl api` has the service's own names. */
const label = (name: string): string => printable(name).replaceAll('_', ' ')

const cell = <Row>(column: Column<Row>, row: Row): string => printable(shownOf(column, row))

/** The widths of the columns. They stay the same for all rows, because printed rows can't be moved. */
interface Layout {
  readonly widths: readonly number[]
  /** Whether a long cell of a column is cut; else it continues below. */
  readonly isCut: readonly boolean[]
}

interface TableContent<Row> {
  readonly columns: readonly Column<Row>[]
  readonly known: readonly Row[]
  /** Whether these are all rows. */
  readonly isWhole: boolean
  readonly width: number
}

/** Null if the columns do not fit: then each row is printed as a listing. */
function layOut<Row>({ columns, known, isWhole, width }: TableContent<Row>): Layout | null {
  const texts = columns.map((column) => known.map((row) => cell(column, row)))
  const natural = columns.map(({ name, width: expected = usual }, at) => {
    const longest = (texts[at] ?? []).reduce((most, text) => Math.max(most, textWidth(text)), 0)
    return Math.max(textWidth(label(name)), Math.min(longest, longestLine), isWhole ? 0 : expected)
  })
  const isWords = columns.map(
    ({ uncut, width: expected }, at) =>
      !uncut && (expected !== undefined || (texts[at] ?? []).some((text) => text.includes(' '))),
  )
  const widths = fitWidths(natural, isWords, width)
  return widths && { widths, isCut: isWords.map((is) => is && width !== Number.POSITIVE_INFINITY) }
}

function grid<Row>(lines: string[][], columns: readonly Column<Row>[], widths: readonly number[]): string {
  const borderless = new CliTable({
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    colWidths: widths.map((width) => width + gap),
    colAligns: columns.map(({ align }) => align ?? 'left'),
  })
  borderless.push(...lines)
  return `${borderless.toString().replace(/(?<! ) +$/gm, '')}\n`
}

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('middle')
    .map((name) => [name, '']),
)
