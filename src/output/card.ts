import { textWidth, wordsWrapped } from '../run/cell_lines.ts'
import { printable } from '../run/sanitise.ts'
import type { Marks, Paint, Tone } from '../run/style.ts'
import { zonedTime } from '../run/time.ts'
import { inEnglish, Text, type Translate } from '../words/text.ts'
import type { Card, Column, Mark } from './output.ts'
import { dataOf, textOf } from './renderer.ts'

export interface TerminalStyle {
  readonly paint: Paint
  readonly marks: Marks
  /** Width of the terminal, in cells; infinite: nothing is cut or shortened. */
  readonly width: number
  /** Default: English. */
  readonly translate?: Translate
}

const margin = '  '

export const toneOf = (mark: Mark): Tone => (mark === 'incoming' ? 'good' : mark === 'unknown' ? 'busy' : mark)

/** Renders one record: a title, then a line for each fact. */
export function card({ mark, title, lines }: Card, style: TerminalStyle): string {
  const { paint, marks, width, translate = inEnglish } = style
  const [state = '', ...rest] = title.map((part) => printable(translate(part)))
  const parts = [`${marks[mark]} ${state}`, ...rest]
  const fits = textWidth(margin + parts.join('   ')) <= width
  const first = [paint.tone(toneOf(mark), parts[0] ?? ''), ...rest].join(fits ? '   ' : `\n${margin}`)
  const facts = lines.flatMap(([name, text, tone]) =>
    text ? [{ name: translate(name), text: printable(text instanceof Text ? translate(text) : text), tone }] : [],
  )
  return title.length === 0 ? labelled(facts, style) : `${margin}${first}\n${labelled(facts, style)}`
}

/** Renders one record with a line for each field that has a value. */
export function plainCard<Row>(row: Row, columns: readonly Column<Row>[], style: TerminalStyle): string {
  const { translate = inEnglish } = style
  const lines = columns.map((column) => {
    const { name, heading, isTime, tone } = column
    const text = isTime ? printable(zonedTime(dataOf(column, row))) : textOf(column, row, translate)
    return { name: translate(heading || label(name)), text, tone: tone?.(row) }
  })
  const facts = lines.filter(({ text }) => text !== '')
  return labelled(facts.length > 0 ? facts : lines.slice(0, 1).map((line) => ({ ...line, text: '-' })), style)
}

interface LabelledText {
  readonly name: string
  readonly text: string
  readonly tone?: Tone | undefined
}

/** Texts with labels in front; long texts wrap. */
function labelled(facts: readonly LabelledText[], { paint, width }: TerminalStyle): string {
  const longest = Math.max(...facts.map(({ name }) => textWidth(name)))
  const before = margin.length + longest + margin.length
  const isNarrow = width - before < 20
  return facts
    .map(({ name, text, tone }) => {
      // Makes headings such as `Created at`, `IBAN` and `SINPE available`.
      const heading = name
        .replace(/^./u, (letter) => letter.toUpperCase())
        .replace(/\b(iban|url|api|pin|sinpe|utc|fx)\b/gi, (word) => word.toUpperCase())
      const parts = isNarrow ? [text] : wordsWrapped(text, width - before)
      const lines = parts.map((part) => (tone ? paint.tone(tone, part) : part)).join(`\n${' '.repeat(before)}`)
      return `${margin}${paint.heading(heading)}${' '.repeat(before - margin.length - textWidth(name))}${lines}\n`
    })
    .join('')
}

/**
 * Label of a member, with spaces in place of underscores. In `payctl api` the name comes from the service, so it is
 * cleaned.
 */
export const label = (name: string): string => printable(name).replaceAll('_', ' ')
