import { currencies } from '../contract/payment_names.ts'
import type { Currency } from '../contract/schemas/scalars.ts'
import { UsageError } from '../errors/cli_error.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import { classify } from './classify.ts'
import { named, requireVisible } from './text.ts'

/** An amount of money, read from a text. */
export interface Amount {
  /** Minor units, greater than 0. */
  readonly minor: number
  /**
   * Currency that the text itself contains, as in `₡1500` and `10 USD`. The caller compares it with the account's
   * currency.
   */
  readonly currency: Currency | undefined
}

/** Character before the decimals. The other mark, spaces and apostrophes separate groups of three digits. */
export type DecimalMark = 'point' | 'comma'

export const decimalMarks: readonly DecimalMark[] = ['point', 'comma']

interface AmountOptions {
  /** Label of the value in messages: `--amount`. */
  readonly name?: string | undefined
  /** Decimal mark to use. Without this option, text with two readings is refused. */
  readonly decimal?: DecimalMark | undefined
  /** Flags to suggest when the decimal mark is ambiguous: `--decimal comma, or --decimal point`. */
  readonly howToSay?: string | undefined
}

/** Maximum length of the text, in characters. */
const longestText = 100

/**
 * Parses major units in any usual notation: `1500.25`, `1.500,25`, `1 500,25`, `₡1,500.25`, `1500 CRC`. Works on
 * digits, without floating point. Throws UsageError unless the text has exactly one reading.
 */
export function parseAmount(text: string, options: AmountOptions = {}): Amount {
  const { name, decimal } = options
  if (text.length > longestText)
    throw new UsageError(say`${name ?? say`The amount`} has ${text.length} characters.`, example)
  requireVisible(text, name)
  const written = text.trim().replace(/\p{Zs}/gu, ' ')
  const { currency, digits } = withoutCurrency(written)
  const odd = oddity(digits, written)
  const fail = (why: Text, hint: Said = likely(digits, decimal)) =>
    new UsageError(say`${named(text, name)} ${why}.`, hint)
  if (odd) throw fail(odd)
  const reading = decimal ? readWith(digits, decimal) : onlyReading(digits)
  if (reading === 'two') throw fail(say`has two readings: ${eitherOf(both(digits))}`, choice(digits, options))
  if (reading === undefined && decimal)
    throw fail(
      decimal === 'comma' ? say`is not an amount with a decimal comma` : say`is not an amount with a decimal point`,
    )
  if (reading === undefined) throw fail(say`is not an amount: separators must group three digits`)
  const { whole, fraction } = reading
  if (/[1-9]/.test(fraction.slice(2))) throw fail(say`has more than two decimals`)
  return { minor: inRange(whole + fraction.slice(0, 2).padEnd(2, '0'), name), currency }
}

/** Parses minor units (`150025`). Throws UsageError for other text, for 0 and for a number that is too large. */
export function parseMinorAmount(text: string, name?: string): number {
  requireVisible(text, name)
  if (/^\d+$/.test(text)) return inRange(text, name)
  throw new UsageError(say`${named(text, name)} is not a whole number of minor units.`, 'For 1500.25 write 150025')
}

/** Parses a currency code; undefined if the text is not a currency of the service. */
export const parseCurrency = (text: string): Currency | undefined =>
  currencies.find((currency) => currency === text.trim().toUpperCase())

function inRange(digits: string, given?: string): number {
  const name = given ?? say`The amount`
  const minor = Number(digits)
  if (minor === 0) throw new UsageError(say`${name} must be greater than 0.`, example)
  if (!Number.isSafeInteger(minor))
    throw new UsageError(say`${name} is too large.`, 'At most 90071992547409.91 can be written')
  return minor
}

const example = 'Write it like 1500.25'
const exampleWithComma = 'Write it like 1500,25'

const marks: readonly (readonly [currency: Currency, before: RegExp, after: RegExp])[] = [
  ['CRC', /^(?:CRC|[₡¢])\s*/i, /\s*(?:CRC|₡|colón|colon|colones)$/i],
  ['USD', /^(?:US\$|USD\s?\$?|\$)\s*/i, /\s*(?:USD|US\$|\$|dólar|dolar|dólares|dolares)$/i],
]

/**
 * Splits off the currency. If a text gives two different currencies, one currency remains in `digits`, so the text is
 * refused.
 */
function withoutCurrency(text: string): { readonly currency: Currency | undefined; readonly digits: string } {
  for (const [currency, before, after] of marks) {
    const digits = text.replace(before, '').replace(after, '').replace(before, '')
    if (digits !== text) return { currency, digits }
  }
  return { currency: undefined, digits: text }
}

