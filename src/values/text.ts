import { UsageError } from '../errors/cli_error.ts'

/** Without the marks that nobody sees and that are copied with text: of direction, of width nought, byte order marks. */
export const visible = (text: string): string => text.replace(/\p{Cf}/gu, '').trim()

/** Characters that take no room or change the order of others: what a person sees is another value. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/u

/** Those that change the order: digits stand in another order than they are read. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/

/** Refuses a value with an invisible character. `of`: `reordering` refuses only those that change the order of others. */
export function requireVisible(text: string, name: string | undefined, of: 'all' | 'reordering' = 'all'): void {
  const at = text.search(of === 'all' ? unseen : reordering)
  if (at === -1) return
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  throw new UsageError(
    `${named(text, name)} has an invisible character, U+${code}, in place ${at + 1}.`,
    'Type the value again by hand: what is shown may not be what is read',
  )
}

/** Without accents and in small letters: `Jiménez` is `jimenez`. */
export const plainLetters = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Characters of a value that a message repeats. */
const shownLength = 60

/** How a message names a value: `--to "8700-00x"`, or only the value. */
export function named(text: string, name: string | undefined): string {
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
  return name === undefined ? `'${shown}'` : `${name} "${shown}"`
}

/** The first character that is none of 0 to 9: where it stands, counted from 1, and what to call it. */
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

/** Letters that are taken for digits. */
const lookalikes: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', Z: '2', S: '5', G: '6', B: '8' }

/** With digits for the letters that look like them. */
export const withDigits = (text: string): string =>
  text.toUpperCase().replace(/[A-Z]/g, (letter) => lookalikes[letter] ?? letter)

/** Whether a text is a part of an id. */
export const isPartOf = (part: string, id: string): boolean =>
  part !== '' && id.toLowerCase().includes(part.toLowerCase())

/** A text as a part of an id. Lists show an id by its end: `...00c1`. */
export const idPart = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^(\.{2,}|…)/, '')

/** An id by its end, which differs where the beginnings are times: `...00c1`. */
export const shownPart = (id: string): string => `...${id.slice(-5)}`
