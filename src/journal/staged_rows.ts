import { createHash } from 'node:crypto'
import Sqlite, { type Database } from 'better-sqlite3'
import type { SendPaymentBody } from '../contract/index.ts'
import { CliError } from '../errors/cli_error.ts'
import { explainingFaults } from '../files/storage_fault.ts'
import type { SheetRow } from '../sheets/sheet.ts'
import { foreign, say } from '../words/text.ts'
import { type CheckedRow, type ExpectedHolder, expectsHolder, fingerprint } from './intent.ts'

/** Requirements that rows have for the holder of one IBAN or phone number. */
export interface Expectation {
  readonly recipient: string
  readonly iban: 0 | 1
  readonly expected: ExpectedHolder
  /** Lines of the rows that have these requirements. */
  readonly lines: readonly number[]
}

/** A payee, and the lines of the rows that pay it. */
export interface StagedPayee {
  readonly recipient: string
  readonly iban: 0 | 1
  readonly lines: readonly number[]
}

/** A row that no run has sent. The amount is in minor units. */
interface UnsentRow {
  readonly line: number
  readonly source: string
  readonly recipient: string
  readonly amount: number
  /** Required names of the holder. */
  readonly names: readonly string[]
}

/** Rows to send from one account over one channel. Amounts are in minor units. */
export interface Group {
  readonly source: string
  readonly iban: 0 | 1
  readonly rows: number
  readonly amount: number
}

/** Number of rows that earlier runs sent, and the earliest and the latest of the rows' last changes in the journal. */
export interface SentBefore {
  readonly rows: number
  readonly first: string | null
  readonly last: string | null
  /** Count of the rows that were sent in another batch. */
  readonly elsewhere: number
}

const pageSize = 500

/**
 * The rows of a file while they are checked and paid, in a temporary database. SQLite holds a small database in memory,
 * and a larger database in a nameless private file. So a file, or stdin, is read once, whatever its length.
 */
export class StagedRows {
  /** Name that the caller gave to the batch, if any: rows are paid once under this name. */
  readonly scope: string | undefined
  readonly #database: Database
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #computed = new Map<string, { readonly rows: number; readonly first: number }>()

