import { ibanFault, normalizeIban } from '../contract/iban.ts'
import { isPhone } from '../contract/phone.ts'
import { type DocumentKind, documentOf } from './document.ts'
import { phoneIn, visible } from './text.ts'

type ValueKind = 'iban' | 'phone' | 'document' | 'email' | 'url' | 'uuid' | 'intent' | 'reference' | 'amount'

/** The kind of value that a text resembles. */
interface Likeness {
  readonly kind: ValueKind
  /** Words for a message, with an article: `an IBAN with wrong check digits`. */
  readonly words: string
  /** True if the form has no mistake. */
  readonly good: boolean
}

/** Maximum length of a value, in characters. Longer text is not a value of any kind. */
const longestText = 300

type Recogniser = (text: string) => Likeness | undefined

/** The kind of value that a text resembles, correct or mistyped. Undefined for names and other text. */
export function classify(text: string): Likeness | undefined {
  if (text.length > longestText) return undefined
  const written = visible(text)
  for (const recognise of recognisers) {
    const like = recognise(written)
    if (like) return like
  }
  return undefined
}

const plainForm =
  (kind: ValueKind, form: RegExp, words: string): Recogniser =>
  (text) =>
    form.test(text) ? { kind, words, good: true } : undefined

const recognisers: readonly Recogniser[] = [
  plainForm('url', /^https?:\/\//i, 'a URL'),
  plainForm('email', /^[^\s@]+@[^\s@]+\.[^\s@.]+$/, 'an email address'),
  plainForm('intent', /^int_[0-9a-z]{1,12}$/i, 'the id of an intent'),
  plainForm('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'the id of a payment or an account'),
  iban,
  phone,
  document,
  plainForm('reference', /^\d{25}$/, 'the reference of a payment'),
  plainForm('amount', /^(?:[₡¢$]|CRC\b|US[D$])\s*\d|^\d[\d.,\s]*\s*(?:₡|CRC|USD|colones)$/i, 'an amount'),
  plainForm('amount', /^\d{1,3}(?:[.,\s]?\d{3})*[.,]\d{1,2}$/, 'an amount'),
]

function iban(text: string): Likeness | undefined {
  const value = normalizeIban(text)
  const [, country = ''] = /^([A-Z]{2})\d{2}[A-Z0-9]{8,30}$/.exec(value) ?? []
  if (country !== '' && country !== 'CR')
    return { kind: 'iban', words: `an IBAN of another country (${country})`, good: false }
  if (/^\d{20}$/.test(value)) return { kind: 'iban', words: 'an IBAN without its CR', good: false }
  if (/^\d{17}$/.test(value)) return { kind: 'iban', words: 'a cuenta cliente, which came before IBANs', good: false }
  if (!/^CR[\dOQILZSGB]{4,}$/.test(value)) return undefined
  const fault = ibanFault(value)
  if (fault === null) return { kind: 'iban', words: 'an IBAN', good: true }
  const words = fault.reason === 'form' ? 'a mistyped IBAN' : 'an IBAN with wrong check digits'
  return { kind: 'iban', words, good: false }
}

function phone(text: string): Likeness | undefined {
  const value = phoneIn(text)
  if (isPhone(value)) return { kind: 'phone', words: 'a phone', good: true }
  if (/^(\+|00)\d{6,15}$/.test(value)) return { kind: 'phone', words: 'a phone of another country', good: false }
  if (/^[2678]\d{6}$/.test(value)) return { kind: 'phone', words: 'a phone with 7 digits', good: false }
  const isBoth = /^[2678]\d{8}$/.test(text)
  return isBoth ? { kind: 'phone', words: 'a phone with 9 digits, or an identity document', good: false } : undefined
}

const holders: Readonly<Record<DocumentKind, string>> = {
  physical: 'an identity document',
  legal: 'an identity document (of a legal entity)',
  government: 'an identity document (of the government)',
  autonomous: 'an identity document (of an autonomous institution)',
  DIMEX: 'an identity document (DIMEX)',
  DIDI: 'an identity document (DIDI)',
  passport: 'a passport number',
}

function document(text: string): Likeness | undefined {
  const found = documentOf(text)
  // A word with a digit matches the form of a passport number, so a stricter form is required.
  if (!found || (found.kind === 'passport' && !/^[A-Z]{1,2}\d{6,9}$/i.test(found.number))) return undefined
  return { kind: 'document', words: holders[found.kind], good: true }
}
