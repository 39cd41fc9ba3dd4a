import Sqlite, { type Database } from 'better-sqlite3'
import { Killed, machine, type Process } from './machine.ts'

// SQLite of the simulated machine: real files. Every statement is a step of the process that has opened the database.

/** A statement of the package: its types leave the native class out. */
interface Native {
  readonly database: Database
  readonly source: string
  readonly readonly: boolean
}

type Method = (this: Native, ...values: unknown[]) => unknown

const owners = new WeakMap<Database, Process>()
const close = Sqlite.prototype.close
const opened = new WeakMap<Process, Set<Database>>()
const full = new WeakSet<Process>()

/** From now on no file of this process grows. */
export function fillDisk(process: Process): void {
  full.add(process)
  for (const database of filesOf(process)) stopGrowing(database)
}

/** There is room again. */
export function makeRoom(process: Process): void {
  full.delete(process)
  for (const database of filesOf(process)) unseen(() => database.pragma(`max_page_count = ${2 ** 30}`))
}

const filesOf = (process: Process): readonly Database[] => [...(opened.get(process) ?? [])].filter(({ open }) => open)

function stopGrowing(database: Database): void {
  unseen(() => database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`))
}

let isUnseen = false

/** What the simulation itself reads: no step of anybody. */
export function unseen<T>(work: () => T): T {
  const before = isUnseen
  isUnseen = true
  try {
    return work()
  } finally {
    isUnseen = before
  }
}

function ownerOf(database: Database): Process | undefined {
  const known = owners.get(database)
  if (known) return known
  const { process } = machine
  if (!process) return undefined
  owners.set(database, process)
  const all = opened.get(process) ?? new Set()
  opened.set(process, all.add(database))
  process.atDeath(() => {
    try {
      close.call(database)
    } catch {} // a statement of the dead process is not at its end
  })
  if (full.has(process)) stopGrowing(database)
  return process
}

const names = new Map<string, string>()

/** The first words of a statement, for the log. */
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
    const owner = ownerOf(this.database)
    owner?.step(shortly(this.source))
    try {
      return run.apply(this, values)
    } catch (error) {
      if ((error as { code?: string }).code === 'SQLITE_FULL') machine.log(`${owner?.name}: the disk is full`)
      throw error
    }
  }

function install(): void {
  const sample = new Sqlite(':memory:')
  const statement = Object.getPrototypeOf(sample.prepare('SELECT 1')) as Record<string, Method>
  for (const name of ['run', 'get', 'all', 'iterate']) statement[name] = stepping(statement[name] as Method)
  sample.close()
  const { exec, prepare } = Sqlite.prototype
  // A dead process has no database: its files were closed with it.
  Sqlite.prototype.prepare = function (this: Database, sql: string) {
    if (owners.get(this)?.alive === false) throw new Killed('its process is dead')
    return prepare.call(this, sql)
  } as typeof prepare
  Sqlite.prototype.exec = function (this: Database, sql: string) {
    if (!isUnseen) ownerOf(this)?.step(shortly(sql))
    return exec.call(this, sql)
  }
}

install()
