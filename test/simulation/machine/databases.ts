import Sqlite, { type Database } from 'better-sqlite3'
import type { Random } from '../random.ts'
import { type Files, filesAt, isSame, putFiles, writtenInPart } from './disk.ts'
import { machine, type Process } from './machine.ts'

// Which process has which database open, and what is left of one when its process or the machine's power goes.

const owners = new WeakMap<Database, Process>()
const opened = new WeakMap<Process, Set<Database>>()
/** Open databases in files, those of the simulation too. */
const byPath = new Map<string, Set<Database>>()
/** By path: the files as the disk had them for certain, since when something was written that is not forced to it. */
const certain = new Map<string, Files>()

/** By path: what is left of a database whose process dies while it writes. */
const torn = new Map<string, Files>()

const close = Sqlite.prototype.close

/** What is known of a database, in the name of the process that uses it first. */
export function adopt(database: Database): Process | undefined {
  const known = owners.get(database)
  if (known) return known
  const { process } = machine
  if (!process) return undefined
  owners.set(database, process)
  const own = opened.get(process)
  if (own) own.add(database)
  else {
    opened.set(process, new Set([database]))
    process.atDeath(() => leave(process))
  }
  note(database)
  return process
}

export const ownerOf = (database: Database): Process | undefined => owners.get(database)

export const databasesOf = (process: Process): readonly Database[] =>
  [...(opened.get(process) ?? [])].filter(({ open }) => open)

/** Opens a database for the simulation itself. It is closed when the file goes back to what a dead process has left. */
export function watch(path: string): Database {
  const database = new Sqlite(path, { readonly: true })
  note(database)
  return database
}

function note(database: Database): void {
  if (database.memory) return
  const { name } = database
  byPath.set(name, (byPath.get(name) ?? new Set()).add(database))
}

/** Takes the place of `close`. */
export function closed(this: Database): Database {
  const { name } = this
  const others = byPath.get(name)
  if (others?.delete(this) && others.size === 0) {
    byPath.delete(name)
    certain.delete(name) // the last one has put everything into the database
  }
  return close.call(this)
}

/** Something was committed, and forced to disk with all that was written before it. */
export function forcedToDisk({ name }: Database): void {
  if (certain.has(name)) certain.set(name, filesAt(name))
}

/** From now on not everything that is committed is forced to disk. */
export function notForcedToDisk({ name }: Database): void {
  if (!certain.has(name)) certain.set(name, filesAt(name))
}

/** Has a process die while it writes: so much of what its statement writes is in its files then. */
export function dieWithin(process: Process, { name, memory }: Database, statement: () => unknown): void {
  const { dying } = process
  if (!dying) return
  process.dying = undefined
  if (!memory && isAlone(process, name)) {
    const before = filesAt(name)
    try {
      statement()
    } catch {} // it dies anyway
    torn.set(name, writtenInPart(before, filesAt(name), dying.written))
  }
  dying.kill()
}

const isAlone = (process: Process, path: string): boolean =>
  [...(byPath.get(path) ?? [])].every((database) => {
    const owner = owners.get(database)
    return !owner || owner === process
  })

/** A process is dead: its databases are closed without what SQLite does at a close, where no other process has them open. */
function leave(process: Process): void {
  const own = databasesOf(process)
  const paths = new Set(own.filter(({ memory }) => !memory).map(({ name }) => name))
  const left = [...paths]
    .filter((path) => isAlone(process, path))
    .map((path) => [path, torn.get(path) ?? filesAt(path)] as const)
  torn.clear()
  for (const database of own) closeAtDeath(database)
  for (const [path, files] of left) putBack(path, files)
}

/** The power of the machine on which these processes run goes: what was not forced to disk is there in part. */
export function cutPower(processes: Iterable<Process>, random: Random): void {
  const left = [...certain].map(([path, sure]) => {
    const now = filesAt(path)
    // A checkpoint since then has forced the log to disk.
    const isAllForced = !sure.get('')?.equals(now.get('') ?? Buffer.alloc(0))
    return [path, isAllForced ? now : writtenInPart(sure, now, random.fraction())] as const
  })
  for (const process of processes) process.kill()
  for (const [path, files] of left) putBack(path, files)
}

function putBack(path: string, files: Files): void {
  if (!files.has('')) return // it has been removed while it was open
  if (!byPath.has(path) && isSame(files, filesAt(path))) return
  for (const database of byPath.get(path) ?? []) closeAtDeath(database)
  certain.delete(path)
  machine.as(undefined, () => putFiles(path, files)) // what is on the disk is no deed of a process
}

function closeAtDeath(database: Database): void {
  byPath.get(database.name)?.delete(database)
  try {
    close.call(database)
  } catch {} // a statement of the dead process is not at its end
}
