import Sqlite, { type Database } from 'better-sqlite3'
import { adopt, closed, databasesOf, dieWithin, forcedToDisk, notForcedToDisk, ownerOf } from './databases.ts'
import { Killed, machine, type Process } from './machine.ts'

// SQLite of the simulated machine, with real files. Every statement is a step of the process that opened the database.

/** A statement of better-sqlite3, whose published types leave out the native class. */
interface Native {
  readonly database: Database
  readonly source: string
  readonly readonly: boolean
}

type Method = (this: Native, ...values: unknown[]) => unknown

/** Operations for which a full disk has no room: growth of a database in pages, or growth of the log by a commit. */
type Full = 'pages' | 'log'

const full = new WeakMap<Process, Full>()

/** Decides which commits find no room in the log; default: all. */
const failing = new WeakMap<Process, () => boolean>()

/** SQLite's `total_changes()` at the beginning of a transaction. */
const begun = new WeakMap<Database, unknown>()

const changesOf = (database: Database): unknown =>
  unseen(() => database.prepare('SELECT total_changes()').pluck().get())

/** True if a statement is a commit that must write but finds no room. */
function hasNoRoom(owner: Process, { database, source }: Native): boolean {
  if (full.get(owner) !== 'log') return false
  if (source.startsWith('BEGIN')) begun.set(database, changesOf(database))
  return source === 'COMMIT' && begun.get(database) !== changesOf(database) && failing.get(owner)?.() === true
}

/** Fills the disk for the files of a simulated process. */
export function fillDisk(process: Process, what: Full = 'pages', fails = (): boolean => true): void {
  full.set(process, what)
  failing.set(process, fails)
  if (what === 'pages') for (const database of databasesOf(process)) stopGrowing(database)
}

/** True if the files of a process can't grow. */
export const hasNoSpace = (process: Process): boolean => full.get(process) === 'pages'

/** Makes room again. */
export function makeRoom(process: Process): void {
  full.delete(process)
  for (const database of databasesOf(process)) unseen(() => database.pragma(`max_page_count = ${2 ** 30}`))
}

function stopGrowing(database: Database): void {
  unseen(() => database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`))
}

let isUnseen = false

/** Does reads of the simulation itself, which are not steps of a process. */
export function unseen<T>(work: () => T): T {
  const before = isUnseen
  isUnseen = true
  try {
    return work()
  } finally {
    isUnseen = before
  }
}

/** Process that owns a database, from its first use on. */
function userOf(database: Database): Process | undefined {
  const known = ownerOf(database)
  if (known) return known
  const process = adopt(database)
  if (process && full.get(process) === 'pages') stopGrowing(database)
  return process
}

/** Fails like SQLite if the disk has no room for the log, and rolls back as SQLite then does. */
function failToCommit(database: Database): never {
  unseen(() => database.exec('ROLLBACK'))
  throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
}

const names = new Map<string, string>()

/** First words of a statement, for the log. */
function shortly(sql: string): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = sql.trim().replaceAll(/\s+/g, ' ').slice(0, 60)
  names.set(sql, name)
  return name
}

const stepping = (run: Method): Method =>
  function stepping(...values) {
    if (isUnseen) return run.apply(this, values)
    const { database } = this
    const owner = userOf(database)
    owner?.step(shortly(this.source))
    if (owner?.dying) {
      dieWithin(owner, database, () => run.apply(this, values))
      owner.step('') // it is dead
    }
    const within = database.inTransaction
    try {
      if (owner && hasNoRoom(owner, this)) failToCommit(database)
      const result = run.apply(this, values)
      const isCommit = (within || !this.readonly) && !database.inTransaction
      if (isCommit && !relaxed.has(database)) forcedToDisk(database)
      if (isCommit && owner && !database.memory) owner.busyUntil = machine.elapsed + owner.commitMs()
      return result
    } catch (error) {
      if ((error as { code?: string }).code === 'SQLITE_FULL') machine.log(`${owner?.name}: the disk is full`)
      throw error
    }
  }

/** Databases whose commits are not forced to disk. */
const relaxed = new WeakSet<Database>()

/** Only a journal must be complete after a power cut. */
function noteForcing(database: Database, pragma: string): void {
  const [, level] = /^synchronous = (\w+)/.exec(pragma) ?? []
  if (level === undefined || !database.name.endsWith('journal.db')) return
  if (level === 'FULL') relaxed.delete(database)
  else {
    relaxed.add(database)
    notForcedToDisk(database)
  }
}

/** Throws if the database's process is dead, because a dead process has no open files. */
function requireLife(database: Database): void {
  if (ownerOf(database)?.alive === false) throw new Killed('its process is dead')
}

function install(): void {
  const sample = new Sqlite(':memory:')
  const statement = Object.getPrototypeOf(sample.prepare('SELECT 1')) as Record<string, Method>
  for (const name of ['run', 'get', 'all', 'iterate']) statement[name] = stepping(statement[name] as Method)
  sample.close()
  const { exec, pragma, prepare } = Sqlite.prototype
  Sqlite.prototype.prepare = function (this: Database, sql: string) {
    requireLife(this)
    return prepare.call(this, sql)
  } as typeof prepare
  Sqlite.prototype.exec = function (this: Database, sql: string) {
    if (!isUnseen) userOf(this)?.step(shortly(sql))
    return exec.call(this, sql)
  }
  Sqlite.prototype.pragma = function (this: Database, source: string, options?: object) {
    requireLife(this)
    const result = pragma.call(this, source, options)
    noteForcing(this, source)
    return result
  }
  Sqlite.prototype.close = closed
}

install()
