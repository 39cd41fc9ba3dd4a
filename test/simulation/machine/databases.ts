import Sqlite, { type Database } from 'better-sqlite3'
import type { Random } from '../random.ts'
import { type Files, filesAt, isSame, putFiles, writtenInPart } from './disk.ts'
import { machine, type Process } from './machine.ts'

// Tracks the process that has each database open, and the files that remain when the process dies or the power fails.

const owners = new WeakMap<Database, Process>()
const opened = new WeakMap<Process, Set<Database>>()
/** Open databases in files, by path; includes those of the simulation. */
const byPath = new Map<string, Set<Database>>()
/** Files that are certainly on disk, by path; only for databases with later writes that were not forced to disk. */
const certain = new Map<string, Files>()

/** Remaining files of a database whose process dies while it writes, by path. */
const torn = new Map<string, Files>()

const close = Sqlite.prototype.close

/** Assigns a database to the process that uses it first. */
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

/** Opens a database for the simulation itself. The database closes when the files of a dead process are restored. */
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

/** Replaces `close`. */
export function closed(this: Database): Database {
  const { name } = this
  const others = byPath.get(name)
  if (others?.delete(this) && others.size === 0) {
    byPath.delete(name)
    certain.delete(name) // the last connection has moved the log into the database
  }
  return close.call(this)
}

/** Called after a commit that forces all earlier writes to disk. */
export function forcedToDisk({ name }: Database): void {
  if (certain.has(name)) certain.set(name, filesAt(name))
}

/** Called when commits are no longer forced to disk. */
export function notForcedToDisk({ name }: Database): void {
  if (!certain.has(name)) certain.set(name, filesAt(name))
}

/** Makes a process die while it writes: only part of its statement's writes reaches the files. */
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

/** Closes the databases of a dead process without SQLite's work at a close, unless another process has them open. */
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

/** Cuts the power of these processes' machine: only part of the writes not forced to disk remains. */
export function cutPower(processes: Iterable<Process>, random: Random): void {
  const left = [...certain].map(([path, sure]) => {
    const now = filesAt(path)
    // A change of the main file means that a checkpoint has forced the log to disk.
    const isAllForced = !sure.get('')?.equals(now.get('') ?? Buffer.alloc(0))
    return [path, isAllForced ? now : writtenInPart(sure, now, random.fraction())] as const
  })
  for (const process of processes) process.kill()
  for (const [path, files] of left) putBack(path, files)
}

function putBack(path: string, files: Files): void {
  if (!files.has('')) return // the database was removed while it was open
  if (!byPath.has(path) && isSame(files, filesAt(path))) return
  for (const database of byPath.get(path) ?? []) closeAtDeath(database)
  certain.delete(path)
  machine.as(undefined, () => putFiles(path, files)) // in no process, because the simulation itself puts the files back
}

function closeAtDeath(database: Database): void {
  byPath.get(database.name)?.delete(database)
  try {
    close.call(database)
  } catch {} // the dead process has not finished a statement
}
