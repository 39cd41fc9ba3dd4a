import { fstatSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { formatMoney } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { openEmpty } from '../../files/private_file.ts'
import { decimal } from '../../money/decimal.ts'
import { amountWidth, detail, field, id, status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Renderer } from '../../output/renderer.ts'
import { endOf, type ResultRow } from '../../payments/batch_result.ts'
import type { Results } from '../../payments/batch_run.ts'
import { textWidth, wordsWrapped } from '../../run/cell_lines.ts'
import { flush } from '../../run/sink.ts'
import { requireWritable, type Target } from '../../sheets/output_file.ts'
import type { Context } from '../context.ts'

// Writes the results of rows to stdout or to the file that `--result` names.

/** `own`: names of the columns that the caller's file has besides. */
const columnsWith = (own: readonly string[]): readonly Column<ResultRow>[] => [
  ...resultColumns,
  ...own.map((name) => ({
    ...detail<ResultRow>(isTaken(name) ? `${name} (file)` : name, ({ columns }) => columns?.[name]),
  })),
]

const isTaken = (name: string): boolean => resultColumns.some((column) => column.name === name.toLowerCase())

const resultColumns: readonly Column<ResultRow>[] = [
  { ...field<ResultRow>('line', ({ line }) => line), align: 'right' },
  field('reference', ({ reference }) => reference),
  { ...field('to', ({ to }) => to), width: 22, uncut: true },
  {
    name: 'amount',
    data: ({ amount }) => decimal(amount.value),
    align: 'right',
    width: amountWidth - ' CRC'.length,
    uncut: true,
  },
  field('currency', ({ amount }) => ('currency' in amount ? amount.currency : null)),
  status('status', (row) => row.status),
  id('payment_id', (row) => row.payment_id),
  detail('intent', ({ intent }) => intent),
  words('error', ({ error }) => error),
]

/** Whether a person looks at stdout: rows that went well would only hide the others. */
export const isLookedAt = ({ output, io }: Context): boolean => io.stdout.isTTY === true && output.format === 'table'

/** Rows that went wrong and are told at the end. */
const mostTold = 20

/** Results for a person: rows that went wrong are kept and told at the end, those that went well are only counted. */
export class WrongRows {
  readonly rows: ResultRow[] = []
  count = 0
  /** Why the service refused rows, by line. */
  readonly refusals = new Map<number, string>()
  readonly #keepsRefusals: boolean

  constructor({ keepsRefusals = false }: { readonly keepsRefusals?: boolean } = {}) {
    this.#keepsRefusals = keepsRefusals
  }

  /** The same rows. */
  async *noticed(rows: AsyncIterable<ResultRow>): AsyncGenerator<ResultRow, void> {
    for await (const row of rows) {
      this.#notice(row)
      yield row
    }
  }

  /** Writes nothing. */
  asResults(): Results {
    return {
      write: async (rows) => {
        for await (const _ of this.noticed(rows));
      },
      close: async () => {},
    }
  }

  /**
   * A line for each row: where it stands, who should have been paid, how much, and what went wrong; that on lines of its own
   * where it does not fit into `width`.
   */
  lines(width = Number.POSITIVE_INFINITY): string[] {
    const cells = this.rows
      .toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0))
      .map((row) => [`line ${row.line ?? '-'}`, shownPayee(row.to), shownAmount(row), reasonOfRow(row)])
    const [first = 0, second = 0, third = 0] = [0, 1, 2].map((at) =>
      Math.max(0, ...cells.map((row) => row[at]?.length ?? 0)),
    )
    const lines = cells.flatMap(([line = '', payee = '', amount = '', reason = '']) => {
      const start = `  ${line.padEnd(first)}  ${payee.padEnd(second)}  ${amount.padStart(third)}`
      if (start.length + 2 + textWidth(reason) <= width) return [`${start}  ${reason}`]
      return [start, ...wordsWrapped(reason, width - 6).map((part) => `      ${part}`)]
    })
    const more = this.count - this.rows.length
    return more > 0 ? [...lines, `  and ${more.toLocaleString('en-US')} more`] : lines
  }

  #notice(row: ResultRow): void {
    const end = endOf(row.status)
    if (end !== 'rejected' && end !== 'unknown' && end !== 'unsuccessful') return
    this.count += 1
    if (this.#keepsRefusals && end === 'rejected' && row.line !== null) {
      this.refusals.set(row.line, row.error ?? 'refused')
    }
    if (this.rows.length < mostTold) this.rows.push(row)
  }
}

