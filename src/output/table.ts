import { cutTo, wordsWrapped, wrapped } from '../run/cell_lines.ts'
import { printable } from '../run/sanitise.ts'
import { zoneName } from '../run/time.ts'
import { foreign, inEnglish, type Translate } from '../words/text.ts'
import { card, label, plainCard, type TerminalStyle, toneOf } from './card.ts'
import type { drawTable } from './draw_table.ts'
import type { Column } from './output.ts'
import { batches, type ListExtras, type Renderer, type Rows, textOf } from './renderer.ts'
import { gap, layOut, type TableLayout } from './table_layout.ts'

/** Number of rows to hold in memory and lay out together. */
const batchSize = 100

/** Number of characters of a shortened id: the minimum, and the number for a list whose later rows are unknown. */
const [shortestId, streamedId] = [5, 8]

/** Minimum width of a terminal that shows spare columns, in cells. */
const roomyWidth = 110

/** Minimum room for the line below a row, in terminal cells: the line is indented less if necessary. */
const longestBelow = 48

/** Renderer for people. */
export const table = ({ translate = inEnglish, ...terminal }: TerminalStyle): Renderer => {
  const style = { ...terminal, translate }
  return {
    record: (data, columns, card) => cardOf(data, columns, { ...style, ...(card && { card }) }),
    rows: (rows, columns, extras = {}) => listOf(rows, columns, { ...style, ...extras }),
  }
}

type ListStyle<Row> = TerminalStyle & { readonly translate: Translate } & ListExtras<Row>

const cardOf = <Row>(row: Row, columns: readonly Column<Row>[], style: ListStyle<Row>): string =>
  style.card ? card(style.card(row), style) : plainCard(row, columns, style)

/** Renders a table, or cards if the columns of the table do not fit side by side. */
async function* listOf<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
  style: ListStyle<Row>,
): AsyncGenerator<string, void> {
  let lines: TableLines<Row> | null | undefined
  for await (const batch of batches(rows, batchSize)) {
    const isFirst = lines === undefined
    if (style.isCards) lines = null
    else if (lines === undefined) {
      const known = Array.isArray(rows) ? rows : batch.rows
      const isWhole = batch.isLast || known === rows
      const isRoomy = style.width >= roomyWidth && style.width !== Number.POSITIVE_INFINITY
      const shown = columns.filter(({ spare }) => !spare || isRoomy)
      const drawn = shown.map((column) => forPeople(column, isWhole ? known : undefined, style))
      const layout = layOut({
        columns: drawn,
        known,
        isWhole,
        width: style.width,
        heading: (column) => headingOf(column, style.translate),
        cell: (column, row) => textOf(column, row, style.translate),
      })
      if (layout && layout.leftOut.length > 0) {
        style.onLeftOut?.(layout.leftOut.map(({ name, heading }) => printable(style.translate(heading || label(name)))))
      }
      lines = layout && new TableLines(layout, style, (await import('./draw_table.ts')).drawTable)
    }
    if (lines) yield `${lines.of(batch.rows).join('\n')}\n`
    else yield (isFirst ? '' : '\n') + batch.rows.map((row) => cardOf(row, columns, style)).join('\n')
  }
}

/** A column as people see it: marks as signs, ids shortened. `known`: all rows, if they are known. */
function forPeople<Row>(column: Column<Row>, known: readonly Row[] | undefined, style: ListStyle<Row>): Column<Row> {
  const { mark, shortened } = column
  if (mark) {
    const sign = (row: Row) => style.marks[mark(row)]
    return { ...column, text: sign, tone: (row) => toneOf(mark(row)), width: 1, uncut: true }
  }
  if (!shortened || style.width === Number.POSITIVE_INFINITY) return column
  const length = known ? shortestUnique(known.map((row) => textOf(column, row, style.translate))) : streamedId
  return { ...column, text: (row) => textOf(column, row, style.translate).slice(-length), width: streamedId }
}

/** Number of final characters that distinguish all ids. */
function shortestUnique(ids: readonly string[]): number {
  const different = new Set(ids)
  const longest = Math.max(0, ...ids.map(({ length }) => length))
  for (let length = shortestId; length < longest; length += 1) {
    if (new Set(Array.from(different, (id) => id.slice(-length))).size === different.size) return length
  }
  return Math.max(shortestId, longest)
}

