import { textWidth } from '../run/cell_lines.ts'
import type { Column } from './output.ts'

/** Spaces between two columns. */
export const gap = 2

/** Maximum number of cells in a line; a longer cell wraps, even if nothing is cut. */
const longestLine = 500

/** Cells to reserve for values of unknown width. */
const usual = 8

/** Minimum cells of words that are cut: while dispensable columns remain, and without them. */
const [comfortable, narrowest] = [20, 10]

/** Widths of the columns. They stay constant for all rows, because printed rows can't be moved. */
export interface TableLayout<Row> {
  readonly columns: readonly Column<Row>[]
  readonly widths: readonly number[]
  /** True: cut a long cell of the column. False: wrap it. */
  readonly isCut: readonly boolean[]
}

interface TableContent<Row> {
  readonly columns: readonly Column<Row>[]
  readonly known: readonly Row[]
  /** True if these are all rows. */
  readonly isWhole: boolean
  /** Cells of the terminal; infinite without one. */
  readonly width: number
  readonly heading: (column: Column<Row>) => string
  readonly cell: (column: Column<Row>, row: Row) => string
}

/** Null if the columns do not fit: then each row is printed as a card. */
export function layOut<Row>(content: TableContent<Row>): TableLayout<Row> | null {
  let columns = content.columns
  for (;;) {
    const placed = place({ ...content, columns }, comfortable)
    const last = columns.findLast(({ dispensable }) => dispensable)
    if (placed || !last) return placed ?? place({ ...content, columns }, narrowest)
    columns = columns.filter((column) => column !== last)
  }
}

function place<Row>(content: TableContent<Row>, least: number): TableLayout<Row> | null {
  const { columns, known, isWhole, width, heading, cell } = content
  const texts = columns.map((column) => known.map((row) => cell(column, row)))
  const natural = columns.map((column, at) => {
    const longest = (texts[at] ?? []).reduce((most, text) => Math.max(most, textWidth(text)), 0)
    const reserved = Math.max(column.least ?? 0, isWhole ? 0 : (column.width ?? usual))
    return Math.max(1, textWidth(heading(column)), Math.min(longest, longestLine), reserved)
  })
  const isWords = columns.map(
    ({ uncut, width: expected }, at) =>
      !uncut && (expected !== undefined || (texts[at] ?? []).some((text) => text.includes(' '))),
  )
  const shortest = columns.map(({ wraps }, at) => {
    if (wraps !== 'between words') return least
    const words = (texts[at] ?? []).flatMap((text) => text.split(' ').map(textWidth))
    return Math.max(least, comfortable, ...words.filter((cells) => cells <= longestWholeWord))
  })
  const widths = fitWidths(natural, { isWords, shortest, available: width })
  return (
    widths && {
      columns,
      widths,
      isCut: isWords.map((is, at) => is && !columns[at]?.wraps && width !== Number.POSITIVE_INFINITY),
    }
  )
}

/** Cells of a UUID, the longest word that stays whole, so that it can be copied. Longer words, such as URLs, are broken. */
const longestWholeWord = 36

interface WidthLimits {
  readonly isWords: readonly boolean[]
  /** Minimum cells of each column with words. */
  readonly shortest: readonly number[]
  /** Cells for all columns side by side. */
  readonly available: number
}

/** Narrows the widest words until all columns fit side by side; null if they can't. */
function fitWidths(natural: readonly number[], limits: WidthLimits): readonly number[] | null {
  const { isWords, shortest, available } = limits
  const smallest = natural.map((width, at) => (isWords[at] ? Math.min(width, shortest[at] ?? 0) : width))
  if (sideBySide(smallest) > available) return null
  const widths = natural.map((width, at) =>
    isWords[at] ? Math.min(width, Math.max(available, shortest[at] ?? 0)) : width,
  )
  while (sideBySide(widths) > available) {
    const candidates = widths.map((width, at) => (width > (smallest[at] ?? 0) ? width : 0))
    const widest = Math.max(...candidates)
    widths[candidates.indexOf(widest)] = widest - 1
  }
  return widths
}

const sideBySide = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))
