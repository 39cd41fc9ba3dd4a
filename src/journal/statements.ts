import Sqlite, { type Database, type Statement } from 'better-sqlite3'
import { terminalStatuses } from '../contract/payment_names.ts'
import {
  type Intent,
  type IntentFilter,
  type IntentStatus,
  intentStatuses,
  mayHavePaid,
  type NewIntent,
  type Principal,
  unsettledStatuses,
} from './intent.ts'

/** A row of the table of intents, with JSON as text. */
export type IntentRow = Omit<Intent, 'body' | 'expected_names' | 'columns'> & {
  readonly body: string
  readonly expected_names: string | null
  readonly columns: string | null
}
/** A row to insert. The row always has a user, unlike an intent that an older payctl recorded. */
type NewIntentRow = Omit<
  IntentRow & Principal,
  'updated_at' | 'status' | 'payment_id' | 'payment_status' | 'error' | 'in_doubt_since'
>

/** Values for members that an order lacks. */
const unset = { batch: null, line: null, reference: null, retry_of: null, currency: null, expected_document: null }

export const rowOf = (
  { body, expected_names: names, columns, ...intent }: NewIntent,
  id: string,
  created_at: string,
): NewIntentRow => ({
  ...unset,
  ...intent,
  id,
  created_at,
  body: JSON.stringify(body),
  expected_names: names?.length ? JSON.stringify(names) : null,
  columns: columns ? JSON.stringify(columns) : null,
})

export const intentOf = ({ body, expected_names: names, columns, ...row }: IntentRow): Intent => ({
  ...row,
  body: parsed(body),
  expected_names: names === null ? null : parsed(names),
  columns: columns === null ? null : parsed(columns),
})

/** Parses saved JSON. Invalid JSON was not written by payctl: the file is damaged. */
export function parsed<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch {
    throw new Sqlite.SqliteError('a row is not valid JSON', 'SQLITE_CORRUPT')
  }
}

interface Change {
  readonly id: string
  readonly now: string
  readonly error: string
}

/** `error`: reason for the payment's failure. */
type Settled = Omit<Change, 'error'> & {
  readonly payment_id: string
  readonly payment_status: string
  readonly error: string | null
  readonly currency: string | null
}

const columns =
  'id, created_at, updated_at, profile, base_url, user, world, idempotency_key, body, status, payment_id, payment_status, error, ' +
  'batch, line, reference, columns, retry_of, currency, expected_names, expected_document, ' +
  '(SELECT min(began_at) FROM attempts WHERE intent = intents.seq) AS in_doubt_since'

/** Spelt exactly as in the index, so that SQLite uses the index. */
const ofPrincipal = "base_url = :base_url AND user = :user AND coalesce(world, '') = coalesce(:world, '')"

/** This type has a name because the package's declarations refer to it. */
interface Judged extends Omit<Change, 'error'> {
  /** Status by which the caller has decided to send the intent's request. */
  readonly judged: IntentStatus
}

interface Statements {
  readonly insert: Statement<[NewIntentRow]>
  readonly send: Statement<[Judged], { readonly seq: number }>
  readonly settle: Statement<[Settled], { readonly seq: number }>
  readonly end: Statement<[Change & { readonly without: IntentStatus }], Pick<IntentRow, 'status'>>
  readonly retract: Statement<[Omit<Change, 'error'>]>
  readonly doubt: Statement<[Change]>
  readonly byKey: Statement<[Principal & { readonly key: string }], IntentRow>
  readonly sameKey: Statement<[string, string], IntentRow>
  readonly currency: Statement<[Pick<Principal, 'base_url' | 'world'> & { readonly source: string }], string>
  readonly claim: Statement<[Principal & { readonly id: string }]>
  readonly release: Statement<[string]>
  readonly columnNames: Statement<[string], { readonly name: string }>
  readonly anyOfBatch: Statement<[Principal & { readonly batch: string }], { readonly found: 1 }>
  readonly byId: Statement<[string], IntentRow>
  readonly sent: Statement<[Principal], SentRow>
}

type SentRow = Pick<IntentRow, 'body' | 'expected_names' | 'batch' | 'created_at' | 'status' | 'payment_status'>

export const prepareStatements = (database: Database): Statements =>
  preparedWhenUsed<Statements>({ ...recording(database), ...statusChanges(database), ...reading(database) })

type Preparations = { readonly [Name in keyof Statements]: () => Statements[Name] }

const unsettled = "status <> 'settled'"

