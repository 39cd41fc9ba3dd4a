import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import type { Context } from '../commands/context.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import type { Sheet } from '../journal/staged_rows.ts'
import { type Heading, readHeading } from './batch/heading.ts'
import { type Accounts, readRow } from './batch/row.ts'
import { textOf } from './batch/text.ts'
import { type CsvRecord, recordsOf } from './csv_records.ts'

/** Faulty rows that people are shown; data has them all. */
const shownFaults = 50

interface Check {
  readonly file: string
  readonly from: string | undefined
  readonly accounts: Accounts
  readonly context: Context
}

/** Puts every row of a file (`-` is stdin) into the sheet. Throws UsageError that names all rows that are wrong. */
export async function checkFile(sheet: Sheet, { file, from, accounts, context }: Check): Promise<void> {
  const faults = new Faults(context)
  let heading: Heading | undefined
  for await (const record of recordsOf(textOf(bytesOf(file, context)))) {
    context.signal.throwIfAborted()
    if (!heading) {
      heading = readHeading(record.cells, { hasFrom: from !== undefined })
      continue
    }
    const read = readRow(record, { heading, accounts, from })
    if ('row' in read) sheet.add(read.row)
    else faults.add(record, read.faults)
  }
  if (!heading)
    throw new UsageError('The file is empty.', 'Its first line names the columns: to,amount,description,from')
  faults.throwIfAny()
  if (sheet.count() === 0) throw new UsageError('The file has a heading and no rows: there is nothing to pay.')
}

/** Rows that are wrong, by line: all of them for data, the first ones for people. */
export class Faults {
  readonly #limit: number
  readonly #byLine: Record<string, readonly string[]> = {}
  #count = 0

  constructor({ output }: Context) {
    this.#limit = ['json', 'ndjson'].includes(output.format) ? Number.POSITIVE_INFINITY : shownFaults
  }

  add({ line }: Pick<CsvRecord, 'line'>, faults: readonly string[]): void {
    this.#count += 1
    if (this.#count <= this.#limit) this.#byLine[`line ${line}`] = faults
  }

  throwIfAny(): void {
    if (this.#count === 0) return
    const more = this.#count > this.#limit ? ` The first ${this.#limit}:` : ''
    const rows = this.#count === 1 ? '1 row is' : `${this.#count} rows are`
    const error = new CliError(
      'usage',
      `${rows} wrong. Nothing was sent.${more}`,
      this.#count > this.#limit ? 'Correct them and run it again; --json lists all' : 'Correct them and run it again',
    )
    error.errors = this.#byLine
    throw error
  }
}

async function* bytesOf(file: string, { io, signal }: Context): AsyncGenerator<Uint8Array | string, void> {
  try {
    yield* addAbortSignal(signal, file === '-' ? (io.stdin as Readable) : createReadStream(file))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(`${file} can't be read: ${error.message}.`, 'Name a CSV file, or - for stdin')
  }
}
