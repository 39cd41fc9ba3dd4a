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

/** A payment as the service told of it. */
interface MadePayment {
  readonly id: string
  readonly status: string | null | undefined
  /** Why it did not arrive. */
  readonly error_message?: string | null | undefined
}

/** Opens the journal of payment intents in a folder; makes both if they are missing, readable by their owner only. */
export const openJournal = (directory: string): Journal => Journal.open(directory)

/** The journal in `directory`, if there is one. Makes nothing. */
export const existingJournal = (directory: string): Journal | undefined =>
  existsSync(journalFile(directory)) ? openJournal(directory) : undefined

/**
 * Payment intents on disk. What a method wrote is durable when it returns. Several processes may repeat one intent at
 * the same time. So `settled` is never left, requests in doubt are counted, and a request that certainly did nothing
 * lowers the count by one.
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

  /** The same for many, in one transaction. */
  prepareAll(drafts: readonly Draft[]): void {
    const insertAll = this.#database.transaction(() => {
      for (const draft of drafts) this.#statements.insert.run(newRow(draft))
    })
    refusingFaults(this.#file, () => this.#durably(() => insertAll.immediate()))
  }

  /**
   * For many payments in a row: from now on only what must be known before a request leaves is forced to disk. If a
   * power cut loses an answer, its payment is in doubt and the service is asked again.
   */
  relax(): void {
    this.#database.pragma('synchronous = NORMAL')
    this.#relaxed = true
  }

  /** Forces every write to disk again. */
  restore(): void {
    this.#relaxed = false
    this.#database.pragma('synchronous = FULL')
  }

  /** Must be called before the request can leave. */
  markSent(id: string): void {
    if (this.#marked.delete(id)) return
    refusingFaults(this.#file, () => this.#durably(() => this.#statements.send.run({ id, now: now() })))
  }

  /** Marks several intents with one write to disk. */
  markSentInGroup(ids: readonly string[]): void {
    const sendAll = this.#database.transaction(() => {
      for (const id of ids) this.#statements.send.run({ id, now: now() })
    })
    refusingFaults(this.#file, () => this.#durably(() => sendAll.immediate()))
    for (const id of ids) this.#marked.add(id)
  }

  /** Removes the mark from intents whose requests have not left: from `ids`, or from all marked ones. */
  retract(ids: Iterable<string> = [...this.#marked]): void {
    refusingFaults(this.#file, () => {
      for (const id of ids) if (this.#marked.delete(id)) this.#statements.retract.run({ id, now: now() })
    })
  }

  markSettled(id: string, payment: MadePayment): void {
    const status = payment.status || 'pending' // it was accepted
    const error = payment.error_message ?? null
    this.#statements.settle.run({ id, now: now(), payment_id: payment.id, payment_status: status, error })
  }

  /** The service refused this request; earlier ones with its key stay in doubt. Returns the new state. */
  markRejected(id: string, error: string): IntentStatus | undefined {
    return this.#statements.reject.get({ id, now: now(), error })?.status
  }

  /** The service certainly has no payment with the intent's key. */
  markAbsent(id: string, error: string): void {
    this.#statements.absent.run({ id, now: now(), error })
  }

  /** The request certainly did not leave. Returns the new state. */
  markUnsent(id: string, error: string): IntentStatus | undefined {
    return this.#statements.unsend.get({ id, now: now(), error })?.status
  }

  markUnknown(id: string, error: string): void {
    this.#statements.lose.run({ id, now: now(), error })
  }

  find(id: string): Intent | undefined {
    return refusingFaults(this.#file, () => read(this.#statements.byId.get(id)))
  }

  /** The intent of the principal. */
  withKey({ base_url, user, world }: Principal, key: string): Intent | undefined {
    return refusingFaults(this.#file, () => read(this.#statements.byKey.get({ base_url, user, world, key })))
  }

  /** All intents with this key at one service, of any user. */
  sameKey(baseUrl: string, key: string): Intent[] {
    return refusingFaults(this.#file, () => this.#statements.sameKey.all(key, baseUrl).map(parse))
  }

  /** Makes an intent the principal's, unless the principal already has one with its key. */
  claim(id: string, { base_url, user, world }: Principal): void {
    refusingFaults(this.#file, () => this.#statements.claim.run({ id, base_url, user, world }))
  }

  /** Removes rows that were not paid from a batch; `prepareAll` adds those again that its file still has. */
  release({ base_url, user, world }: Principal, batch: string): void {
    refusingFaults(this.#file, () => this.#statements.release.run({ base_url, user, world, batch }))
  }

  /** Whether the principal has intents in this batch. */
  hasBatch({ base_url, user, world }: Principal, batch: string): boolean {
    const { anyOfBatch } = this.#statements
    return refusingFaults(this.#file, () => anyOfBatch.get({ base_url, user, world, batch }) !== undefined)
  }

  /** Newest first by default. Holds one page in memory; the journal may be written to between two pages. */
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

  /** `work` reads one state of the journal, whatever other processes write meanwhile. */
  atOneMoment<T>(work: () => T): T {
    return refusingFaults(this.#file, () => this.#database.transaction(work).deferred())
  }

  /** Forces what `work` writes to disk, also during a batch. */
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

const newRow = ({
  profile,
  base_url,
  user,
  world,
  idempotency_key,
  body,
  batch,
  line,
  reference,
  retry_of,
}: Draft) => ({
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
  retry_of: retry_of ?? null,
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

/** Tries again, because SQLite does not wait here: of two processes that open a new journal, one fails at once. */
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
 * Runs `work` on the journal at `file`. If it can't be used, the run ends before a request leaves: without an
 * intent, a payment whose answer is lost could not be found again.
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