const recording = (database: Database): Pick<Preparations, 'insert' | 'claim' | 'release'> => ({
  // A row that is not settled belongs to the last file that contained it, and takes its requirements from that file.
  insert: () =>
    database.prepare<[NewIntentRow]>(
      `INSERT INTO intents
       (id, created_at, updated_at, profile, base_url, user, world, idempotency_key, body, status, batch, line, reference, columns,
        retry_of, currency, expected_names, expected_document)
     VALUES
       (:id, :created_at, :created_at, :profile, :base_url, :user, :world, :idempotency_key, :body, 'prepared',
        :batch, :line, :reference, :columns, :retry_of, :currency, :expected_names, :expected_document)
     ON CONFLICT (idempotency_key, base_url, user, coalesce(world, '')) DO UPDATE
       SET batch = coalesce(excluded.batch, batch),
         line = iif(excluded.batch IS NULL, line, excluded.line),
         reference = iif(excluded.batch IS NULL, reference, excluded.reference),
         columns = iif(excluded.batch IS NULL, columns, excluded.columns),
         currency = coalesce(excluded.currency, currency), expected_names = excluded.expected_names,
         expected_document = excluded.expected_document
       WHERE ${unsettled}`,
    ),
  // Keeps the principal's own intent with the same key, because that intent has more information.
  claim: () =>
    database.prepare<[Principal & { readonly id: string }]>(
      'UPDATE OR IGNORE intents SET user = :user, world = :world WHERE id = :id AND base_url = :base_url',
    ),
  // Keeps a refused repetition, because its failed payment stays in the batch, and can be repeated only by this intent.
  release: () =>
    database.prepare<[string]>(
      `UPDATE intents SET batch = NULL, line = NULL, reference = NULL, columns = NULL
     WHERE id = ? AND (status = 'prepared' OR status = 'rejected' AND retry_of IS NULL)`,
    ),
})

const sentStatuses = intentStatuses
  .filter(mayHavePaid)
  .map((status) => `'${status}'`)
  .join()

function statusChanges(database: Database): Pick<Preparations, 'send' | 'settle' | 'end' | 'retract' | 'doubt'> {
  const ends = terminalStatuses.map((status) => `'${status}'`).join()
  const inDoubt = 'EXISTS (SELECT 1 FROM attempts WHERE intent = intents.seq)'
  const inDoubtOr = (status: string) => `CASE WHEN ${inDoubt} THEN 'unknown' ELSE ${status} END`
  // A payment that was read as failed may still complete: the interface does not exclude it.
  const isKnownEnd = `status = 'settled' AND payment_id = :payment_id AND payment_status IN (${ends}) AND :payment_status <> 'completed'`
  return {
    send: () =>
      database.prepare<[Judged], { readonly seq: number }>(
        `UPDATE intents SET status = 'sent', error = NULL, updated_at = :now
       WHERE id = :id AND ${unsettled} AND (status <> 'rejected' OR :judged = 'rejected') RETURNING seq`,
      ),
    settle: () =>
      database.prepare<[Settled], { readonly seq: number }>(
        // A replay returns the payment's first state; the journal may already have a later state.
        `UPDATE intents SET status = 'settled', payment_id = :payment_id,
         payment_status = iif(${isKnownEnd}, payment_status, :payment_status), error = iif(${isKnownEnd}, error, :error),
         currency = coalesce(:currency, currency),
         -- Time when the payment was sent: later statuses do not change it.
         updated_at = CASE status WHEN 'settled' THEN updated_at ELSE :now END
       WHERE id = :id AND (${unsettled} OR payment_id = :payment_id) RETURNING seq`,
      ),
    // While another request of the intent is in doubt, the end of one request does not settle the intent.
    end: () =>
      database.prepare<[Change & { readonly without: IntentStatus }], Pick<IntentRow, 'status'>>(
        `UPDATE intents SET status = ${inDoubtOr(':without')}, error = :error, updated_at = :now
       WHERE id = :id AND ${unsettled} RETURNING status`,
      ),
    retract: () =>
      database.prepare<[Omit<Change, 'error'>]>(
        `UPDATE intents SET status = ${inDoubtOr("'prepared'")}, updated_at = :now WHERE id = :id AND ${unsettled}`,
      ),
    doubt: () =>
      database.prepare<[Change]>(
        // In the meantime, another process may have received a refusal of the last open request.
        `UPDATE intents SET status = 'unknown', error = :error, updated_at = :now WHERE id = :id AND ${unsettled} AND ${inDoubt}`,
      ),
  }
}

