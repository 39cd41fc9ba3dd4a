import { proseWords, textWidth } from '../run/cell_lines.ts'
import type { Column } from './output.ts'

/** Number of spaces between two columns. */
export const gap = 2

/** Maximum width of a line, in terminal cells; a longer value wraps, even if nothing is cut. */
const longestLine = 500

/** Width to reserve for values of unknown width, in terminal cells. */
const usual = 8

/**
 * Minimum widths, in terminal cells, of columns whose words may be cut: while there are spare columns, while there are
 * columns that can be left out, and when there are neither.
 */
const [roomy, comfortable, narrowest] = [32, 20, 10]

/** Widths of the columns. The widths stay constant for all rows, because printed rows can't be moved. */
export interface TableLayout<Row> {
  readonly columns: readonly Column<Row>[]
  readonly widths: readonly number[]
  /** True: cut a long cell of the column. False: wrap it. */
  readonly isCut: readonly boolean[]
  /** Columns that have values but do not fit. */
  readonly leftOut: readonly Column<Row>[]
}

interface TableContent<Row> {
  readonly columns: readonly Column<Row>[]
  readonly known: readonly Row[]
  /** True if these are all rows. */
  readonly isWhole: boolean
  /** Width of the terminal, in cells; infinite without a terminal. */
  readonly width: number
  readonly heading: (column: Column<Row>) => string
  readonly cell: (column: Column<Row>, row: Row) => string
}

/** Layout of a table; null if not even the amounts fit: then each row is printed as a card. */
export function layOut<Row>(content: TableContent<Row>): TableLayout<Row> | null {
  let measures = content.columns
    .map((column) => measureOf(column, content))
    .filter(({ column, longest }) => !column.spare || longest > 0 || !content.isWhole)
  const leftOut = new Set<Column<Row>>()
  for (const { least, mayGo } of steps) {
    for (;;) {
      const placed = place(measures, least, content.width)
      if (placed) return { ...placed, leftOut: content.columns.filter((column) => leftOut.has(column)) }
      const last = measures.findLast(({ column }, at) => mayGo(column, at))
      if (!last) break
      measures = measures.filter((measure) => measure !== last)
      if (!last.column.spare && last.longest > 0) leftOut.add(last.column)
    }
  }
  return null
}

/**
 * Steps to save room, in order: each contains the minimum width of words, and the columns that may be left out,
 * beginning with the last column.
 */
const steps: readonly { readonly least: number; readonly mayGo: (column: Column<never>, at: number) => boolean }[] = [
  { least: roomy, mayGo: ({ spare }) => spare === true },
  { least: comfortable, mayGo: ({ dispensable }) => dispensable === true },
  { least: narrowest, mayGo: () => false },
  // Amounts, currencies and ids are never dropped: an amount needs its currency, and the next command needs the id.
  {
    least: narrowest,
    mayGo: ({ align, name, shortened }, at) =>
      at > 0 && align !== 'right' && !/(?:^|\.)currency$/.test(name) && !shortened,
  },
]

/** A column with the widths of its cells. */
interface Measure<Row> {
  readonly column: Column<Row>
  /** Width of the longest value, in terminal cells. */
  readonly longest: number
  /** Width without cutting or wrapping, in terminal cells. */
  readonly natural: number
  readonly isWords: boolean
  /** Width of the longest word that stays whole, in terminal cells, if the column wraps between words. */
  readonly longestWord: number
}

function measureOf<Row>(column: Column<Row>, content: TableContent<Row>): Measure<Row> {
  const { known, isWhole, heading, cell } = content
  const { uncut, width: expected, wraps } = column
  const texts = known.map((row) => cell(column, row))
  const longest = texts.reduce((most, text) => Math.max(most, textWidth(text)), 0)
  const reserved = Math.max(column.least ?? 0, isWhole ? 0 : (expected ?? usual))
  const words = wraps === 'between words' ? texts.flatMap((text) => proseWords(text).map(textWidth)) : []
  return {
    column,
    longest,
    natural: Math.max(1, textWidth(heading(column)), Math.min(longest, longestLine), reserved),
    isWords: !uncut && (expected !== undefined || texts.some((text) => text.includes(' '))),
    longestWord: words.filter((cells) => cells <= longestWholeWord).reduce((most, cells) => Math.max(most, cells), 0),
  }
}

function place<Row>(
  measures: readonly Measure<Row>[],
  least: number,
  width: number,
): Omit<TableLayout<Row>, 'leftOut'> | null {
  const columns = measures.map(({ column }) => column)
  const isWords = measures.map((measure) => measure.isWords)
  const shortest = measures.map(({ column, longestWord }) =>
    column.wraps === 'between words' ? Math.max(least, comfortable, longestWord) : least,
  )
  const natural = measures.map((measure) => measure.natural)
  const widths = fitWidths(natural, { isWords, shortest, available: width })
  return (
    widths && {
      columns,
      widths,
      isCut: isWords.map((is, at) => is && !columns[at]?.wraps && width !== Number.POSITIVE_INFINITY),
    }
  )
}

/**
 * Width of a UUID, the longest word that stays whole, so that it can be copied. Longer words, such as URLs, are broken.
 */
const longestWholeWord = 36

interface WidthLimits {
  readonly isWords: readonly boolean[]
  /** Minimum width of each column with words, in terminal cells. */
  readonly shortest: readonly number[]
  /** Width for all columns side by side, in terminal cells. */
  readonly available: number
}

/** Widths at which all columns fit side by side: narrows the widest columns of words. Null if the columns can't fit. */
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