const shownPayee = (to: string): string =>
  to.startsWith('CR') ? `${to.slice(0, 4)} ... ${to.slice(-4)}` : to.replace(/^(\d{4})(\d{4})$/, '$1-$2')

const shownAmount = ({ amount }: ResultRow): string =>
  formatMoney(amount.value ?? 0, 'currency' in amount ? (amount.currency ?? '') : '').trim()

function reasonOfRow({ status, error }: ResultRow): string {
  if (status === 'rejected') return error ?? 'refused'
  const what = status === 'unknown' ? 'in doubt' : status
  return error === null ? what : `${what}: ${error}`
}

export const rowsOnStdout = ({ output, io }: Context, own: readonly string[]): Results => ({
  async write(rows: AsyncIterable<ResultRow>) {
    await output.stream(rows, columnsWith(own))
    await flush(io.stdout)
  },
  async close() {},
})

interface Shape {
  readonly renderer: Renderer
  readonly columns: readonly Column<ResultRow>[]
}

/** The file that `--result` names. Rows are appended as they become known, so that a killed run leaves them. */
export class ResultFile {
  readonly #path: string
  readonly #file: FileHandle
  readonly #renderer: Renderer
  readonly #columns: readonly Column<ResultRow>[]

  private constructor(path: string, file: FileHandle, shape: Shape) {
    this.#path = path
    this.#file = file
    this.#renderer = shape.renderer
    this.#columns = shape.columns
  }

  /** Empties it, because the run reports all rows. Throws UsageError. */
  static async open(path: string, own: readonly string[]): Promise<ResultFile> {
    const renderer = await rendererFor(path)
    try {
      return new ResultFile(path, await openEmpty(path), { renderer, columns: columnsWith(own) })
    } catch (error) {
      throw new UsageError(
        `The result file can't be written: ${messageOf(error)}. Nothing was sent.`,
        'Name another one',
      )
    }
  }

  /** Throws an error that names the file. */
  async write(rows: AsyncIterable<ResultRow>): Promise<void> {
    try {
      for await (const text of this.#renderer.rows(rows, this.#columns)) await this.#file.write(text)
      await this.#file.sync().catch(requireSyncable)
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      throw new Error(`${this.#path}: ${error.message}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Pipes and devices cannot be synced. */
function requireSyncable(error: unknown): void {
  const isStream = error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP')
  if (!isStream) throw error
}

/** Must be called before anything else. */
export function checkResultPath(path: string, input?: string): void {
  if (!(extname(path).toLowerCase() in renderers)) {
    throw new UsageError(
      `The result file ${path} has none of the endings ${Object.keys(renderers).join(', ')}. Nothing was sent.`,
      'Its ending says its format: --result result.csv',
    )
  }
  if (input !== undefined && isSameFile(path, input)) {
    throw new UsageError(
      `The result file ${path} is the file of payments itself. Nothing was sent.`,
      'Name another one',
    )
  }
}

/** Must be called before anything else. */
export function checkRejectsPath(target: Target, result: string | undefined): void {
  const { path } = target
  if (!/\.(csv|xlsx)$/i.test(path)) {
    throw new UsageError(
      `The file for refused rows ${path} has none of the endings .csv, .xlsx. Nothing was sent.`,
      'Its ending says its format: --rejects bad.csv',
    )
  }
  if (result !== undefined && resolve(path) === resolve(result)) {
    throw new UsageError('--rejects and --result name the same file. Nothing was sent.', 'Name two files')
  }
  requireWritable(target)
}

const renderers: Readonly<Record<string, () => Promise<Renderer>>> = {
  '.csv': async () => (await import('../../output/csv.ts')).csv,
  '.tsv': async () => (await import('../../output/separated.ts')).tsv,
  '.ndjson': async () => (await import('../../output/json.ts')).ndjson,
  '.jsonl': async () => (await import('../../output/json.ts')).ndjson,
  '.json': async () => (await import('../../output/json.ts')).json,
}

async function rendererFor(path: string): Promise<Renderer> {
  const load = renderers[extname(path).toLowerCase()]
  if (!load) throw new Error(`No format for ${path}`)
  return await load()
}

/** Whether both are the same file, under any name; `-` is the file that stdin is redirected from. */
function isSameFile(path: string, input: string): boolean {
  try {
    const [one, other] = [statSync(path), input === '-' ? fstatSync(0) : statSync(input)]
    return one.isFile() && one.ino === other.ino && one.dev === other.dev
  } catch {
    return false // one of them is not there
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
