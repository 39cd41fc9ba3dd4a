import { currencies } from '../contract/payment_names.ts'
import type { Currency } from '../contract/schemas/money.ts'
import { UsageError } from '../errors/cli_error.ts'
import { kindOf } from './kind.ts'
import { named, requireVisible } from './text.ts'

/** An amount of money as somebody wrote it. */
export interface Amount {
  /** Minor units, greater than 0. */
  readonly minor: number
  /** If the text says it, as `₡1500` and `10 USD` do. The caller compares it with the account's. */
  readonly currency: Currency | undefined
}

/** What stands before the decimals. The other one, spaces and apostrophes part groups of three digits. */
export type DecimalMark = 'point' | 'comma'

export const decimalMarks: readonly DecimalMark[] = ['point', 'comma']

interface AmountOptions {
  /** What the user calls the value, such as `--amount`. */
  readonly name?: string | undefined
  /** Where it is known, a text is read by it alone. Otherwise a text with two readings is refused. */
  readonly decimal?: DecimalMark | undefined
  /** How the user can say the mark, for the hint: `--decimal comma, or --decimal point`. */
  readonly howToSay?: string | undefined
}

/** Characters of the longest text that is read. */
const longestText = 100

/**
 * Major units in any usual notation: `1500.25`, `1.500,25`, `1 500,25`, `₡1,500.25`, `1500 CRC`. Digits are moved, so no
 * floating point is involved. Throws UsageError where none or more than one amount can be meant.
 */
export function parseAmount(text: string, options: AmountOptions = {}): Amount {
  const { name, decimal } = options
  if (text.length > longestText) throw new UsageError(`${name ?? 'The amount'} has ${text.length} characters.`, example)
  requireVisible(text, name)
  const written = text.trim().replace(/\p{Zs}/gu, ' ')
  const { currency, digits } = withoutCurrency(written)
  const odd = oddity(digits, written)
  const fail = (why: string, hint = likely(digits, decimal)) => new UsageError(`${named(text, name)} ${why}.`, hint)
  if (odd) throw fail(odd)
  const reading = decimal ? readWith(digits, decimal) : onlyReading(digits)
  if (reading === 'two') throw fail(`has two readings: ${both(digits).join(' or ')}`, choice(digits, options))
  if (reading === undefined && decimal) throw fail(`is no amount with a decimal ${decimal}`)
  if (reading === undefined) throw fail('is no amount: its marks part no groups of three digits')
  const { whole, fraction } = reading
  if (/[1-9]/.test(fraction.slice(2))) throw fail('has more than two decimals')
  return { minor: inRange(whole + fraction.slice(0, 2).padEnd(2, '0'), name), currency }
}

/** Minor units as typed (`150025`). */
export function parseMinorAmount(text: string, name?: string): number {
  requireVisible(text, name)
  if (/^\d+$/.test(text)) return inRange(text, name)
  throw new UsageError(`${named(text, name)} is not a whole number of minor units.`, 'For 1500.25 write 150025')
}

/** Undefined for what is no currency of the service's. */
export const parseCurrency = (text: string): Currency | undefined =>
  currencies.find((currency) => currency === text.trim().toUpperCase())

function inRange(digits: string, name = 'The amount'): number {
  const minor = Number(digits)
  if (minor === 0) throw new UsageError(`${name} must be greater than 0.`, example)
  if (!Number.isSafeInteger(minor))
    throw new UsageError(`${name} is too large.`, 'At most 90071992547409.91 can be written')
  return minor
}

const example = 'Write it like 1500.25'
const exampleWithComma = 'Write it like 1500,25'

const marks: readonly (readonly [currency: Currency, before: RegExp, after: RegExp])[] = [
  ['CRC', /^(?:CRC|[₡¢])\s*/i, /\s*(?:CRC|₡|colón|colon|colones)$/i],
  ['USD', /^(?:US\$|USD\s?\$?|\$)\s*/i, /\s*(?:USD|US\$|\$|dólar|dolar|dólares|dolares)$/i],
]