  constructor(scope?: string) {
    this.scope = scope
    this.#database = refuse(() => new Sqlite(''))
    refuse(() => this.#database.exec(schema))
    this.#statements = prepareStatements(this.#database)
    refuse(() => this.#database.exec('BEGIN')) // never committed: no other run reads it
  }

  /** Adds a row. A row's key depends on the row's payment, and on the number of equal rows before the row. */
  add({
    body,
    expected_names = null,
    expected_document = null,
    columns: own,
    currency = null,
    ...place
  }: Omit<CheckedRow, 'idempotency_key'>): void {
    const digest = createHash('sha256').update(fingerprint(body)).digest().subarray(0, 16)
    const { source_account_id: source, amount, recipient_iban, recipient_phone, description = null } = body
    const payment = {
      source,
      recipient: recipient_iban ?? recipient_phone ?? '',
      iban: recipient_iban ? (1 as const) : (0 as const),
      amount,
      description,
      currency,
    }
    const holder = { expected_names, expected_document }
    const expected = expectsHolder(holder) ? JSON.stringify(holder) : null
    const columns = own ? JSON.stringify(own) : null
    refuse(() => this.#statements.add.run({ ...place, ...payment, digest, columns, expected }))
  }

  /** Saves the original row of the sheet, so that it can be written back. */
  keepOriginal(row: SheetRow): void {
    refuse(() => this.#statements.keep.run(row.line, JSON.stringify(row)))
  }

  original(line: number): SheetRow | undefined {
    const kept = refuse(() => this.#statements.original.get(line))
    return kept && JSON.parse(kept.row)
  }

  /** Records that a cell of the row is the result of a formula. */
  markComputed(column: string, line: number): void {
    const { rows, first } = this.#computed.get(column) ?? { rows: 0, first: line }
    this.#computed.set(column, { rows: rows + 1, first })
  }

  /** Columns with results of formulas: the number of rows, and the line of the first row. */
  get computed(): ReadonlyMap<string, { readonly rows: number; readonly first: number }> {
    return this.#computed
  }

  /** Records that an earlier run sent the row. `at`: ISO time; `elsewhere`: the row was sent in another batch. */
  markKnown(line: number, { at, elsewhere }: { readonly at: string; readonly elsewhere: boolean }): void {
    refuse(() => this.#statements.know.run({ line, at, elsewhere: elsewhere ? 1 : 0 }))
  }

  /** Records that an earlier run may have sent the row. */
  markInDoubt(line: number): void {
    refuse(() => this.#statements.doubt.run(line))
  }

  isInDoubt(line: number): boolean {
    return refuse(() => this.#statements.isInDoubt.get(line)) !== undefined
  }

  /** Forgets which rows may have been sent, before they are marked again. */
  forgetDoubts(): void {
    refuse(() => this.#statements.forgetDoubts.run())
  }

  /** Requirements of unsent rows for the holders of their IBANs and phone numbers, sorted by recipient. */
  *expectations(): Generator<Expectation, void> {
    const { expectations } = this.#statements
    for (const { expected, lines, ...payee } of expectations.iterate()) {
      yield { ...payee, expected: JSON.parse(expected), lines: JSON.parse(lines) }
    }
  }

  /** Rows that have the same account, payee and amount as this payment. */
  alike({ source_account_id: source, amount, recipient_iban, recipient_phone }: SendPaymentBody): readonly AlikeRow[] {
    const recipient = recipient_iban ?? recipient_phone ?? ''
    return refuse(() => this.#statements.alike.all(recipient, source, amount))
  }

  /** Yields rows in file order. Callers can write to the table during the iteration. */
  *rows(): Generator<CheckedRow, void> {
    for (let from = 0; ; ) {
      const page = refuse(() => this.#statements.page.all(from, pageSize))
      for (const stored of page) {
        from = stored.line
        yield checked(stored, this.scope)
      }
      if (page.length < pageSize) return
    }
  }

  /** Digest that depends only on the payments of the rows, not on their order or notation. */
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

  /** Yields, each once, the payees of the rows that no run has sent and that have no requirement for the holder. */
  *recipients(): Generator<StagedPayee, void> {
    for (const { lines, ...payee } of this.#statements.recipients.iterate()) {
      yield { ...payee, lines: JSON.parse(lines) }
    }
  }

  /** Yields the rows that no run has sent, in file order. Do not write to the table during the iteration. */
  *unsent(): Generator<UnsentRow, void> {
    for (const { expected, ...row } of this.#statements.unsent.iterate()) {
      const { expected_names: names } = (expected === null ? {} : JSON.parse(expected)) as Partial<ExpectedHolder>
      yield { ...row, names: (names ?? []).map(({ name }) => name) }
    }
  }

  known(): SentBefore {
    return refuse(() => this.#statements.known.get()) ?? { rows: 0, first: null, last: null, elsewhere: 0 }
  }

  /** Number of rows to pay that equal an earlier row, and the lines of the first ten of these rows. */
  repeats(): { readonly rows: number; readonly lines: readonly number[] } {
    const rows = refuse(() => this.#statements.repeats.get()?.count ?? 0)
    return { rows, lines: rows > 0 ? this.#statements.repeatLines.all().map(({ line }) => line) : [] }
  }

  groups(): readonly Group[] {
    return refuse(() => this.#statements.groups.all())
  }

  /** At most three rows of a group: those with the largest amounts, largest first. */
  samples({ source, iban }: Group): readonly CheckedRow[] {
    return refuse(() => this.#statements.samples.all(source, iban).map((stored) => checked(stored, this.scope)))
  }

  close(): void {
    this.#database.close()
  }
}

const refuse = <T>(work: () => T): T =>
  explainingFaults(
    work,
    ({ message }) =>
      new CliError(
        'usage',
        say`The file can’t be copied for checking: ${foreign(message)}. Nothing was sent.`,
        'Free space in the directory for temporary files, or set TMPDIR to another directory',
      ),
  )

function checked(
  { source, recipient, iban, amount, description, occurrence, ...stored }: Stored,
  scope: string | undefined,
): CheckedRow {
  const to = iban ? { recipient_iban: recipient } : { recipient_phone: recipient }
  const body = { source_account_id: source, amount, ...to, ...(description !== null && { description }) }
  return {
    line: stored.line,
    reference: stored.reference,
    columns: stored.columns === null ? null : JSON.parse(stored.columns),
    body,
    idempotency_key: keyOf(body, occurrence, scope),
    currency: stored.currency,
    ...(stored.expected === null ? { expected_names: null } : (JSON.parse(stored.expected) as ExpectedHolder)),
  }
}

/**
 * Idempotency key of a row. Requests for equal payments in one scope have equal keys, whatever their file, place and
 * order. Equal rows of one file have distinct keys, by occurrence.
 */
function keyOf(body: SendPaymentBody, occurrence: number, scope: string | undefined): string {
  const identity = JSON.stringify([1, scope ?? null, fingerprint(body), occurrence])
  return `batch-${createHash('sha256').update(identity).digest('hex')}`
}

/** `recipient` is an IBAN if `iban` is 1, otherwise a phone number. `occurrence` counts equal rows, from 1. */
interface Stored {
  readonly line: number
  readonly source: string
  readonly recipient: string
  readonly iban: 0 | 1
  readonly amount: number
  readonly description: string | null
  readonly currency: string | null
  readonly reference: string | null
  readonly columns: string | null
  readonly occurrence: number
  readonly expected: string | null
}

export interface AlikeRow {
  readonly line: number
  readonly description: string | null
  /** 1 if certainly no run has sent the row. */
  readonly isOpen: 0 | 1
}

type NewRow = Omit<Stored, 'occurrence'> & { readonly digest: Buffer }
type Count = { readonly count: number }

/** The data ends with the run, so it needs no protection from a crash. */
const schema = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -2000;
  CREATE TABLE staged (
    line INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    recipient TEXT NOT NULL,
    iban INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    description TEXT,
    currency TEXT,
    reference TEXT,
    columns TEXT,
    digest BLOB NOT NULL,
    occurrence INTEGER NOT NULL,
    known_at TEXT,
    elsewhere INTEGER NOT NULL DEFAULT 0,
    in_doubt INTEGER NOT NULL DEFAULT 0,
    expected TEXT
  ) STRICT;
  CREATE INDEX staged_same ON staged (digest, occurrence);
  CREATE INDEX staged_recipients ON staged (recipient);
  CREATE INDEX staged_groups ON staged (source, iban, amount);
  CREATE INDEX staged_repeats ON staged (line) WHERE occurrence > 1;
  CREATE INDEX staged_expected ON staged (recipient, expected) WHERE expected IS NOT NULL;
  CREATE INDEX staged_known ON staged (known_at) WHERE known_at IS NOT NULL;
  CREATE TABLE originals (line INTEGER PRIMARY KEY, row TEXT NOT NULL) STRICT;
`

const stored = 'line, source, recipient, iban, amount, description, currency, reference, columns, occurrence, expected'

const prepareStatements = (database: Database) => ({
  add: database.prepare<[NewRow]>(
    `INSERT INTO staged
       (line, source, recipient, iban, amount, description, currency, reference, columns, expected, digest, occurrence)
     VALUES (:line, :source, :recipient, :iban, :amount, :description, :currency, :reference, :columns, :expected, :digest,
       coalesce((SELECT max(occurrence) FROM staged WHERE digest = :digest), 0) + 1)`,
  ),
  keep: database.prepare<[number, string]>('INSERT OR REPLACE INTO originals (line, row) VALUES (?, ?)'),
  original: database.prepare<[number], { readonly row: string }>('SELECT row FROM originals WHERE line = ?'),
  know: database.prepare<[{ readonly line: number; readonly at: string; readonly elsewhere: 0 | 1 }]>(
    'UPDATE staged SET known_at = :at, elsewhere = :elsewhere WHERE line = :line',
  ),
  alike: database.prepare<[string, string, number], AlikeRow>(
    `SELECT line, description, known_at IS NULL AND in_doubt = 0 AS isOpen FROM staged
     WHERE recipient = ? AND source = ? AND amount = ?`,
  ),
  doubt: database.prepare<[number]>('UPDATE staged SET in_doubt = 1 WHERE line = ?'),
  isInDoubt: database.prepare<[number]>('SELECT 1 FROM staged WHERE line = ? AND in_doubt = 1'),
  forgetDoubts: database.prepare<[]>('UPDATE staged SET in_doubt = 0 WHERE in_doubt = 1'),
  expectations: database.prepare<
    [],
    Omit<Expectation, 'expected' | 'lines'> & { readonly expected: string; readonly lines: string }
  >(
    `SELECT recipient, iban, expected, json_group_array(line) AS lines FROM staged
     WHERE expected IS NOT NULL AND known_at IS NULL AND in_doubt = 0
     GROUP BY recipient, iban, expected ORDER BY recipient`,
  ),
  page: database.prepare<[number, number], Stored>(`SELECT ${stored} FROM staged WHERE line > ? ORDER BY line LIMIT ?`),
  digests: database.prepare<[], { readonly digest: Buffer }>('SELECT digest FROM staged ORDER BY digest'),
  count: database.prepare<[], Count>('SELECT count(*) AS count FROM staged'),
  payees: database.prepare<[], Count>('SELECT count(DISTINCT recipient) AS count FROM staged'),
  recipients: database.prepare<[], Omit<StagedPayee, 'lines'> & { readonly lines: string }>(
    `SELECT recipient, iban, json_group_array(line) AS lines FROM staged
     WHERE expected IS NULL AND known_at IS NULL AND in_doubt = 0 GROUP BY recipient`,
  ),
  known: database.prepare<
    [],
    { readonly rows: number; readonly first: string | null; readonly last: string | null; readonly elsewhere: number }
  >(
    `SELECT count(*) AS rows, min(known_at) AS first, max(known_at) AS last, coalesce(sum(elsewhere), 0) AS elsewhere
     FROM staged WHERE known_at IS NOT NULL`,
  ),
  unsent: database.prepare<[], Omit<UnsentRow, 'names'> & { readonly expected: string | null }>(
    `SELECT line, source, recipient, amount, expected FROM staged WHERE known_at IS NULL AND in_doubt = 0 ORDER BY line`,
  ),
  repeats: database.prepare<[], Count>(
    'SELECT count(*) AS count FROM staged WHERE occurrence > 1 AND known_at IS NULL',
  ),
  repeatLines: database.prepare<[], { readonly line: number }>(
    'SELECT line FROM staged WHERE occurrence > 1 AND known_at IS NULL ORDER BY line LIMIT 10',
  ),
  groups: database.prepare<
    [],
    { readonly source: string; readonly iban: 0 | 1; readonly rows: number; readonly amount: number }
  >(
    `SELECT source, iban, count(*) AS rows, sum(amount) AS amount FROM staged WHERE known_at IS NULL
     GROUP BY source, iban ORDER BY source, iban`,
  ),
  samples: database.prepare<[string, 0 | 1], Stored>(
    `SELECT ${stored} FROM staged WHERE source = ? AND iban = ? AND known_at IS NULL ORDER BY amount DESC LIMIT 3`,
  ),
})
