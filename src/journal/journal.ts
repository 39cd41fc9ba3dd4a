import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { normalUrl } from '../client/base_url.ts'
import { CliError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { journalFile } from '../files/directories.ts'
import { explainingFaults } from '../files/storage_fault.ts'
import { howToUpdate } from '../version.ts'
import { type Draft, type Intent, type IntentFilter, type IntentStatus, newIntentId, type Principal } from './intent.ts'
import { migrations } from './migrations.ts'
import { countOf, prepareStatements, type Row, rowsOf } from './statements.ts'

/** Other payctl processes hold the lock for the few milliseconds of one commit. */
const busyTimeout = 10_000

/** Opens the journal of payment intents in a folder, making both where they are missing; only their owner can read them. */
export const openJournal = (directory: string): Journal => Journal.open(directory)

/** The journal in `directory`, if there is one: for runs that must leave nothing behind. */
export const existingJournal = (directory: string): Journal | undefined =>
  existsSync(journalFile(directory)) ? openJournal(directory) : undefined

/**
 * Payment intents on disk. What a method wrote is durable when it returns. Several processes may repeat one intent at
 * the same time, so what is known is counted, not overwritten: `settled` is never left, and a request that surely did
 * nothing takes back its own doubt only.
 */
export class Journal {
  readonly #database: Database
  readonly #file: string
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #marked = new Set<string>()
  #relaxed = false

  private constructor(database: Database, file: string) {
    this.#database = database
    this.#file = file
    this.#statements = prepareStatements(database)
  }

  static open(directory: string): Journal {
    const file = journalFile(directory)
    return refusingFaults(file, () => {
      createPrivately(directory, file)
      const database = new Sqlite(file, { timeout: busyTimeout })
      try {
        migrate(database, file)
        return new Journal(database, file)
      } catch (error) {
        database.close()
        throw error
      }
    })
  }

  /** Writes the intent down, or returns the one that has this key already, whatever its body. */
  prepare(draft: Draft): Intent {
    return refusingFaults(this.#file, () => {
      this.#statements.insert.run(newRow(draft))
      const intent = this.withKey(draft, draft.idempotency_key)
      if (!intent) throw new Error(`The intent with key ${draft.idempotency_key} is gone from ${this.#file}`)
      return intent
    })
  }

  /** The same for many at once, all of them or none. */
  prepareAll(drafts: readonly Draft[]): void {
    const insertAll = this.#database.transaction(() => {
      for (const draft of drafts) this.#statements.insert.run(newRow(draft))
    })
    refusingFaults(this.#file, () => this.#durably(() => insertAll.immediate()))
  }

  /**
   * For many payments one after the other: from now on only what must be known before a request leaves is forced to
   * disk. An answer that a power cut takes with it is asked for again.
   */
  relax(): void {
    this.#database.pragma('synchronous = NORMAL')
    this.#relaxed = true
  }

  /** Ends that. */
  restore(): void {
    this.#relaxed = false
    this.#database.pragma('synchronous = FULL')
  }

  /** To be called before the request can leave. */
  markSent(id: string): void {
    if (this.#marked.delete(id)) return
    refusingFaults(this.#file, () => this.#durably(() => this.#statements.send.run({ id, now: now() })))
  }

  /** Marks those that are about to be sent at once, as each would cost a write to disk. */
  markSentInGroup(ids: readonly string[]): void {
    const sendAll = this.#database.transaction(() => {
      for (const id of ids) this.#statements.send.run({ id, now: now() })
    })
    refusingFaults(this.#file, () => this.#durably(() => sendAll.immediate()))
    for (const id of ids) this.#marked.add(id)
  }

  /** Takes the mark back from those of which no request has left after all; from all of them when none is named. */
  retract(ids: Iterable<string> = [...this.#marked]): void {
    refusingFaults(this.#file, () => {
      for (const id of ids) if (this.#marked.delete(id)) this.#statements.retract.run({ id, now: now() })
    })
  }

  markSettled(id: string, payment: { readonly id: string; readonly status: string | null | undefined }): void {
    const status = payment.status || 'pending' // it was accepted
    this.#statements.settle.run({ id, now: now(), payment_id: payment.id, payment_status: status })
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
    return refusingFaults(this.#file, () => read(this.#statements.byId.get(id)))
  }

  /** The principal's own. */
  withKey({ base_url, user, world }: Principal, key: string): Intent | undefined {
    return refusingFaults(this.#file, () => read(this.#statements.byKey.get({ base_url, user, world, key })))
  }

  /** All with this key at one service, whosever they are. */
  sameKey(baseUrl: string, key: string): Intent[] {
    return refusingFaults(this.#file, () => this.#statements.sameKey.all(key, baseUrl).map(parse))
  }

  /** Makes an intent the principal's, once that is known. It stays as it is where the principal has one of its key. */
  claim(id: string, { base_url, user, world }: Principal): void {
    refusingFaults(this.#file, () => this.#statements.claim.run({ id, base_url, user, world }))
  }

  /** Takes rows that were never sent out of a batch: those that its file still has come back with `prepareAll`. */
  release({ base_url, user, world }: Principal, batch: string): void {
    refusingFaults(this.#file, () => this.#statements.release.run({ base_url, user, world, batch }))
  }

  /** Whether the principal has written rows of this batch down. */
  hasBatch({ base_url, user, world }: Principal, batch: string): boolean {
    const { anyOfBatch } = this.#statements
    return refusingFaults(this.#file, () => anyOfBatch.get({ base_url, user, world, batch }) !== undefined)
  }

  /** Newest first unless told otherwise; holds a page in memory, and may be written to between two of them. */
  *list(filter: IntentFilter = {}): Generator<Intent, void> {
    const rows = rowsOf(this.#database, filter)
    for (;;) {
      const { done, value } = refusingFaults(this.#file, () => rows.next())
      if (done) return
      yield parse(value)
    }
  }

  count(filter: IntentFilter = {}): number {
    return refusingFaults(this.#file, () => countOf(this.#database, filter))
  }

  /** All that `work` reads is of one moment, whatever other processes write meanwhile. */
  atOneMoment<T>(work: () => T): T {
    return refusingFaults(this.#file, () => this.#database.transaction(work).deferred())
  }

  /** What `work` wrote is on disk when it returns, whatever else is not. */
  #durably(work: () => void): void {
    if (this.#relaxed) this.#database.pragma('synchronous = FULL')
    try {
      work()
    } finally {
      if (this.#relaxed) this.#database.pragma('synchronous = NORMAL')
    }
  }

  close(): void {
    this.#database.close()
  }
}

const now = (): string => new Date().toISOString()

const newRow = ({ profile, base_url, user, world, idempotency_key, body, batch, line, reference }: Draft) => ({
  id: newIntentId(),
  created_at: now(),
  profile,
  base_url,
  user,
  world,
  idempotency_key,
  body: JSON.stringify(body),
  batch: batch ?? null,
  line: line ?? null,
  reference: reference ?? null,
})

const read = (row: Row | undefined): Intent | undefined => row && parse(row)

const parse = (row: Row): Intent => ({ ...row, body: JSON.parse(row.body) })

/** SQLite gives its companion files the mode of the database itself. */
function createPrivately(directory: string, file: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

function migrate(database: Database, file: string): void {
  writeAhead(database)
  database.pragma('cache_size = -2000') // KiB; a journal of any length in little memory
  database.pragma('synchronous = FULL') // an intent must outlive a power cut that follows its request
  const versionOf = () => Number(database.pragma('user_version', { simple: true }))
  if (versionOf() > migrations.length) throw newerJournal(file)
  if (versionOf() === migrations.length) return
  database.function('normal_url', { deterministic: true }, (url) => normalUrl(String(url)))
  const upgrade = database.transaction(() => {
    for (const step of migrations.slice(versionOf())) database.exec(step) // another process may have been first
    database.pragma(`user_version = ${migrations.length}`)
  })
  upgrade.immediate()
}

/** SQLite waits for other processes everywhere but here: of two that meet at a new journal, it fails one at once. */
function writeAhead(database: Database): void {
  try {
    database.pragma('journal_mode = WAL')
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error
    database.exec('BEGIN IMMEDIATE; COMMIT') // waits for the other, or fails when that takes too long
    writeAhead(database)
  }
}

const newerJournal = (file: string): CliError =>
  new CliError(
    'usage',
    `The payment journal ${file} was written by a newer payctl. Nothing was sent by this run.`,
    howToUpdate,
  )

/**
 * Runs `work` on the journal at `file`. A journal that can't be used ends the run before a request leaves: a payment
 * that is not written down could not be found again if its answer were lost.
 */
const refusingFaults = <T>(file: string, work: () => T): T =>
  explainingFaults(
    work,
    ({ message, code }) =>
      new CliError(
        'usage',
        `The payment journal ${file} can't be used: ${message}. Nothing was sent by this run.`,
        remedy(code, file),
      ),
  )

function remedy(code: string, file: string): string | NextStep {
  if (code.startsWith('SQLITE_BUSY')) return 'Another payctl process holds it; try again when that one is done'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return { kind: 'set_journal_aside', file }
  return { kind: 'make_room_for_journal' }
}
