import { UsageError } from '../errors/cli_error.ts'
import type { Sheet, SheetRow } from '../sheets/sheet.ts'
import { type Amount, type DecimalMark, parseAmount } from '../values/amount.ts'
import { requireVisible } from '../values/text.ts'
import { shownAmount } from './batch_seen.ts'
import { requirePayable } from './order.ts'

// What stands before the decimals of a file's amounts.

interface Column {
  /** Its place in a row, from 0. */
  readonly at: number
  /** What the caller says; else the file tells where it can. */
  readonly decimal: DecimalMark | undefined
}

/**
 * The amounts of a file. A text with one reading has that. One with two (`1.500`) is read with the mark that the caller
 * names, or with a comma in a file with semicolons between its cells, which is how Excel writes them where the comma is for
 * decimals; anywhere else it is refused.
 */
export class AmountColumn {
  readonly #isSemicolonFile: boolean
  readonly #column: Column
  /** Texts that were read with the comma because of the semicolons, by line. */
  readonly #presumed = new Map<number, string>()
  /** A row with a decimal point, in spite of the semicolons. */
  #contrary: { readonly line: number; readonly text: string } | undefined

  constructor({ csv }: Sheet, column: Column) {
    this.#isSemicolonFile = csv?.separator === ';'
    this.#column = column
  }

  /** Throws UsageError for a text that is no amount, or may be two. */
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

  /** Minor units, once every row has been read; undefined for a text that is no amount, or may be two. */
  certain(row: SheetRow): number | undefined {
    if (this.#contrary && this.#presumed.has(row.line)) return undefined
    try {
      return this.read(row).minor
    } catch (error) {
      if (error instanceof UsageError) return undefined
      throw error
    }
  }

  /** Rows whose reading another row of the file puts in doubt. */
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
