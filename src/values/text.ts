import { normalizePhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import { say } from '../words/text.ts'

/** Strips invisible format characters (bidi, zero-width, byte order marks), and white space at both ends. */
export const visible = (text: string): string => text.replace(/\p{Cf}/gu, '').trim()

/**
 * Invisible characters, and characters that reorder others: a person sees a value that differs from the value in
 * memory.
 */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/u

/** Characters that make digits appear in an order that differs from the stored order. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/

/**
 * Throws UsageError for a value with an invisible character. `of`: `reordering` refuses only characters that reorder
 * others.
 */
export function requireVisible(text: string, name: string | undefined, of: 'all' | 'reordering' = 'all'): void {
  const at = text.search(of === 'all' ? unseen : reordering)
  if (at === -1) return
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  throw new UsageError(
    say`${named(text, name)} has an invisible character, U+${code}, at position ${at + 1}.`,
    'Type the value again by hand: what you see may not be what payctl reads',
  )
}

/** Lower case without accents: `Jiménez` becomes `jimenez`. */
export const plainLetters = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Maximum number of characters of a value that a message repeats. */
const shownLength = 60

/** A value as a message shows it: `--to "8700-00x"`, or only the value. */
export function named(text: string, name: string | undefined): string {
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
  return name === undefined ? `'${shown}'` : `${name} "${shown}"`
}

/** The first character other than 0 to 9: its position, counted from 1, and its name. */
export function oddCharacter(text: string): { readonly position: number; readonly name: string } | undefined {
  const at = text.search(/[^0-9]/)
  if (at === -1) return undefined
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  return { position: at + 1, name: nameOf(character) }
}

function nameOf(character: string): string {
  if (/\p{L}/u.test(character)) return `the letter ${character}`
  return /\p{Nd}/u.test(character) ? `${character}, a digit of another script` : `"${character}"`
}

/** Letters that look like digits. */
const lookalikes: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', Z: '2', S: '5', G: '6', B: '8' }

/** Replaces letters with the digits that they look like. */
export const withDigits = (text: string): string =>
  text.toUpperCase().replace(/[A-Z]/g, (letter) => lookalikes[letter] ?? letter)

/** True if the text is part of the id, in either case. */
export const isPartOf = (part: string, id: string): boolean =>
  part !== '' && id.toLowerCase().includes(part.toLowerCase())

/** Minimum length, in characters, of a part of an id or key; shorter parts occur in many ids. */
export const shortestIdPart = 5

/**
 * Normalizes part of an id as a user types it, such as the `...00c1` of a list.
 */
export const idPart = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^(\.{2,}|…)/, '')

/** The end of an id, because ids that were created at the same time begin alike: `...00c1`. */
export const shownPart = (id: string): string => `...${id.slice(-shortestIdPart)}`

/**
 * Digits of a whole number that a program wrote in another form: `87000001` for `87000001.0` or `8.7000001E7`.
 * Undefined for other text, and for a shortened number: `8.7E7` may have lost digits.
 */
export function wholeNumber(text: string): string | undefined {
  const written = visible(text)
  // Four zeros can be the second half of a phone: 8888.0000.
  const [, digits] = /^(\d+)[.,]0{1,3}$/.exec(written) ?? []
  if (digits !== undefined) return digits
  const [, first = '', decimals = '', exponent] = /^([1-9])[.,](\d+)E\+?(\d{1,2})$/i.exec(written) ?? []
  const length = Number(exponent)
  const isWhole = decimals.length >= length && /^0*$/.test(decimals.slice(length))
  return exponent !== undefined && isWhole ? first + decimals.slice(0, length) : undefined
}

/** A phone as `normalizePhone` writes it, even if a spreadsheet has turned it into a number. */
export const phoneIn = (text: string): string => normalizePhone(wholeNumber(text) ?? text)
