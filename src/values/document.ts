import { UsageError } from '../errors/cli_error.ts'
import { named, oddCharacter, visible, withDigits } from './text.ts'

/** What holds a document: its SINPE type, in words. `passport`: any other form, such as that of a non-resident. */
export type DocumentKind = 'physical' | 'legal' | 'government' | 'autonomous' | 'DIMEX' | 'DIDI' | 'passport'

interface IdentityDocument {
  /** As the service keeps it: digits (and letters, of a passport) without separators. */
  readonly number: string
  readonly kind: DocumentKind
}

/** A physical person's in print: province, volume, entry. The service keeps it with a 0 before it. */
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
 * An identity document in any usual notation. Nine digits without separators stay nine: services keep them with and
 * without a 0 before. Throws UsageError with what is wrong with it.
 */
export function parseDocument(text: string, name?: string): IdentityDocument {
  const document = documentOf(text)
  if (document) return document
  throw new UsageError(`${named(text, name)} is not an identity document: ${problem(text)}.`, example)
}

/** Undefined for what is none. */
export function documentOf(text: string): IdentityDocument | undefined {
  const written = plain(text)
  const [, province, volume, entry] = printed.exec(written) ?? []
  if (province !== undefined) return { number: `0${province}${volume}${entry}`, kind: 'physical' }
  const number = written.replace(/[-\s.]/g, '')
  const [kind] = forms.find(([, form]) => form.test(number)) ?? []
  const isParted = kind === 'passport' && /^\d+$/.test(number) && number !== written
  return kind === undefined || isParted || isMistyped(number) ? undefined : { number, kind }
}

/** A number with a letter for a digit. Passports begin with their letters. */
const isMistyped = (number: string): boolean =>
  /^\d+[A-Z]/i.test(number) && forms.some(([kind, form]) => kind !== 'passport' && form.test(withDigits(number)))

/** Dashes of any kind as hyphens, spaces of any kind as spaces. */
const plain = (text: string): string =>
  visible(text)
    .replace(/[\p{Pd}−]/gu, '-')
    .replace(/\s+/g, ' ')

const example = 'Write it like 1-0234-0567, 3-101-123456, or 155812345678 (DIMEX)'

function problem(text: string): string {
  const number = plain(text).replace(/[-\s.]/g, '')
  if (number === '') return 'it is empty'
  const odd = oddCharacter(number)
  if (odd && /\p{Nd}{4}/u.test(number)) return `it has ${odd.name} in it`
  if (odd) return 'it has other characters than digits'
  return `none has ${number.length} digits beginning with ${number.charAt(0)}`
}
