import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Statement } from 'better-sqlite3'
import type { AuditLine } from '../../../src/audit/audit.ts'
import { watch } from '../machine/databases.ts'
import { type Place, userIds } from '../script/places.ts'

// Reads the files of callers from outside.

export interface IntentRow {
  readonly id: string
  readonly status: 'prepared' | 'sent' | 'unknown' | 'settled' | 'rejected'
  readonly idempotency_key: string
  /** Id of the world that the intent was recorded for. */
  readonly world: string
  readonly payment_id: string | null
  readonly payment_status: string | null
  readonly body: string
  readonly expected_names: string | null
  /** Id of the intent of the failed payment that this intent repeats. */
  readonly retry_of: string | null
}

/** A payment that counts against limits. */
export interface CountedRow {
  readonly world: string
  readonly idempotency_key: string
  readonly day: string
  readonly amount: number
  readonly payee: string
}

const intents =
  'SELECT id, status, idempotency_key, world, payment_id, payment_status, body, expected_names, retry_of FROM intents WHERE user = ?'
const counted =
  'SELECT idempotency_key, world, day, amount, payee FROM counted_payments WHERE counts = 1 AND profile = ?'

/** Statements of databases, each prepared once. */
export class Queries {
  readonly #statements = new WeakMap<Database, Map<string, Statement>>()

  all<Row>(database: Database, sql: string, ...bounds: readonly string[]): Row[] {
    const known = this.#statements.get(database) ?? new Map<string, Statement>()
    this.#statements.set(database, known)
    const statement = known.get(sql) ?? database.prepare(sql)
    known.set(sql, statement)
    return statement.all(...bounds) as Row[]
  }
}

export class Journals {
  readonly #folderOf: (name: string) => string
  readonly #databases = new Map<string, Database>()
  readonly #queries = new Queries()

  constructor(folderOf: (name: string) => string) {
    this.#folderOf = folderOf
  }

  /** Intents of the user at a place: another user may share the journal. */
  intents({ journal, user }: Place): readonly IntentRow[] {
    return this.#rows<IntentRow>(journal, intents, userIds[user])
  }

  /** Intents with a key: one for each world in which the key was used. */
  withKey({ journal, user }: Place, key: string): readonly IntentRow[] {
    return this.#rows<IntentRow>(journal, `${intents} AND idempotency_key = ?`, userIds[user], key)
  }

  counted({ journal, profile }: Place): readonly CountedRow[] {
    return this.#rows(journal, counted, profile)
  }

  /** Lines of the audit file, including those of other users of the journal; leaves out an incomplete last line. */
  audit({ journal }: Place): readonly AuditLine[] {
    const file = join(this.#folderOf(journal), 'audit.ndjson')
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as AuditLine)
  }

  /** Refresh token of a profile's login; undefined without a login. */
  refreshToken({ journal, profile }: Place): string | undefined {
    const file = join(this.#folderOf(journal), 'credentials.json')
    if (!existsSync(file)) return undefined
    return JSON.parse(readFileSync(file, 'utf8')).profiles[profile]?.refresh_token
  }

  close(): void {
    for (const database of this.#databases.values()) database.close()
  }

  #rows<Row>(name: string, sql: string, ...bounds: readonly string[]): Row[] {
    const database = this.#database(name)
    return database ? this.#queries.all<Row>(database, sql, ...bounds) : []
  }

  #database(name: string): Database | undefined {
    const known = this.#databases.get(name)
    if (known?.open) return known
    const file = join(this.#folderOf(name), 'journal.db')
    if (!existsSync(file)) return undefined
    const database = watch(file)
    if (database.pragma('user_version', { simple: true }) === 0) {
      database.close()
      return undefined
    }
    this.#databases.set(name, database)
    return database
  }
}
