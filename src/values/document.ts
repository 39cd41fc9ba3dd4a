import { UsageError } from '../errors/cli_error.ts'
import { type Said, say } from '../words/text.ts'
import { named, oddCharacter, visible, wholeNumber, withDigits } from './text.ts'

/** Type of the document, as SINPE names it. `passport`: any other form, such as a non-resident's. */
export type DocumentKind = 'physical' | 'legal' | 'government' | 'autonomous' | 'DIMEX' | 'DIDI' | 'passport'

interface IdentityDocument {
  /** Number in the service's form: digits (and letters, in a passport) without separators. */
  readonly number: string
  readonly kind: DocumentKind
}

/** A physical person's document in print: province, volume, entry. The service puts a 0 before this number. */
const printed = /^0?([1-9])[-\s](\d{4})[-\s](\d{4})$/

const forms: readonly (readonly [kind: DocumentKind, form: RegExp])[] = [
  ['physical', /^0?[1-9]\d{8}$/],
  ['government', /^2\d{9}$/],
  ['legal', /^3\d{9}$/],
  ['autonomous', /^4\d{9}$/],
  ['DIMEX', /^1\d{11}$/],
  ['DIDI', /^5\d{11}$/],
  ['passport', /^[A-Z0-9]{6,19}$/i],
]

/**
 * Parses an identity document in any usual notation. Nine digits without separators get no leading 0: services store
 * such numbers with or without the 0. Throws UsageError that says what is wrong.
 */
export function parseDocument(text: string, name?: string): IdentityDocument {
  const document = documentOf(text)
  if (document) return document
  throw new UsageError(say`${named(text, name)} is not an identity document: ${problem(text)}.`, example)
}

/** Parses an identity document; undefined for other text. */
export function documentOf(text: string): IdentityDocument | undefined {
  const written = plain(wholeNumber(text) ?? text)
  const [, province, volume, entry] = printed.exec(written) ?? []
  if (province !== undefined) return { number: `0${province}${volume}${entry}`, kind: 'physical' }
  const number = written.replace(/[-\s.]/g, '')
  const [kind] = forms.find(([, form]) => form.test(number)) ?? []
  const isParted = kind === 'passport' && /^\d+$/.test(number) && number !== written
  return kind === undefined || isParted || isMistyped(number) ? undefined : { number, kind }
}

/**
 * Compares the document that a caller expects with the document that the service returns. A leading 0 does not count:
 * services and spreadsheets store documents with and without it. `not compared`: the service hides the document or does
 * not return it.
 */
export function compareDocuments(
  expected: string,
  actual: string | null | undefined,
): 'same' | 'other' | 'not compared' {
  const shown = visible(actual ?? '')
  if (!/\d/.test(shown) || /[*•#?]|x{3}/i.test(shown)) return 'not compared'
  return bare(expected) === bare(shown) ? 'same' : 'other'
}

const bare = (text: string): string =>
  (documentOf(text)?.number ?? plain(text).replace(/[-\s.]/g, '')).toUpperCase().replace(/^0+(?=\d+$)/, '')

/**
 * True for a number in which a letter replaces a digit. A digit must come first, because a passport number begins with
 * letters.
 */
const isMistyped = (number: string): boolean =>
  /^\d+[A-Z]/i.test(number) && forms.some(([kind, form]) => kind !== 'passport' && form.test(withDigits(number)))

/** Replaces any dash with a hyphen and any whitespace with one space. */
const plain = (text: string): string =>
  visible(text)
    .replace(/[\p{Pd}−]/gu, '-')
    .replace(/\s+/g, ' ')

const example = 'Write it like 1-0234-0567, 3-101-123456, or 155812345678 (DIMEX)'

function problem(text: string): Said {
  const number = plain(text).replace(/[-\s.]/g, '')
  if (number === '') return say`it is empty`
  const odd = oddCharacter(number)
  if (odd && /\p{Nd}{4}/u.test(number)) return say`it has ${odd.name} in it`
  if (odd) return say`it has characters other than digits`
  return say`none has ${number.length} digits beginning with ${number.charAt(0)}`
}
