import { chmodSync, closeSync, openSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { normalUrl } from '../client/base_url.ts'
import { CliError, reasonOf, UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { makeFolder } from '../files/directories.ts'
import { fileFault } from '../files/file_fault.ts'
import { explainingFaults, type StorageFault } from '../files/storage_fault.ts'
import { howToUpdate } from '../version.ts'
import { say, type Text } from '../words/text.ts'
import { migrations } from './migrations.ts'

// File of the journal: creation, migration to this payctl's version, and errors if it can't be used.

/**
 * Maximum wait for the lock, in milliseconds. Other payctl processes hold the lock only for the few milliseconds of one
 * commit.
 */
const busyTimeout = 10_000

/** Throws UsageError if the caller's value is not a path. */
export function requireFolder(directory: unknown): string {
  if (typeof directory === 'string' && directory !== '') return directory
  throw new UsageError('A journal needs a folder: give the path of the folder, as a string.')
}

/** Opens the file; creates it and its folder if they are missing. */
export function openDatabase(directory: string, file: string): Database {
  createPrivately(directory, file)
  const database = new Sqlite(file, { timeout: busyTimeout })
  try {
    migrate(database, file)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Creates an empty journal in memory, with the schema of this payctl. The journal ends with the run. */
export function memoryDatabase(): Database {
  const database = new Sqlite(':memory:')
  migrate(database, 'in memory')
  return database
}

/** Creates the file before SQLite does, readable only by its owner: SQLite gives the companion files the same mode. */
function createPrivately(directory: string, file: string): void {
  makeFolder(directory)
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

function migrate(database: Database, file: string): void {
  writeAhead(database)
  database.pragma('cache_size = -2000') // in KiB; even a long journal needs little memory
  database.pragma('synchronous = FULL') // an intent must outlive a power cut that follows its request
  const versionOf = () => Number(database.pragma('user_version', { simple: true }))
  if (versionOf() > migrations.length) throw newerJournal(file)
  if (versionOf() === migrations.length) return
  database.function('normal_url', { deterministic: true }, (url) => normalUrl(String(url)))
  const upgrade = database.transaction(() => {
    for (const step of migrations.slice(versionOf())) database.exec(step) // another process may have been faster
    database.pragma(`user_version = ${migrations.length}`)
  })
  upgrade.immediate()
}

/** Tries again, because SQLite does not wait here: of two processes that open a new journal, one fails immediately. */
function writeAhead(database: Database): void {
  try {
    database.pragma('journal_mode = WAL')
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error
    database.exec('BEGIN IMMEDIATE; COMMIT') // waits for the other process, or fails after the busy timeout
    writeAhead(database)
  }
}

const newerJournal = (file: string): CliError =>
  new CliError(
    'usage',
    say`The payment journal ${file} was written by a newer payctl. Nothing was sent by this run.`,
    howToUpdate,
  )

/** Thrown for a journal that can't be used. */
class JournalFault extends CliError {
  override readonly name = 'JournalFault'
  readonly reason: Text

  constructor(file: string, fault: StorageFault, hasSent: boolean) {
    const { message, code } = fault
    const reason = fileFault(fault)
    const text = hasSent
      ? say`The payment journal ${file} can't be used: ${reason}. This run may already have sent payments.`
      : say`The payment journal ${file} can't be used: ${reason}. Nothing was sent by this run.`
    // SQLite's message for text that its JSON functions can't parse.
    const isDamaged = message === 'malformed JSON'
    super(hasSent ? 'outcome_unknown' : 'usage', text, remedy(isDamaged ? 'SQLITE_CORRUPT' : code, file))
    this.reason = reason
  }
}

/** Clause that says why the journal can't be used. */
export const journalReason = (error: unknown): Text => (error instanceof JournalFault ? error.reason : reasonOf(error))

/**
 * Runs `work` on the journal at `file`. Throws if the journal can't be used, so that no request is sent: without an
 * intent, a payment whose answer is lost could not be found again. `hasSent`: true if requests may have been sent
 * already.
 */
export const refusingFaults = <T>(file: string, work: () => T, hasSent = false): T =>
  explainingFaults(work, (fault) => new JournalFault(file, fault, hasSent))

/** Error for a closed journal: SQLite's own error would look like a bug. */
export const closedJournal = (file: string, hasSent: boolean): JournalFault =>
  new JournalFault(file, Object.assign(new Error('it is closed'), { code: closed }), hasSent)

const closed = 'CLOSED'

function remedy(code: string, file: string): string | NextStep {
  if (code.startsWith('SQLITE_BUSY'))
    return 'Another payctl process is using the journal; try again when that process has ended'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return { kind: 'set_journal_aside', file }
  if (code === closed) return 'Open the journal again, and close it only when no payment is in progress'
  return { kind: 'make_room_for_journal' }
}
