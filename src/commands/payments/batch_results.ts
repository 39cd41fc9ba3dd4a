import type { Context } from '../../cli/command.ts'
import { decimal, formatMoney } from '../../contract/money.ts'
import { amountWidth, detail, field, id, status, words } from '../../output/columns.ts'
import type { Column, Layout } from '../../output/output.ts'
import type { Results } from '../../payments/batch_plan.ts'
import { endOf, type ResultRow } from '../../payments/batch_result.ts'
import { joinedByAnd } from '../../payments/counted.ts'
import { textWidth, wordsWrapped } from '../../run/cell_lines.ts'
import { grouped, linesSaid } from '../../run/counts.ts'
import { flush } from '../../run/sink.ts'
import { foreign, type Said, say, type Translate } from '../../words/text.ts'

// Shows the results of the rows of a batch.

/** `own`: names of the columns that the user's file adds. */
export const columnsWith = (own: readonly string[]): readonly Column<ResultRow>[] => [
  ...resultColumns,
  ...own.map((name) => ({
    ...detail<ResultRow>(isTaken(name) ? `${name} (file)` : name, ({ columns }) => columns?.[name]),
  })),
]

/** Layout whose columns are not complete: the columns of the user's file are known only after the file is read. */
export const resultLayout = (): Layout<ResultRow> => ({ columns: resultColumns, isOpen: true })

const isTaken = (name: string): boolean => resultColumns.some((column) => column.name === name.toLowerCase())

const resultColumns: readonly Column<ResultRow>[] = [
  { ...field<ResultRow>('line', ({ line }) => line), align: 'right' },
  field('reference', ({ reference }) => reference),
  { ...field('to', ({ to }) => to), width: 22, uncut: true },
  {
    name: 'amount',
    meaning: 'Amount of the payment',
    data: ({ amount }) => decimal(amount.value),
    isMoney: true,
    align: 'right',
    width: amountWidth - ' CRC'.length,
    uncut: true,
  },
  field('currency', ({ amount }) => ('currency' in amount ? amount.currency : null)),
  status('status', (row) => row.status),
  id('payment_id', (row) => row.payment_id),
  detail('intent', ({ intent }) => intent),
  { ...words<ResultRow>('error', ({ error }) => error), text: ({ error }) => foreign(error ?? '') },
]

/** True if a person reads stdout and chose no columns: successful rows would only hide the other rows. */
export const isLookedAt = ({ output, io, globals }: Context): boolean =>
  io.stdout.isTTY === true && output.format === 'table' && globals.columns === undefined

/** Maximum number of failed rows to list at the end. */
const maxListed = 20

/** Results for a person: failed rows are stored and listed at the end, successful rows are left out. */
export class WrongRows {
  readonly rows: ResultRow[] = []
  count = 0
  /** The service's reasons for refusing rows, keyed by line. */
  readonly refusals = new Map<number, readonly Said[]>()
  readonly #keepsRefusals: boolean
  readonly #byReason = new Map<string, SameReason>()

  constructor({ keepsRefusals = false }: { readonly keepsRefusals?: boolean } = {}) {
    this.#keepsRefusals = keepsRefusals
  }

  /** Passes rows through and records failed rows. */
  async *noticed(rows: AsyncIterable<ResultRow>): AsyncGenerator<ResultRow, void> {
    for await (const row of rows) {
      this.#notice(row)
      yield row
    }
  }

  /** Results that are only recorded here, and written nowhere. */
  asResults(): Results {
    return {
      write: async (rows) => {
        for await (const _ of this.noticed(rows));
      },
      close: async () => {},
    }
  }

  /** A line for each failed row: its place, payee, amount and error. */
  lines(translate: Translate): string[] {
    return this.#withMore(tableOf(this.rows.toSorted(byLine), translate), this.rows.length, translate)
  }

