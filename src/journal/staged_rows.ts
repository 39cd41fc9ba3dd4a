import { createHash } from 'node:crypto'
import Sqlite, { type Database } from 'better-sqlite3'
import type { SendPaymentBody } from '../contract/index.ts'
import { CliError } from '../errors/cli_error.ts'
import { explainingFaults } from '../files/storage_fault.ts'
import { fingerprint } from './intent.ts'
import { prepareStaged, type Stored, stagedSchema } from './staged_rows_statements.ts'

/** One payment that a file asks for. */
export interface StagedRow {
  /** Where it begins in the file; the heading is line 1. */
  readonly line: number
  readonly body: SendPaymentBody
  readonly reference: string | null
}

/** A row among the others: `occurrence` counts, from 1, those that ask for exactly the same payment. */
export interface PlacedRow extends StagedRow {
  readonly occurrence: number
}

/** Rows of one account and channel that are still to be paid. Amounts are in minor units. */
export interface Group {
  readonly source: string
  readonly iban: 0 | 1
  readonly rows: number
  readonly amount: number
}

/** Rows that an earlier run has sent, with the time of the first and the last. */
export interface Known {
  readonly rows: number
  readonly first: string | null
  readonly last: string | null
  /** How many of them another batch has sent. */
  readonly elsewhere: number
}

const pageSize = 500

/**
 * The rows of a file while it is checked and paid: a temporary database that SQLite keeps in memory while it is small
 * and in a nameless private file when it is not. A file, or stdin, is thus read once, whatever its length.
 */
export class StagedRows {
  readonly #database: Database
  readonly #statements: ReturnType<typeof prepareStaged>

  constructor() {
    this.#database = refuse(() => new Sqlite(''))
    refuse(() => this.#database.exec(stagedSchema))
    this.#statements = prepareStaged(this.#database)
    this.#begin()
  }

  add({ line, body, reference }: StagedRow): void {
    const content = fingerprint(body)
    const digest = createHash('sha256').update(content).digest().subarray(0, 16)
    const { source_account_id: source, amount, recipient_iban, recipient_phone, description = null } = body
    const recipient = recipient_iban ?? recipient_phone ?? ''
    const iban = recipient_iban ? 1 : 0
    refuse(() => this.#statements.add.run({ line, source, recipient, iban, amount, description, reference, digest }))
  }

  /** To be told of a row that an earlier run has sent: when, and as part of which batch. */
  markKnown(line: number, { at, elsewhere }: { readonly at: string; readonly elsewhere: boolean }): void {
    refuse(() => this.#statements.know.run({ line, at, elsewhere: elsewhere ? 1 : 0 }))
  }

  /** In the order of the file. May be written to meanwhile. */
  *rows(): Generator<PlacedRow, void> {
    for (let from = 0; ; ) {
      const page = refuse(() => this.#statements.page.all(from, pageSize))
      for (const stored of page) {
        from = stored.line
        yield placed(stored)
      }
      if (page.length < pageSize) return
    }
  }

  /** The same for the same set of rows, in whatever order and notation. */
  fingerprint(): string {
    const hash = createHash('sha256')
    for (const { digest } of this.#statements.digests.iterate()) hash.update(digest)
    return hash.digest('hex')
  }

  count(): number {
    return refuse(() => this.#statements.count.get()?.count ?? 0)
  }

  payees(): number {
    return refuse(() => this.#statements.payees.get()?.count ?? 0)
  }

  /** Recipients, each once. */
  recipients(): IterableIterator<{ readonly recipient: string; readonly iban: 0 | 1; readonly line: number }> {
    return this.#statements.recipients.iterate()
  }

  known(): Known {
    return refuse(() => this.#statements.known.get()) ?? { rows: 0, first: null, last: null, elsewhere: 0 }
  }

  /** Rows to pay that ask for the same as one before them, and the lines of the first few. */
  repeats(): { readonly rows: number; readonly lines: readonly number[] } {
    const rows = refuse(() => this.#statements.repeats.get()?.count ?? 0)
    return { rows, lines: rows > 0 ? this.#statements.repeatLines.all().map(({ line }) => line) : [] }
  }

  groups(): readonly Group[] {
    return refuse(() => this.#statements.groups.all())
  }

  /** A few of a group's rows, the dearest first. */
  samples({ source, iban }: Group): readonly PlacedRow[] {
    return refuse(() => this.#statements.samples.all(source, iban).map(placed))
  }

  close(): void {
    this.#database.close()
  }

  /** Never committed: it is nobody's but this run's. */
  #begin(): void {
    refuse(() => this.#database.exec('BEGIN'))
  }
}

const refuse = <T>(work: () => T): T =>
  explainingFaults(
    work,
    ({ message }) =>
      new CliError(
        'usage',
        `There is no room to check the file: ${message}. Nothing was sent.`,
        'Make room in the directory for temporary files, or set TMPDIR to another one',
      ),
  )

const placed = ({ line, source, recipient, iban, amount, description, reference, occurrence }: Stored): PlacedRow => ({
  line,
  reference,
  occurrence,
  body: {
    source_account_id: source,
    amount,
    ...(iban ? { recipient_iban: recipient } : { recipient_phone: recipient }),
    ...(description !== null && { description }),
  },
})
