import { UsageError } from '../errors/cli_error.ts'
import type { Sheet, SheetRow } from '../sheets/sheet.ts'
import { type Amount, type DecimalMark, parseAmount } from '../values/amount.ts'
import { parseRecipient, type Recipient } from '../values/recipient.ts'
import { requireVisible } from '../values/text.ts'
import { type Said, say } from '../words/text.ts'
import type { ColumnName, Heading } from './batch_columns.ts'
import { requirePayable } from './order.ts'

// Reads the cells of a row. Amounts follow the decimal mark of the file. A payment must match the displayed values.

/**
 * Reads the amounts of a file. A text with two readings (`1.500`) is read with the caller's decimal mark. If the caller
 * names no decimal mark, such a text is read with a comma in a file with semicolons between its cells: Excel writes
 * semicolons where the comma is the decimal mark. In other files, a text with two readings is refused.
 */
export class AmountColumn {
  readonly #isSemicolonFile: boolean
  /** Index of the column in a row, from 0. */
  readonly #at: number
  readonly #decimal: DecimalMark | undefined
  /** Texts that were read with a comma because of the semicolons, by line. */
  readonly #presumed = new Map<number, string>()
  /** Decimal mark of the first unambiguous amount. */
  #seen: DecimalMark | undefined
  /** A row with a decimal point, despite the semicolons. */
  #contrary: { readonly line: number; readonly text: string } | undefined

  /** `decimal`: the caller's decimal mark; without it, the file's separators suggest the mark. */
  constructor({ csv }: Sheet, at: number, decimal: DecimalMark | undefined) {
    this.#isSemicolonFile = csv?.separator === ';'
    this.#at = at
    this.#decimal = decimal
  }

  /** Throws UsageError for text that is not an amount, or has two readings. */
  read(row: SheetRow): Amount {
    const amount = this.readSum(row)
    requirePayable(amount.minor, 'amount')
    return amount
  }