  /**
   * Lines for a terminal: a line for each failed row as in `lines`, but one line for all rows with the same reason. A
   * reason that does not fit into `width` is on separate lines.
   */
  linesFor(width: number, translate: Translate): string[] {
    const inOrder = [...this.#byReason.values()].toSorted((one, other) => (one.lines[0] ?? 0) - (other.lines[0] ?? 0))
    const lone = inOrder.flatMap(({ lines, first }) => (lines.length === 1 ? first : []))
    const shared = inOrder.filter(({ lines }) => lines.length > 1)
    const lines = [
      ...tableOf(lone, translate, width),
      ...shared.flatMap(({ lines, sums, reason }) => {
        const money = joinedByAnd([...sums].map(([currency, minor]) => formatMoney(minor, currency).trim()))
        return inWidth(translate(say`  ${linesSaid(lines)}, ${money}`), translate(reason), width)
      }),
    ]
    return this.#withMore(
      lines,
      inOrder.reduce((sum, same) => sum + same.lines.length, 0),
      translate,
    )
  }

  #withMore(lines: string[], shown: number, translate: Translate): string[] {
    return this.count > shown ? [...lines, translate(say`  and ${grouped(this.count - shown)} more`)] : lines
  }

  #notice(row: ResultRow): void {
    const end = endOf(row.status)
    if (end !== 'rejected' && end !== 'unknown' && end !== 'unsuccessful') return
    this.count += 1
    if (this.#keepsRefusals && end === 'rejected' && row.line !== null) {
      this.refusals.set(row.line, [row.error === null ? say`refused` : foreign(row.error)])
    }
    if (this.rows.length < maxListed) this.rows.push(row)
    const reason = reasonOfRow(row)
    const same = this.#byReason.get(String(reason)) ?? {
      reason,
      first: row,
      lines: [],
      sums: new Map<string, number>(),
    }
    if (same.lines.length === 0 && this.#byReason.size === maxListed) return
    this.#byReason.set(String(reason), same)
    same.lines.push(row.line ?? 0)
    const currency = currencyOfRow(row)
    same.sums.set(currency, (same.sums.get(currency) ?? 0) + (row.amount.value ?? 0))
  }
}

/** Failed rows with the same reason. */
interface SameReason {
  readonly reason: Said
  readonly first: ResultRow
  readonly lines: number[]
  /** Minor units by currency. */
  readonly sums: Map<string, number>
}

const byLine = (one: ResultRow, other: ResultRow): number => (one.line ?? 0) - (other.line ?? 0)

function tableOf(rows: readonly ResultRow[], translate: Translate, width = Number.POSITIVE_INFINITY): string[] {
  const cells = rows.map((row) => [
    translate(say`line ${row.line ?? '-'}`),
    shownAddress(row.to),
    shownAmount(row),
    translate(reasonOfRow(row)),
  ])
  const [first = 0, second = 0, third = 0] = [0, 1, 2].map((at) =>
    Math.max(0, ...cells.map((row) => row[at]?.length ?? 0)),
  )
  return cells.flatMap(([line = '', payee = '', amount = '', reason = '']) =>
    inWidth(`  ${line.padEnd(first)}  ${payee.padEnd(second)}  ${amount.padStart(third)}`, reason, width),
  )
}

function inWidth(start: string, reason: string, width: number): string[] {
  if (start.length + 2 + textWidth(reason) <= width) return [`${start}  ${reason}`]
  return [start, ...wordsWrapped(reason, width - 6).map((part) => `      ${part}`)]
}

/** Short form of an IBAN or phone: `CR76 ... 0001`, `8700-0001`. */
export const shownAddress = (to: string): string =>
  to.startsWith('CR') ? `${to.slice(0, 4)} ... ${to.slice(-4)}` : to.replace(/^(\d{4})(\d{4})$/, '$1-$2')

const currencyOfRow = ({ amount }: ResultRow): string => ('currency' in amount ? (amount.currency ?? '') : '')

const shownAmount = (row: ResultRow): string => formatMoney(row.amount.value ?? 0, currencyOfRow(row)).trim()

function reasonOfRow({ status, error }: ResultRow): Said {
  if (status === 'rejected') return error === null ? say`refused` : foreign(error)
  const what = status === 'unknown' ? say`in doubt` : foreign(status)
  return error === null ? what : say`${what}: ${foreign(error)}`
}

export const rowsOnStdout = ({ output, io }: Context, own: readonly string[]): Results => ({
  async write(rows: AsyncIterable<ResultRow>) {
    await output.stream(rows, columnsWith(own))
    await flush(io.stdout)
  },
  async close() {},
})