const reading = (
  database: Database,
): Omit<Preparations, keyof ReturnType<typeof recording> | keyof ReturnType<typeof statusChanges>> => ({
  byId: () => database.prepare<[string], IntentRow>(`SELECT ${columns} FROM intents WHERE id = ?`),
  byKey: () =>
    database.prepare<[Principal & { readonly key: string }], IntentRow>(
      `SELECT ${columns} FROM intents WHERE idempotency_key = :key AND ${ofPrincipal}`,
    ),
  sameKey: () =>
    database.prepare<[string, string], IntentRow>(
      `SELECT ${columns} FROM intents WHERE idempotency_key = ? AND base_url = ? ORDER BY seq`,
    ),
  currency: () =>
    database
      .prepare<[Pick<Principal, 'base_url' | 'world'> & { readonly source: string }], string>(
        `SELECT currency FROM (SELECT seq, base_url, world, body, currency FROM intents ORDER BY seq DESC LIMIT 1000)
       WHERE currency IS NOT NULL AND base_url = :base_url AND world IS :world AND body ->> 'source_account_id' = :source
       ORDER BY seq DESC LIMIT 1`,
      )
      .pluck(),
  columnNames: () =>
    database.prepare<[string], { readonly name: string }>(
      `SELECT cell.key AS name FROM intents, json_each(intents.columns) AS cell WHERE batch = ?
     GROUP BY cell.key ORDER BY min(seq), min(cell.id)`,
    ),
  sent: () =>
    database.prepare<[Principal], SentRow>(
      `SELECT body, expected_names, batch, created_at, status, payment_status FROM intents
     WHERE status IN (${sentStatuses}) AND ${ofPrincipal} ORDER BY seq DESC`,
    ),
  anyOfBatch: () =>
    database.prepare<[Principal & { readonly batch: string }], { readonly found: 1 }>(
      `SELECT 1 AS found FROM intents WHERE batch = :batch AND ${ofPrincipal} LIMIT 1`,
    ),
})

/** Prepares each statement on first use: a run of payctl needs few of them. */
export function preparedWhenUsed<All extends object>(prepare: { readonly [Name in keyof All]: () => All[Name] }): All {
  const all = {} as All
  for (const name of Object.keys(prepare) as (keyof All)[]) {
    const get = () => {
      const statement = prepare[name]()
      Object.defineProperty(all, name, { value: statement })
      return statement
    }
    Object.defineProperty(all, name, { configurable: true, get })
  }
  return all
}

type Bounds = Readonly<Record<string, string | number | null | undefined>>

export interface Query {
  readonly sql: string
  readonly bounds: Bounds
}

const pageSize = 500

/** Reads page by page: memory stays small, and other statements can run between two pages. */
export function* rowsOf(database: Database, filter: IntentFilter): Generator<IntentRow, void> {
  const { sql, bounds } = pageQuery(filter)
  const statement = database.prepare<[Bounds], IntentRow & { readonly seq: number }>(sql)
  let from = filter.oldestFirst ? 0 : Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = statement.all({ ...bounds, from })
    for (const { seq, ...row } of page) {
      from = seq
      yield row
    }
    if (page.length < pageSize) return
  }
}

export function countOf(database: Database, filter: IntentFilter): number {
  const { conditions, bounds } = conditionsOf(filter)
  const sql = `SELECT count(*) AS count FROM intents WHERE ${conditions.join(' AND ')}`
  return database.prepare<[Bounds], { readonly count: number }>(sql).get(bounds)?.count ?? 0
}

export function pageQuery(filter: IntentFilter): Query {
  const { conditions, bounds } = conditionsOf(filter)
  const [beyond, order] = filter.oldestFirst ? ['seq > :from', 'seq'] : ['seq < :from', 'seq DESC']
  const where = [beyond, ...conditions].join(' AND ')
  return { sql: `SELECT seq, ${columns} FROM intents WHERE ${where} ORDER BY ${order} LIMIT ${pageSize}`, bounds }
}

function conditionsOf(filter: IntentFilter): { conditions: string[]; bounds: Bounds } {
  const { statuses, batch, baseUrl, of, since, until } = filter
  const conditions = ['TRUE']
  if (statuses) conditions.push(`status IN (${statuses.map((status) => `'${status}'`).join(', ')})`)
  // Spelt exactly as in the index of unsettled intents, so that SQLite uses the index.
  if (statuses?.every((status) => unsettledStatuses.includes(status))) {
    conditions.push("status IN ('prepared', 'sent', 'unknown')")
  }
  if (batch !== undefined) conditions.push('batch = :batch')
  if (baseUrl !== undefined) conditions.push('base_url = :baseUrl')
  if (of !== undefined) conditions.push(ofPrincipal)
  if (since !== undefined) conditions.push('created_at >= :since')
  if (until !== undefined) conditions.push('created_at < :until')
  const { base_url, user, world } = of ?? {}
  const bounds = Object.fromEntries(
    Object.entries({ batch, baseUrl, since, until, base_url, user, world }).filter(([, value]) => value !== undefined),
  )
  return { conditions, bounds }
}