/** The currency that a text says, and the rest. Two that differ are left there, and so refused. */
function withoutCurrency(text: string): { readonly currency: Currency | undefined; readonly digits: string } {
  for (const [currency, before, after] of marks) {
    const digits = text.replace(before, '').replace(after, '').replace(before, '')
    if (digits !== text) return { currency, digits }
  }
  return { currency: undefined, digits: text }
}

/** Why a text is no amount at all, as a clause. */
function oddity(digits: string, written: string): string | undefined {
  if (digits === '') return written === '' ? 'is empty' : 'has no digits'
  if (/^[-−–]|^\(.*\)$|-$/.test(digits) && /\d/.test(digits)) return 'is negative'
  if (/^[?\ufffd]\s?\d/.test(digits)) return 'has a mark in place of a character that was lost, such as ₡'
  if (/\p{Nd}/u.test(digits.replace(/\d/g, ''))) return 'has digits other than 0 to 9'
  if (/^\d[\d., '’]*$/.test(digits)) return /\d$/.test(digits) ? undefined : `ends with "${digits.at(-1)}"`
  if (/^[.,]\d+$/.test(digits)) return `begins with "${digits.charAt(0)}"`
  if (/^\d{4}-\d\d?-\d\d?$|^\d\d?\/\d\d?\/\d{4}$/.test(written)) return 'looks like a date, not like an amount'
  const like = kindOf(written)
  if (like && like.kind !== 'amount') return `looks like ${like.words}, not like an amount`
  const [letter] = /[OIl]/i.exec(digits) ?? []
  if (letter && /^[\d., '’OIl]+$/i.test(digits) && /\d/.test(digits)) return `has the letter ${letter}, not only digits`
  if (/\d/.test(digits) && /[₡¢$]|CRC|USD/i.test(digits)) return 'names two currencies'
  const [foreign] = /€|£|\b(?!CRC|USD)[A-Z]{3}\b/.exec(written) ?? []
  if (foreign && /\d/.test(written)) return `is in ${foreign}; accounts are in CRC or USD`
  return 'is not digits with at most two decimals'
}

/** Digits before and after the decimal mark. */
interface Reading {
  readonly whole: string
  readonly fraction: string
}

/** Undefined where the marks do not stand as in an amount with this decimal mark. */
function readWith(text: string, decimal: DecimalMark): Reading | undefined {
  const [whole = '', fraction = '', ...more] = text.split(decimal === 'point' ? '.' : ',')
  const group = decimal === 'point' ? ',' : '.'
  const grouped = new RegExp(`^(?:\\d+|[1-9]\\d{0,2}([${group} '’])\\d{3}(?:\\1\\d{3})*)$`)
  if (more.length > 0 || !grouped.test(whole) || !/^\d*$/.test(fraction)) return undefined
  return { whole: whole.replace(/\D/g, ''), fraction }
}

/**
 * A mark that stands once, before three digits, may be before decimals or part a group: `1.500`, and `1500.250`, where the
 * mark before may have been forgotten. After 0 there are only decimals.
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

/** The amounts that a text with one mark before three digits can mean. */
function both(text: string): readonly string[] {
  const [, whole = '', fraction = ''] = /^(.*)[.,](\d{3})$/.exec(text) ?? []
  const digits = whole.replace(/\D/g, '')
  return [digits + fraction, `${digits}.${fraction.replace(/0$/, '')}`]
}

function choice(text: string, { howToSay }: AmountOptions): string {
  const payable = both(text).filter((reading) => !/\.\d{3}/.test(reading))
  return `Write ${payable.join(' or ')}${howToSay === undefined ? '' : `, or say what stands before the decimals: ${howToSay}`}`
}

/** What was likely meant by a text that is refused. */
function likely(digits: string, decimal: DecimalMark | undefined): string {
  if (decimal === 'comma') return exampleWithComma
  const bare = digits.replace(/^[-+−–(]\s*|[)-]$/g, '')
  if (/^[.,]\d{1,2}$/.test(bare) && /[1-9]/.test(bare)) return `Did you mean 0.${bare.slice(1)}?`
  if (/^[1-9]\d*[.,]$/.test(bare)) return `Did you mean ${bare.slice(0, -1)}?`
  return /^[1-9]\d*(\.\d{1,2})?$/.test(bare) && bare !== digits ? `Did you mean ${bare}?` : example
}
