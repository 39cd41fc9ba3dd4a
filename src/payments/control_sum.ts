import { formatMoney } from '../contract/money.ts'
import { reasonOf, UsageError } from '../errors/cli_error.ts'
import { plainName } from '../sheets/column_names.ts'
import type { SheetRow } from '../sheets/sheet.ts'
import { type Said, say } from '../words/text.ts'
import type { AmountColumn } from './batch_cells.ts'
import type { Heading } from './batch_columns.ts'

/** Labels of a total, as `plainName` writes them. */
const label =
  /^(gran|grand)?total(es|general|generales|apagar|pagado|planilla|crc|usd|colones|dolares)?$|^(suma|sum)(total)?$/

/** True for a row with the label of a total and without a payee. */
export function isTotal({ cells }: SheetRow, { places }: Heading): boolean {
  const isLabel = (text: string) => label.test(plainName(text))
  const to = (cells[places.get('to') ?? -1] ?? '').trim()
  return to === '' ? cells.some(isLabel) : isLabel(to)
}

/** A total of the file, with the currency that its cell states. */
interface Total {
  readonly line: number
  readonly minor: number
  readonly currency: string | null
}

interface LineFault {
  readonly line: number
  readonly fault: Said
}

/** The totals below the payments of a file, and the sums that they must equal. A total is not a payment. */
export class ControlSums {
  readonly #amounts: AmountColumn
  /** Minor units by currency; null: the currency of the account is not known. */
  readonly #sums = new Map<string | null, number>()
  #totals: Total[] = []

  constructor(amounts: AmountColumn) {
    this.#amounts = amounts
  }

  /** Adds a payment. Returns the faults of totals above this payment: a total must be below all payments. */
  add({ amount }: { readonly amount: number }, currency: string | null): readonly LineFault[] {
    this.#sums.set(currency, (this.#sums.get(currency) ?? 0) + amount)
    const above = this.#totals
    if (above.length > 0) this.#totals = []
    return above.map(({ line }) => ({ line, fault: say`it is a total, and payments follow it: delete it` }))
  }

  /** Reads a total. Returns the fault of a total that states no amount. */
  read(row: SheetRow): Said | undefined {
    try {
      const { minor, currency } = this.#amounts.readSum(row)
      this.#totals.push({ line: row.line, minor, currency: currency ?? null })
      return undefined
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return say`it is a total: ${reasonOf(error)}`
    }
  }

  /** Compares the totals with the sums. Call this function after every row has been read. */
  *faults(): Generator<LineFault, void> {
    for (const { line, minor, currency } of this.#totals) {
      const [only = null, ...others] = this.#sums.keys()
      const sum = this.#sumOf(currency)
      if (currency !== null && only !== null && currency !== only && others.length === 0) {
        yield { line, fault: say`it is a total in ${currency}, but the amounts above it are in ${only}` }
      } else if (sum === undefined) {
        const fault = say`it is a total of several currencies: state one currency in its cell, as in CRC 5000, or delete it`
        yield { line, fault }
      } else if (sum !== minor) {
        yield { line, fault: say`the total is ${money(minor)}, but the amounts above it add up to ${money(sum)}` }
      }
    }
  }

  /** Notes on the totals, if `faults` found none: `The total in line 14 is the sum of the amounts: 5,000.00 CRC.` */
  get agreements(): readonly Said[] {
    const [only] = this.#sums.size === 1 ? this.#sums.keys() : []
    return this.#totals.map(({ line, minor, currency }) => {
      const sum = formatMoney(minor, currency ?? only ?? '').trim()
      return say`The total in line ${line} is the sum of the amounts: ${sum}.`
    })
  }

  #sumOf(currency: string | null): number | undefined {
    if (currency !== null && this.#sums.has(currency)) return this.#sums.get(currency)
    const [only, ...others] = this.#sums.values()
    return others.length === 0 ? (only ?? 0) : undefined
  }
}

const money = (minor: number): string => formatMoney(minor, '').trim()