const headingOf = <Row>({ name, heading, isTime }: Column<Row>, translate: Translate): string => {
  const text = translate(heading ?? label(name)).toUpperCase()
  return isTime && text !== '' ? `${text} (${zoneName()})` : text
}

/** Renders rows as the lines of one table. */
class TableLines<Row> {
  readonly #layout: TableLayout<Row>
  readonly #style: ListStyle<Row>
  readonly #draw: typeof drawTable
  #hasBegun = false
  #group: string | undefined

  constructor(layout: TableLayout<Row>, style: ListStyle<Row>, draw: typeof drawTable) {
    this.#layout = layout
    this.#style = style
    this.#draw = draw
  }

  /** Lines of these rows; the first call adds the heading. */
  of(rows: readonly Row[]): string[] {
    const lines = rows.flatMap((row) => [...this.#changeOfGroup(row), ...this.#row(row), ...this.#below(row)])
    const drawn = this.#draw(
      lines.filter((line) => typeof line !== 'string'),
      this.#layout,
    ).values()
    const texts = lines.map((line) => (typeof line === 'string' ? line : (drawn.next().value ?? '')))
    if (this.#hasBegun) return texts
    this.#hasBegun = true
    return [...this.#heading(rows[0]), ...texts]
  }

  /** The heading, with the first group if there is room for it. */
  #heading(first: Row | undefined): string[] {
    const { paint, marks, group, translate } = this.#style
    const { columns, widths } = this.#layout
    const cells = columns.map((column, at) => cutTo(headingOf(column, translate), widths[at] ?? 0, marks.cut))
    const [heading = ''] = this.#draw([cells], this.#layout)
    if (!group || first === undefined) return [paint.heading(heading)]
    const text = `${printable(translate(foreign(group.of(first))))} (${zoneName()})`
    const at = this.#offsetOf(group.over)
    const isFree = heading.slice(at, at + text.length + 1).trim() === ''
    if (!isFree) return [paint.heading(' '.repeat(at) + text), paint.heading(heading)]
    return [paint.heading(heading.slice(0, at).padEnd(at) + text + heading.slice(at + text.length))]
  }

  #changeOfGroup(row: Row): string[] {
    const { paint, group, translate } = this.#style
    const before = this.#group
    this.#group = group?.of(row)
    if (!group || before === undefined || before === this.#group) return []
    return [paint.heading(' '.repeat(this.#offsetOf(group.over)) + printable(translate(foreign(this.#group ?? ''))))]
  }

  /** Cells of a row, on as many lines as the row's longest cell needs. */
  #row(row: Row): readonly (readonly string[])[] {
    const { columns, widths, isCut } = this.#layout
    const { marks, paint, translate } = this.#style
    const parts = columns.map((column, at) => {
      const [text, room, tone] = [textOf(column, row, translate), widths[at] ?? 0, column.tone?.(row)]
      const lines = isCut[at] ? [text] : wrapped(text, room)
      return lines.map((line) => {
        const cut = cutTo(line, room, marks.cut)
        return tone && cut !== '' ? paint.tone(tone, cut) : cut
      })
    })
    const height = Math.max(...parts.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) => parts.map((part) => part[line] ?? ''))
  }

  #below(row: Row): string[] {
    const text = printable(this.#style.translate(this.#style.below?.(row) ?? ''))
    if (text === '') return []
    const { columns, widths } = this.#layout
    const words = columns.findIndex(({ align, uncut }) => !align && !uncut)
    const { width } = this.#style
    // Aligns the line with the row's first column of words, if that leaves room for a sentence.
    const at = Math.min(startOf(widths, Math.max(0, words)) + 2, Math.max(2, width - longestBelow))
    return wordsWrapped(text, Math.max(20, width - at)).map((line) => ' '.repeat(at) + line)
  }

  #offsetOf(name: string): number {
    const { columns, widths } = this.#layout
    return startOf(
      widths,
      Math.max(
        0,
        columns.findIndex((column) => column.name === name),
      ),
    )
  }
}

/** Width of everything to the left of a column, in terminal cells. */
const startOf = (widths: readonly number[], at: number): number =>
  widths.slice(0, at).reduce((sum, width) => sum + width + gap, 0)
