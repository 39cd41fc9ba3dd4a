import { textWidth, wordsWrapped } from '../run/cell_lines.ts'
import type { Paint, Tone } from '../run/colour.ts'
import type { Marks } from '../run/marks.ts'
import { printable } from '../run/sanitise.ts'
import { zonedTime } from '../run/time.ts'
import type { Card, Column, Mark } from './output.ts'
import { dataOf, shownOf } from './renderer.ts'

/** Style of results on a terminal. */
export interface Look {
  readonly paint: Paint
  readonly marks: Marks
  /** Cells of the terminal; infinite: cut and shorten nothing. */
  readonly width: number
}

const margin = '  '

export const toneOf = (mark: Mark): Tone => (mark === 'incoming' ? 'good' : mark === 'unknown' ? 'busy' : mark)

/** One record: a title, then a line for each fact. */
export function card({ mark, title, lines }: Card, look: Look): string {
  const { paint, marks } = look
  const [state = '', ...rest] = title.map(printable)
  const parts = [`${marks[mark]} ${state}`, ...rest]
  const fits = textWidth(margin + parts.join('   ')) <= look.width
  const first = [paint.tone(toneOf(mark), parts[0] ?? ''), ...rest].join(fits ? '   ' : `\n${margin}`)
  const told = lines.flatMap(([name, text]) => (text ? [{ name, text: printable(text) }] : []))
  return title.length === 0 ? labelled(told, look) : `${margin}${first}\n${labelled(told, look)}`
}

/** One record with a line for each field that has a value. */
export function plainCard<Row>(row: Row, columns: readonly Column<Row>[], look: Look): string {
  const lines = columns.map((column) => {
    const { name, heading, isTime, tone } = column
    const text = isTime ? printable(zonedTime(dataOf(column, row))) : shownOf(column, row)
    return { name: heading || label(name), text, tone: tone?.(row) }
  })
  const told = lines.filter(({ text }) => text !== '')
  return labelled(told.length > 0 ? told : lines.slice(0, 1).map((line) => ({ ...line, text: '-' })), look)
}

interface Line {
  readonly name: string
  readonly text: string
  readonly tone?: Tone | undefined
}

/** Texts with labels in front; long texts wrap. */
function labelled(lines: readonly Line[], { paint, width }: Look): string {
  const names = Math.max(...lines.map(({ name }) => textWidth(name)))
  const before = margin.length + names + margin.length
  const narrow = width - before < 20
  return lines
    .map(({ name, text, tone }) => {
      const parts = narrow ? [text] : wordsWrapped(text, width - before)
      const shown = parts.map((part) => (tone ? paint.tone(tone, part) : part)).join(`\n${' '.repeat(before)}`)
      return `${margin}${paint.heading(capitalised(name))}${' '.repeat(before - margin.length - textWidth(name))}${shown}\n`
    })
    .join('')
}

/** Label of a member, which may be the service's own name in `payctl api`. */
export const label = (name: string): string => printable(name).replaceAll('_', ' ')

/** `Created at`, `IBAN`, `SINPE available`. */
const capitalised = (name: string): string =>
  name
    .replace(/^./u, (first) => first.toUpperCase())
    .replace(/\b(iban|url|api|pin|sinpe|utc|fx)\b/gi, (word) => word.toUpperCase())