/** Clause that says why a text is not an amount; undefined if it may be an amount. */
function oddity(digits: string, written: string): Text | undefined {
  if (digits === '') return written === '' ? say`is empty` : say`has no digits`
  if (/^[-−–]|^\(.*\)$|-$/.test(digits) && /\d/.test(digits)) return say`is negative`
  if (/^[?\ufffd]\s?\d/.test(digits)) return say`has a mark in place of a character that was lost, such as ₡`
  if (/\p{Nd}/u.test(digits.replace(/\d/g, ''))) return say`has digits other than 0 to 9`
  if (/^\d[\d., '’]*$/.test(digits)) return /\d$/.test(digits) ? undefined : say`ends with "${digits.slice(-1)}"`
  if (/^[.,]\d+$/.test(digits)) return say`begins with "${digits.charAt(0)}"`
  if (/^\d{4}-\d\d?-\d\d?$|^\d\d?\/\d\d?\/\d{4}$/.test(written)) return say`looks like a date, not like an amount`
  const like = classify(written)
  if (like && like.kind !== 'amount') return say`looks like ${foreign(like.words)}, not like an amount`
  const [letter] = /[OIl]/i.exec(digits) ?? []
  if (letter && /^[\d., '’OIl]+$/i.test(digits) && /\d/.test(digits))
    return say`has the letter ${letter}, not only digits`
  if (/\d/.test(digits) && /[₡¢$]|CRC|USD/i.test(digits)) return say`names two currencies`
  const [other] = /€|£|\b(?!CRC|USD)[A-Z]{3}\b/.exec(written) ?? []
  if (other && /\d/.test(written)) return say`is in ${other}; accounts are in CRC or USD`
  return say`is not a number with at most two decimals`
}

/** A reading of an amount: the digits before and after the decimal mark. */
interface Reading {
  readonly whole: string
  readonly fraction: string
}

/** Reads an amount with this decimal mark; undefined if the separators don't fit. */
function readWith(text: string, decimal: DecimalMark): Reading | undefined {
  const [whole = '', fraction = '', ...more] = text.split(decimal === 'point' ? '.' : ',')
  const group = decimal === 'point' ? ',' : '.'
  const grouped = new RegExp(`^(?:\\d+|[1-9]\\d{0,2}([${group} '’])\\d{3}(?:\\1\\d{3})*)$`)
  if (more.length > 0 || !grouped.test(whole) || !/^\d*$/.test(fraction)) return undefined
  return { whole: whole.replace(/\D/g, ''), fraction }
}

/**
 * A single separator before three digits is ambiguous: `1.500`. `1500.250` is ambiguous too, because it may lack an
 * earlier separator. After a leading 0 the digits can only be decimals.
 */
function onlyReading(text: string): Reading | 'two' | undefined {
  const readings = decimalMarks.map((mark) => readWith(text, mark)).filter((reading) => reading !== undefined)
  const [reading, other] = readings
  if (!reading) return undefined
  if (other && other.fraction === '' && reading.fraction === '') return reading
  if (other) return 'two'
  const { whole, fraction } = reading
  if (fraction.length <= 2 || /^0+$/.test(whole)) return reading
  return fraction.length === 3 ? 'two' : reading
}

/** Both readings of a text with one separator before three digits. */
function both(text: string): readonly string[] {
  const [, whole = '', fraction = ''] = /^(.*)[.,](\d{3})$/.exec(text) ?? []
  const digits = whole.replace(/\D/g, '')
  return [digits + fraction, `${digits}.${fraction.replace(/0$/, '')}`]
}

/** `150 or 1.50`. */
const eitherOf = ([one = '', other]: readonly string[]): Said => (other === undefined ? one : say`${one} or ${other}`)

function choice(text: string, { howToSay }: AmountOptions): Said {
  const payable = both(text).filter((reading) => !/\.\d{3}/.test(reading))
  const readings = say`Write ${eitherOf(payable)}`
  return howToSay === undefined ? readings : say`${readings}, or name the decimal mark: ${foreign(howToSay)}`
}

/** Hint with the amount that the user probably meant, or with an example. */
function likely(digits: string, decimal: DecimalMark | undefined): Said {
  if (decimal === 'comma') return exampleWithComma
  const bare = digits.replace(/^[-+−–(]\s*|[)-]$/g, '')
  if (/^[.,]\d{1,2}$/.test(bare) && /[1-9]/.test(bare)) return say`Did you mean 0.${bare.slice(1)}?`
  if (/^[1-9]\d*[.,]$/.test(bare)) return say`Did you mean ${bare.slice(0, -1)}?`
  return /^[1-9]\d*(\.\d{1,2})?$/.test(bare) && bare !== digits ? say`Did you mean ${bare}?` : example
}
