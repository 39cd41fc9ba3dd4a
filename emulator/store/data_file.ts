import { chmodSync, closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite, { type Database as Connection } from 'better-sqlite3'
import { EmulatorRefusal } from '../options.ts'
import {
  applicationId,
  checkHeader,
  checkLength,
  checkStructure,
  damaged,
  headerSize,
  takingErrorsForDamage,
  UnusableFile,
} from './file_checks.ts'
import { openFile } from './image.ts'
import { migrations } from './migrations.ts'
import { besides, refuseForeignFile } from './own_files.ts'
import { checkSettings, checkValues } from './value_checks.ts'

/**
 * Page size in bytes. Most tables of most worlds are nearly empty and take one page each: with this size a fork copies
 * half as much as with 4096.
 */
const pageSize = 2048

/**
 * Opens a world's database: in memory without a path; otherwise in the data file, which is created if it does not
 * exist. `fill` inserts the first rows, in the transaction that creates the schema. Throws EmulatorRefusal for a file
 * that can't be used, and does not change the content of the file.
 */
export function openDataFile(path: string | null, fill: (connection: Connection) => void): Connection {
  if (path === null) return create(new Sqlite(':memory:'), fill)
  if (openFiles.get(identityOf(path))?.open) throw inUseRefusal(path)
  explainingErrors(path, () => refuseForeignFile(path, dirname(path)))
  const connection = isNew(path) ? openNew(path, fill) : openExisting(path)
  openFiles.set(identityOf(path), connection)
  return connection
}

/**
 * Data files that this process has open. Never open one of these files a second time, not even to read it: closing any
 * descriptor of a file releases all locks of the process on the file (POSIX), and another process could then open it.
 */
const openFiles = new Map<string, Connection>()

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${dev}:${ino}`
}

/**
 * Opens an existing data file. `isAsClosed`: the file has not been written since the emulator closed it, so its content
 * is not checked. Throws EmulatorRefusal.
 */
export function openWorldFile(path: string, { isAsClosed = false } = {}): Connection {
  const refuseEmpty = () => {
    throw damaged()
  }
  if (!isAsClosed) return openDataFile(path, refuseEmpty)
  explainingErrors(path, () => refuseForeignFile(path, dirname(path)))
  const connection = openExclusively(path, migrate)
  openFiles.set(identityOf(path), connection)
  return connection
}

/**
 * Opens a copy of a file in memory, migrates it to the current schema and checks its whole content. Throws
 * UnusableFile; the bytes stay unchanged.
 */
export function openCopy(file: Uint8Array): Connection {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  checkHeader(bytes)
  checkLength(bytes)
  const connection = takingErrorsForDamage(() => openFile(bytes))
  try {
    checkStructure(connection, 'integrity_check')
    takingErrorsForDamage(() => migrate(connection))
    checkValues(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function openNew(path: string, fill: (connection: Connection) => void): Connection {
  createPrivately(path)
  return openExclusively(path, (made) => create(made, fill))
}

function openExisting(path: string): Connection {
  refuseForeign(path)
  removeAccessOfOthers(path)
  rollBack(path)
  refuseDamaged(path)
  return openExclusively(path, migrate)
}

function isNew(path: string): boolean {
  if (existsSync(path)) {
    if (!statSync(path).isFile())
      throw new EmulatorRefusal(`${path} is not a file.`, (name) => `Give ${name('data')} the path of a file.`)
    return statSync(path).size === 0 || isUnfinished(path)
  }
  if (existsSync(dirname(path))) return true
  throw new EmulatorRefusal(`The folder of ${path} does not exist.`, `Make it first: mkdir -p ${dirname(path)}`)
}

/** True if creation of the file was interrupted: SQLite then restores an empty file from the journal. */
function isUnfinished(path: string): boolean {
  const journal = `${path}-journal`
  if (!existsSync(journal)) return false
  const bytes = explainingErrors(path, () => readFileSync(journal))
  return bytes.length >= 20 && bytes.toString('hex', 0, 8) === 'd9d505f920a163d7' && bytes.readUInt32BE(16) === 0
}

/** Mode 0600, because the file contains webhook secrets. SQLite gives its other files the same mode. */
function createPrivately(path: string): void {
  try {
    explainingErrors(path, () => closeSync(openSync(path, 'wx', 0o600)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!existsSync(path)) throw new EmulatorRefusal(`${path} is a link to a file that does not exist.`, 'Remove it.')
    removeAccessOfOthers(path)
  }
}

/** Removes the permissions of group and others; a file of another user keeps its mode. */
function removeAccessOfOthers(path: string): void {
  for (const file of [path, ...besides.map((end) => `${path}${end}`)]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o077) === 0) continue
    try {
      chmodSync(file, mode & 0o700)
    } catch (error) {
      if (!['EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

/** Reads the header without SQLite, which would write other files next to the data file. */
function refuseForeign(path: string): void {
  const bytes = Buffer.alloc(headerSize)
  explainingErrors(path, () => {
    const file = openSync(path, 'r+')
    try {
      const length = readSync(file, bytes, 0, headerSize, 0)
      checkHeader(bytes.subarray(0, length))
    } finally {
      closeSync(file)
    }
  })
}

/**
 * Rolls back a transaction that a killed process left behind, such as the switch to the write-ahead log. A read-only
 * connection can't roll it back.
 */
function rollBack(path: string): void {
  if (!existsSync(`${path}-journal`)) return
  explainingErrors(path, () => {
    const connection = new Sqlite(path, { timeout: 0 })
    try {
      connection.pragma('user_version')
    } finally {
      connection.close()
    }
  })
}

function refuseDamaged(path: string): void {
  const absent = [`${path}-shm`, `${path}-wal`].filter((name) => !existsSync(name))
  explainingErrors(path, () => {
    const connection = new Sqlite(path, { readonly: true, timeout: 0 })
    let inUse = false
    try {
      checkStructure(connection, 'quick_check')
      checkSettings(connection)
    } catch (error) {
      inUse = isBusy(error)
      throw error
    } finally {
      // Reading leaves empty files behind. The lock keeps other emulators out until these empty files are removed.
      if (!inUse) for (const name of absent) rmSync(name, { force: true })
      connection.close()
    }
  })
}

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test((error as { code?: string }).code ?? '')

const inUseRefusal = (path: string) =>
  new EmulatorRefusal(`${path} is in use by another emulator.`, 'Stop that emulator, or name another file.')

/** Refusal of a file whose content can't be used. */
export class UnusableFileRefusal extends EmulatorRefusal {}

const unusableRefusal = (path: string, { flaw, remedy }: UnusableFile) =>
  new UnusableFileRefusal(
    `${path} ${flaw}; it was left unchanged.`,
    remedy === null ? 'Name another file.' : `${remedy}, or name another file.`,
  )

function openExclusively(path: string, prepare: (connection: Connection) => Connection): Connection {
  return explainingErrors(path, () => {
    const connection = new Sqlite(path, { timeout: 0 })
    try {
      connection.pragma('locking_mode = EXCLUSIVE')
      prepare(connection)
      connection.pragma('journal_mode = WAL')
      connection.pragma('synchronous = NORMAL')
      // SQLite copies pages so that it can roll back a statement. Writing the copies to a file would take a third of a
      // payment's time.
      connection.pragma('temp_store = MEMORY')
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

function create(connection: Connection, fill: (connection: Connection) => void): Connection {
  connection.pragma(`page_size = ${pageSize}`)
  connection.pragma('foreign_keys = ON')
  connection
    .transaction(() => {
      connection.pragma(`application_id = ${applicationId}`)
      createTables(connection)
      fill(connection)
    })
    .exclusive()
  return connection
}

/** Statements that create the current tables, read from the first database of this process. */
let schema: string | undefined

/**
 * Runs all migrations in the first database. Later databases run the statements read from the first database, which
 * takes a fifth of the time.
 */
function createTables(connection: Connection): void {
  if (schema !== undefined) {
    connection.exec(schema)
    connection.pragma(`user_version = ${migrations.length}`)
    return
  }
  upgrade(connection, 0)
  const statements = `SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`
  schema = connection.prepare<[], string>(statements).pluck().all().join(';\n')
}

function migrate(connection: Connection): Connection {
  const version = connection.pragma('user_version', { simple: true }) as number
  // A migration may recreate a table that other rows refer to: foreign keys must stay off.
  connection.pragma(`foreign_keys = ${version === migrations.length ? 'ON' : 'OFF'}`)
  if (version === migrations.length) return connection
  connection.transaction(() => upgrade(connection, version)).exclusive()
  connection.pragma('foreign_keys = ON')
  // The version must be in the main file: the next payctl reads it there before it opens the database.
  connection.pragma('wal_checkpoint(TRUNCATE)')
  return connection
}

function upgrade(connection: Connection, from: number): void {
  for (const step of migrations.slice(from)) connection.exec(step)
  connection.pragma(`user_version = ${migrations.length}`)
}

const unusable = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']

/** Turns errors of SQLite and the file system into an EmulatorRefusal that says what to do. */
export function explainingErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = (error as { code?: string }).code ?? ''
    if (isBusy(error)) throw inUseRefusal(path)
    if (error instanceof UnusableFile) throw unusableRefusal(path, error)
    if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') throw unusableRefusal(path, damaged())
    if (unusable.some((known) => code.startsWith(known))) {
      throw new EmulatorRefusal(`${path} can't be read and written.`, 'Check its permissions, or name another file.')
    }
    if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR'].some((known) => code.startsWith(known))) {
      const { message } = error as Error
      throw new EmulatorRefusal(`${path} can't be written: ${message}.`, 'Make room there, or name another file.')
    }
    throw error
  }
}
