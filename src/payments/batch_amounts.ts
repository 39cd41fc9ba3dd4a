import { UsageError } from '../errors/cli_error.ts'
import type { Sheet, SheetRow } from '../sheets/sheet.ts'
import { type Amount, type DecimalMark, parseAmount } from '../values/amount.ts'
import { requireVisible } from '../values/text.ts'
import { shownAmount } from './batch_seen.ts'
import { requirePayable } from './order.ts'

// Decimal mark of a file's amounts.

interface Column {
  /** Index of the column in a row, from 0. */
  readonly at: number
  /** The caller's decimal mark; without it, the file's separators suggest one. */
  readonly decimal: DecimalMark | undefined
}

/**
 * Reads the amounts of a file. A text with two readings (`1.500`) is read with the caller's decimal mark, or with a
 * comma in a file with semicolons between its cells: Excel writes them where the comma is the decimal mark. In other
 * files it is refused.
 */
export class AmountColumn {
  readonly #isSemicolonFile: boolean
  readonly #column: Column
  /** Texts by line that were read with a comma because of the semicolons. */
  readonly #presumed = new Map<number, string>()
  /** A row with a decimal point, despite the semicolons. */
  #contrary: { readonly line: number; readonly text: string } | undefined

  constructor({ csv }: Sheet, column: Column) {
    this.#isSemicolonFile = csv?.separator === ';'
    this.#column = column
  }

  /** Throws UsageError for text that is not an amount, or has two readings. */
  read({ cells, kinds, notes, line }: SheetRow): Amount {
    const { at, decimal } = this.#column
    requireVisible(cells[at] ?? '', 'amount')
    const text = (cells[at] ?? '').trim()
    if (text === '') throw new UsageError('amount is empty')
    const kind = kinds?.[at]
    if (kind === 'date' || kind === 'boolean') throw new UsageError(`amount is a ${kind} (${text})`)
    const said = kind === 'number' ? 'point' : decimal
    const shown = notes?.get(at)?.shown
    const seen = typeof shown === 'string' && kind === 'number' ? shownAmount(text, shown) : undefined
    const amount = seen ?? (said ? parse(text, said) : this.#readUnsaid(text, line))
    requirePayable(amount.minor, 'amount')
    return amount
  }

  #readUnsaid(text: string, line: number): Amount {
    if (!this.#isSemicolonFile) return parse(text)
    if (/\.\d{1,2}\D*$/.test(text)) this.#contrary ??= { line, text }
    if (!/^\D*\d{1,3}[.,]\d{3}\D*$/.test(text)) return parse(text)
    const amount = parse(text, 'comma')
    this.#presumed.set(line, text)
    return amount
  }

  /** Minor units, after every row was read; undefined for text that is not an amount, or has two readings. */
  certain(row: SheetRow): number | undefined {
    if (this.#contrary && this.#presumed.has(row.line)) return undefined
    try {
      return this.read(row).minor
    } catch (error) {
      if (error instanceof UsageError) return undefined
      throw error
    }
  }

  /** Rows whose reading conflicts with another row of the file. */
  *contradictions(): Generator<{ readonly line: number; readonly fault: string }, void> {
    const contrary = this.#contrary
    if (!contrary) return
    for (const [line, text] of this.#presumed) {
      const [one, other] = (['comma', 'point'] as const).map((mark) => readingOf(text, mark))
      const why = `the file has ; between its fields, as where the comma is for decimals, but line ${contrary.line} has ${contrary.text}`
      yield {
        line,
        fault: `amount "${text}" has two readings, ${one} or ${other}: ${why}. Say which: --decimal comma, or --decimal point`,
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
