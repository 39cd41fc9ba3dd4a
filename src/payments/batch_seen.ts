import { UsageError } from '../errors/cli_error.ts'
import type { SheetRow } from '../sheets/sheet.ts'
import { type Amount, parseAmount } from '../values/amount.ts'
import { parseRecipient, type Recipient } from '../values/recipient.ts'
import type { ColumnName, Heading } from './batch_columns.ts'

// The payment must match what the sheet shows: finds cells of a workbook whose displayed value differs.

/** Columns that decide on payee and amount. */
const decisive: readonly ColumnName[] = ['to', 'amount', 'from', 'currency']

/** Index of each column, and if Excel recomputes formulas when it opens the file. */
interface Seen extends Pick<Heading, 'places'> {
  readonly recalculates: boolean
}

/** Clause that says why the row would pay something else than the sheet shows. */
export function unseenFault({ notes, cells, kinds }: SheetRow, { places, recalculates }: Seen): string | undefined {
  if (!notes) return undefined
  for (const [name, at] of places) {
    const note = notes.get(at)
    if (note?.isCovered) return `${name} is below a merged cell, where nobody sees it: separate the cells`
    if (!note || !decisive.includes(name)) continue
    if (note.isFormula && recalculates) return `${name} is a formula whose result may have changed: ${saveAgain}`
    const text = cells[at] ?? ''
    if (note.shown === undefined || isSame(name, text, note.shown, kinds?.[at] === 'number')) continue
    if (note.shown === null) return `${name} has a number format that payctl does not read: ${makeGeneral}`
    const shown = note.shown === '' ? 'nothing' : `"${note.shown}"`
    return `${name} is "${text}", but the sheet shows ${shown}: ${makeGeneral}`
  }
  return undefined
}

const saveAgain = 'open the file in Excel or LibreOffice and save it'
const makeGeneral = 'give the cell the format General'

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

/** Columns with results of formulas, among those that decide on payee and amount. */
export const computedColumns = (notes: SheetRow['notes'], { places }: Pick<Heading, 'places'>): ColumnName[] =>
  notes ? decisive.filter((name) => notes.get(places.get(name) ?? -1)?.isFormula) : []
