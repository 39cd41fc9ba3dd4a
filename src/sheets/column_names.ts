import { nearest } from '../errors/nearest.ts'
import { say } from '../words/text.ts'
import { SheetError } from './sheet.ts'

/**
 * Normalizes a heading: drops accents, case, spaces and signs, so that `Teléfono `, `telefono` and `TELÉFONO:` are
 * equal.
 */
export const plainName = (heading: string): string =>
  heading
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Index of the column that a person named: by its heading or, if no heading matches, by its place (`3`, `C`). Throws
 * SheetError that lists the headings.
 */
export function columnNamed(wanted: string, headings: readonly string[]): number {
  const name = plainName(wanted)
  const exact = headings.flatMap((heading, at) => (heading.trim() === wanted.trim() ? [at] : []))
  const same = exact.length > 0 ? exact : headings.flatMap((heading, at) => (plainName(heading) === name ? [at] : []))
  const [first, second] = same
  if (name !== '' && first !== undefined && second === undefined) return first
  if (name !== '' && second !== undefined) {
    const places = same.map((at) => columnLetters(at)).join(' and ')
    throw new SheetError(say`The columns ${places} are both called '${wanted}'.`, 'Name one of them by its letter')
  }
  const place = placeOf(wanted)
  if (place !== undefined && place < headings.length) return place
  const close = nearest(
    name,
    headings.map(plainName).filter((heading) => heading !== ''),
  )
  const meant = headings.find((heading) => plainName(heading) === close)
  throw new SheetError(
    say`The file has no column '${wanted}'. It has: ${headings.filter((heading) => heading.trim() !== '').join(', ')}.`,
    meant === undefined ? 'Name one of them, or give its position: 3 or C' : say`Did you mean '${meant}'?`,
  )
}

/** Index from 0 of a place as people write it: `3` and `C` are 2. Undefined for other text. */
export function placeOf(text: string): number | undefined {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text) - 1
  if (!/^[a-z]{1,3}$/i.test(text)) return undefined
  return columnNumber(text) - 1
}

/** Number of a column, from 1: 1 for `A`, 27 for `AA`. */
export const columnNumber = (letters: string): number =>
  Array.from(letters.toUpperCase()).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)

/** Letters of a column by index, from 0: `A` for 0, `AA` for 26. */
export const columnLetters = (at: number): string =>
  (at >= 26 ? columnLetters(Math.floor(at / 26) - 1) : '') + String.fromCharCode(65 + (at % 26))