  /** Like `read`, for a sum, which may exceed the maximum of one payment. */
  readSum({ cells, kinds, notes, line }: SheetRow): Amount {
    const at = this.#at
    requireVisible(cells[at] ?? '', 'amount')
    const text = (cells[at] ?? '').trim()
    if (text === '') throw new UsageError('amount is empty')
    const [, mark] = /([.,])\d{1,2}\D*$/.exec(text) ?? []
    if (mark) this.#seen ??= mark === ',' ? 'comma' : 'point'
    const kind = kinds?.[at]
    if (kind === 'date' || kind === 'boolean')
      throw new UsageError(kind === 'date' ? say`amount is a date (${text})` : say`amount is a boolean (${text})`)
    const said = kind === 'number' ? 'point' : this.#decimal
    const shown = notes?.get(at)?.shown
    const seen = typeof shown === 'string' && kind === 'number' ? shownAmount(text, shown) : undefined
    return seen ?? (said ? parse(text, said) : this.#readUnsaid(text, line))
  }

  #readUnsaid(text: string, line: number): Amount {
    if (!this.#isSemicolonFile) return parse(text)
    if (/\.\d{1,2}\D*$/.test(text)) this.#contrary ??= { line, text }
    if (!/^\D*\d{1,3}[.,]\d{3}\D*$/.test(text)) return parse(text)
    const amount = parse(text, 'comma')
    this.#presumed.set(line, text)
    return amount
  }

  /** Decimal mark of the file; final only after every row has been read. */
  get decimalMark(): DecimalMark {
    return this.#decimal ?? this.#seen ?? (this.#isSemicolonFile ? 'comma' : 'point')
  }

  /**
   * Reads an amount in minor units; the result is final only after every row has been read. Undefined for text that is
   * not an amount, or has two readings.
   */
  certain(row: SheetRow): number | undefined {
    if (this.#contrary && this.#presumed.has(row.line)) return undefined
    try {
      return this.read(row).minor
    } catch (error) {
      if (error instanceof UsageError) return undefined
      throw error
    }
  }

  /** Yields the rows whose reading conflicts with another row of the file. */
  *contradictions(): Generator<{ readonly line: number; readonly fault: Said }, void> {
    const contrary = this.#contrary
    if (!contrary) return
    for (const [line, text] of this.#presumed) {
      const [one = '', other = ''] = (['comma', 'point'] as const).map((mark) => readingOf(text, mark))
      const why = say`the file separates fields with semicolons, as is usual with decimal commas, but line ${contrary.line} has ${contrary.text}`
      yield {
        line,
        fault: say`amount "${text}" has two readings, ${one} or ${other}: ${why}. Say which: --decimal comma, or --decimal point`,
      }
    }
  }
}

const parse = (text: string, decimal?: DecimalMark): Amount =>
  parseAmount(text, { name: 'amount', decimal, howToSay: '--decimal comma, or --decimal point' })

function readingOf(text: string, mark: DecimalMark): string {
  const group = mark === 'comma' ? '.' : ','
  return text.replaceAll(group, '').replace(mark === 'comma' ? ',' : '.', '.')
}

/** A day as people in Costa Rica write it, with the day before the month, or in ISO 8601. */
const writtenDay =
  /^(?:(?<year>\d{4})-(?<month>\d\d?)-(?<day>\d\d?)|(?<d>\d\d?)[/.-](?<m>\d\d?)[/.-](?<y>\d{4}))(?:[ T]\d.*)?$/

/**
 * Clause that says why a row is not due on `today`, a date in Costa Rica; undefined if the row is due today, or names
 * no day.
 */
export function dayFault(text: string, today: string): Said | undefined {
  if (text === '') return undefined
  const { year, month, day, y = year, m = month, d = day } = writtenDay.exec(text)?.groups ?? {}
  const date = `${y}-${m?.padStart(2, '0')}-${d?.padStart(2, '0')}`
  if (date === today) return undefined
  if (Number.isNaN(Date.parse(date))) return say`date "${text}" is not a day: write ${today}, or leave it empty`
  return say`date is ${date}, and today is ${today} in Costa Rica: both PIN and SINPE Móvil pay at once`
}

// Finds cells of a workbook whose displayed value differs from their own value: a payment must match the displayed
// values.

/** Columns that determine payee and amount. */
const decisive: readonly ColumnName[] = ['to', 'amount', 'from', 'currency']

/** Clause that says how the row's payment would differ from the displayed values. */
export function unseenFault({ notes, cells, kinds }: SheetRow, { places }: Heading, { xlsx }: Sheet): Said | undefined {
  if (!notes) return undefined
  for (const [name, at] of places) {
    const note = notes.get(at)
    if (note?.isCovered) return say`${name} is below a merged cell, where nobody sees it: separate the cells`
    if (!note || !decisive.includes(name)) continue
    if (note.isFormula && xlsx?.recalculates)
      return say`${name} is a formula whose result may have changed: open the file in Excel or LibreOffice and save it`
    const text = cells[at] ?? ''
    if (note.shown === undefined || isSame(name, text, note.shown, kinds?.[at] === 'number')) continue
    if (note.shown === null)
      return say`${name} has a number format that payctl does not read: give the cell the format General`
    const shown = note.shown === '' ? say`nothing` : `"${note.shown}"`
    return say`${name} is "${text}", but the sheet shows ${shown}: give the cell the format General`
  }
  return undefined
}

/** True if the displayed text means the cell's value. */
function isSame(name: ColumnName, text: string, shown: string | null, isNumber: boolean): boolean {
  if (shown === null) return false
  if (name === 'amount') return isNumber && shownAmount(text, shown) !== undefined
  if (name === 'to' && sameRecipient(text, shown)) return true
  return text.trim() === shown || (isNumber && text === shown.replace(/[\s.-]/g, ''))
}

/** Amount of a cell, with the currency that its format shows; undefined if the sheet shows another amount. */
export function shownAmount(text: string, shown: string): Amount | undefined {
  const whole = shown.replace(/(^|\D)\.(\d)/, '$10.$2').replace(/(\d)\.(?!\d)/, '$1')
  const [decimals = ''] = /(?<=\d\.)\d+/.exec(whole) ?? []
  try {
    const [own, seen] = [parseAmount(text, { decimal: 'point' }), parseAmount(whole, { decimal: 'point' })]
    // A format with fewer decimals rounds the displayed value.
    const isNear = Math.abs(own.minor - seen.minor) <= 10 ** Math.max(0, 2 - decimals.length) / 2
    return isNear ? { minor: own.minor, currency: seen.currency } : undefined
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}

function sameRecipient(text: string, shown: string): boolean {
  const address = (recipient: Recipient) => Object.values(recipient).join()
  try {
    return address(parseRecipient(text)) === address(parseRecipient(shown))
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}

/** Columns that determine payee and amount, and whose cells contain results of formulas. */
export const computedColumns = (notes: SheetRow['notes'], { places }: Pick<Heading, 'places'>): ColumnName[] =>
  notes ? decisive.filter((name) => notes.get(places.get(name) ?? -1)?.isFormula) : []
