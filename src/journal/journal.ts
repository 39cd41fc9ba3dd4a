import type { Database } from 'better-sqlite3'
import { type Draft, type Intent, type IntentStatus, newIntentId } from './intent.ts'
import { refusals } from './refusals.ts'

type Row = Omit<Intent, 'body'> & { readonly body: string }
type NewRow = Pick<Row, 'id' | 'created_at' | 'profile' | 'base_url' | 'idempotency_key' | 'body'>

interface Change {
  readonly id: string
  readonly now: string
  readonly error: string
}

const columns =
  'id, created_at, updated_at, profile, base_url, idempotency_key, body, status, payment_id, payment_status, error'

/**
 * Payment intents on disk. What a method wrote is durable when it returns. Several processes may repeat one intent at
 * the same time, so what is known is counted, not overwritten: `settled` is never left, and a request that surely did
 * nothing takes back its own doubt only.
 */
export class Journal {
  readonly #database: Database
  readonly #file: string
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(database: Database, file: string) {
    this.#database = database
    this.#file = file
    this.#statements = prepareStatements(database)
  }

  /** Writes the intent down, or returns the one that has this key already, whatever its body. */
  prepare(draft: Draft): Intent {
    return refusals(this.#file, () => {
      const { profile, base_url, idempotency_key } = draft
      const body = JSON.stringify(draft.body)
      this.#statements.insert.run({ id: newIntentId(), created_at: now(), profile, base_url, idempotency_key, body })
      const intent = this.withKey(base_url, idempotency_key)
      if (!intent) throw new Error(`The intent with key ${idempotency_key} is gone from ${this.#file}`)
      return intent
    })
  }

  /** To be called before the request can leave. */
  markSent(id: string): void {
    refusals(this.#file, () => this.#statements.send.run({ id, now: now() }))
  }

  markSettled(id: string, payment: { readonly id: string; readonly status: string }): void {
    this.#statements.settle.run({ id, now: now(), payment_id: payment.id, payment_status: payment.status })
  }

  /** The service refused this request; earlier ones with its key stay in doubt. Returns what the intent is now. */
  markRejected(id: string, error: string): IntentStatus | undefined {
    return this.#statements.reject.get({ id, now: now(), error })?.status
  }

  /** The service is known to hold no payment with the intent's key. */
  markAbsent(id: string, error: string): void {
    this.#statements.absent.run({ id, now: now(), error })
  }

  /** The request surely never left, after all. Returns what the intent is now. */
  markUnsent(id: string, error: string): IntentStatus | undefined {
    return this.#statements.unsend.get({ id, now: now(), error })?.status
  }

  markUnknown(id: string, error: string): void {
    this.#statements.lose.run({ id, now: now(), error })
  }

  find(id: string): Intent | undefined {
    return refusals(this.#file, () => read(this.#statements.byId.get(id)))
  }

  withKey(baseUrl: string, key: string): Intent | undefined {
    return refusals(this.#file, () => read(this.#statements.byKey.get(baseUrl, key)))
  }

  /** Newest first. */
  all(): Intent[] {
    return refusals(this.#file, () => this.#statements.all.all().map(parse))
  }

  /** Prepared, sent or unknown; newest first. */
  unsettled(): Intent[] {
    return refusals(this.#file, () => this.#statements.unsettled.all().map(parse))
  }

  /** Those that may have moved money, oldest first. */
  inDoubt(): Intent[] {
    return refusals(this.#file, () => this.#statements.inDoubt.all().map(parse))
  }

  close(): void {
    this.#database.close()
  }
}

function prepareStatements(database: Database) {
  const settable = "status <> 'settled'"
  return {
    insert: database.prepare<[NewRow]>(
      `INSERT INTO intents (id, created_at, updated_at, profile, base_url, idempotency_key, body, status)
       VALUES (:id, :created_at, :created_at, :profile, :base_url, :idempotency_key, :body, 'prepared')
       ON CONFLICT (base_url, idempotency_key) DO NOTHING`,
    ),
    send: database.prepare<[Omit<Change, 'error'>]>(
      `UPDATE intents SET status = 'sent', doubts = doubts + 1, error = NULL, updated_at = :now
       WHERE id = :id AND ${settable}`,
    ),
    settle: database.prepare<[Omit<Change, 'error'> & { payment_id: string; payment_status: string }]>(
      `UPDATE intents SET status = 'settled', doubts = 0, payment_id = :payment_id, payment_status = :payment_status,
         error = NULL, updated_at = :now
       WHERE id = :id`,
    ),
    reject: database.prepare<[Change], Pick<Row, 'status'>>(
      `UPDATE intents SET status = CASE WHEN doubts <= 1 THEN 'rejected' ELSE 'unknown' END,
         doubts = max(doubts - 1, 0), error = :error, updated_at = :now
       WHERE id = :id AND ${settable} RETURNING status`,
    ),
    absent: database.prepare<[Change]>(
      `UPDATE intents SET status = 'rejected', doubts = 0, error = :error, updated_at = :now
       WHERE id = :id AND ${settable}`,
    ),
    unsend: database.prepare<[Change], Pick<Row, 'status'>>(
      `UPDATE intents SET status = CASE WHEN doubts <= 1 THEN 'prepared' ELSE 'unknown' END,
         doubts = max(doubts - 1, 0), error = :error, updated_at = :now
       WHERE id = :id AND ${settable} RETURNING status`,
    ),
    lose: database.prepare<[Change]>(
      `UPDATE intents SET status = 'unknown', error = :error, updated_at = :now WHERE id = :id AND ${settable}`,
    ),
    byId: database.prepare<[string], Row>(`SELECT ${columns} FROM intents WHERE id = ?`),
    byKey: database.prepare<[string, string], Row>(
      `SELECT ${columns} FROM intents WHERE base_url = ? AND idempotency_key = ?`,
    ),
    all: database.prepare<[], Row>(`SELECT ${columns} FROM intents ORDER BY seq DESC`),
    unsettled: database.prepare<[], Row>(
      `SELECT ${columns} FROM intents WHERE status IN ('prepared', 'sent', 'unknown') ORDER BY seq DESC`,
    ),
    inDoubt: database.prepare<[], Row>(
      `SELECT ${columns} FROM intents WHERE status IN ('sent', 'unknown') ORDER BY seq`,
    ),
  }
}

const now = (): string => new Date().toISOString()

const read = (row: Row | undefined): Intent | undefined => row && parse(row)

const parse = (row: Row): Intent => ({ ...row, body: JSON.parse(row.body) })
