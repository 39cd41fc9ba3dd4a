import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { normalUrl } from '../client/base_url.ts'
import { CliError } from '../errors/cli_error.ts'
import { journalFile } from '../files/directories.ts'
import { howToUpdate } from '../version.ts'
import { Journal } from './journal.ts'
import { migrations } from './migrations.ts'
import { refusals } from './refusals.ts'

/** Other payctl processes hold the lock for the few milliseconds of one commit. */
const busyTimeout = 10_000

/** Opens the journal in `directory`, making both where they are missing; only their owner can read them. */
export function openJournal(directory: string): Journal {
  const file = journalFile(directory)
  return refusals(file, () => {
    createPrivately(directory, file)
    const database = new Sqlite(file, { timeout: busyTimeout })
    try {
      prepare(database, file)
      return new Journal(database, file)
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** The journal in `directory`, if there is one: for runs that must leave nothing behind. */
export const existingJournal = (directory: string): Journal | undefined =>
  existsSync(journalFile(directory)) ? openJournal(directory) : undefined

/** SQLite gives its companion files the mode of the database itself. */
function createPrivately(directory: string, file: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

function prepare(database: Database, file: string): void {
  writeAhead(database)
  database.pragma('cache_size = -2000') // KiB; a journal of any length in little memory
  database.pragma('synchronous = FULL') // an intent must outlive a power cut that follows its request
  const versionOf = () => Number(database.pragma('user_version', { simple: true }))
  if (versionOf() > migrations.length) throw newerJournal(file)
  if (versionOf() === migrations.length) return
  database.function('normal_url', { deterministic: true }, (url) => normalUrl(String(url)))
  const migrate = database.transaction(() => {
    for (const step of migrations.slice(versionOf())) database.exec(step) // another process may have been first
    database.pragma(`user_version = ${migrations.length}`)
  })
  migrate.immediate()
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
