import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { CliError } from '../errors/cli_error.ts'
import { makeFolder } from '../files/directories.ts'
import { fileFault } from '../files/file_fault.ts'
import { explainingFaults } from '../files/storage_fault.ts'
import { monotonicClock, pause } from '../real_time.ts'
import { say } from '../words/text.ts'

/** Maximum wait in milliseconds: longer than any holder of the lock needs, even with a slow service and all retries. */
const longestWait = 180_000

/**
 * Runs `work` while no other process, and no other caller in this process, holds the lock on `file`. `file` is the path
 * of an empty database beside the guarded data; creates the database if it is missing. The operating system releases
 * the lock when its holder dies. Waiting does not block the event loop. Rejects with the signal's reason if the signal
 * aborts the wait. `work` must not lock `file` again. `onWait` is called once if another caller holds the lock.
 */
export async function withLock<T>(
  file: string,
  signal: AbortSignal,
  work: () => T | Promise<T>,
  onWait: () => void = () => {},
): Promise<T> {
  const database = faults(file, () => open(file))
  try {
    await acquire(database, file, { signal, onWait })
    return await work()
  } finally {
    database.close()
  }
}

/** Disables waiting inside SQLite: it would block Ctrl-C. */
function open(file: string): Database {
  makeFolder(dirname(file))
  createPrivately(file)
  return new Sqlite(file, { timeout: 0 })
}

/** Does not open an existing file: closing it would release a lock that this process holds. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

async function acquire(
  database: Database,
  file: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<void> {
  const end = monotonicClock() + longestWait
  let wait = 0
  let hasWaited = false
  do {
    if (monotonicClock() > end) throw stillHeld(file)
    if (wait > 0 && !hasWaited) {
      hasWaited = true
      onWait()
    }
    await pause(wait, signal)
    wait = 5 + Math.random() * 25
  } while (!faults(file, () => isTaken(database)))
}

/**
 * Tries to acquire the lock; returns true if the lock was acquired. The rollback journal is in memory: on disk, it
 * would remain after a holder of the lock died.
 */
function isTaken(database: Database): boolean {
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
    throw error
  }
}

const faults = <T>(file: string, work: () => T): T =>
  explainingFaults(
    work,
    (fault) =>
      new CliError(
        'usage',
        say`The lock ${file} can't be used: ${fileFault(fault)}. Nothing was changed.`,
        say`Make room, let this user write in ${dirname(file)}, or set PAYCTL_CONFIG_DIR to another directory`,
      ),
  )

const stillHeld = (file: string): CliError =>
  new CliError(
    'unavailable',
    say`Another payctl has held ${file} for ${longestWait / 60_000} minutes. Nothing was changed.`,
    'Wait until that process ends, or end it if it hangs; then run the command again',
  )
