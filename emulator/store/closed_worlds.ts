import { closeSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite, { type Database as Connection } from 'better-sqlite3'
import type { ForkedFrom, MadeFrom } from '../../src/contract/index.ts'
import { besides, refuseForeignFile } from './own_files.ts'
import type { WorldFolder } from './world_folder.ts'

/** Facts of a world while its file is closed. Times are epoch milliseconds of the machine's clock. */
export interface ClosedFacts {
  readonly id: string
  readonly madeFrom: MadeFrom
  readonly forkedFrom: ForkedFrom | null
  readonly rngStream: string
  readonly createdAt: number
  readonly usedAt: number
  /** Allowed idle time, in milliseconds; null: unlimited. */
  readonly ttl: number | null
  readonly requests: number
  /** Size of the world's tables, in bytes. */
  readonly size: number
  /** Series of the world's delivery ids. */
  readonly series: number
  /**
   * Hexadecimal digests of the tokens that belong to the world; undefined if there are too many, or if the emulator has
   * no teams.
   */
  readonly tokens?: readonly string[] | undefined
  /** Revision of the world's tables; undefined in an index that was written before revisions existed. */
  readonly revision?: string
  /** Digest of the image that a reset restores; null: the seed. */
  readonly origin: string | null
  /** Time at which the world has work to do, or expires; null: never. */
  readonly due: number | null
  /** The file when it was closed: its size in bytes, and its last write in epoch milliseconds; null: not known. */
  readonly file: { readonly size: number; readonly mtime: number } | null
}

/** A world whose file can't be opened. */
export interface Broken {
  readonly problem: string
  readonly remedy: string
}

/** A world whose file is closed. */
export interface ClosedWorld {
  readonly name: string
  /** The world's number in the order in which the emulator made its worlds. */
  readonly made: number
  /**
   * Null if the facts are unknown until the file is opened, because the file was copied into the folder, or because the
   * last process that had it open was killed.
   */
  readonly facts: ClosedFacts | null
  /** Reason why the file could not be opened; null if the emulator has not tried, or has succeeded. */
  readonly broken: Broken | null
  /** Time at which the file must be opened, in epoch milliseconds; null: never. */
  readonly due: number | null
}

/** Pause before the emulator tries again to open a broken file that has due work, in milliseconds. */
const brokenPause = 60_000

/** Version of the index; an index of another version is emptied. */
const version = 1

/**
 * The worlds of a folder whose files are closed. An index file, written whenever a world is closed, contains their
 * facts. At its start, the emulator therefore reads only the index and the names of the files, not the files
 * themselves. In the background, the emulator opens each world without facts, to find out whether the world has work to
 * do.
 */
export class ClosedWorlds {
  readonly #all = new Map<string, ClosedWorld>()
  readonly #index: Connection
  readonly #put: Sqlite.Statement<[string, string]>
  readonly #remove: Sqlite.Statement<[string]>
  #made: number

  /** Reads the index and the names in the folder. `made`: the number of worlds made so far. */
  constructor(folder: WorldFolder, made: number) {
    this.#index = openIndex(folder.index)
    this.#put = this.#index.prepare('INSERT OR REPLACE INTO closed (name, facts) VALUES (?, ?)')
    this.#remove = this.#index.prepare('DELETE FROM closed WHERE name = ?')
    this.#made = made
    const rows = this.#index.prepare<[], { name: string; facts: string }>('SELECT name, facts FROM closed').all()
    const known = new Map(rows.map(({ name, facts }) => [name, JSON.parse(facts) as ClosedFacts]))
    const found = folder.worlds().map((name) => ({ name, facts: known.get(name) ?? null }))
    // Files without facts count as the newest: they were copied into the folder, or were open when the process was
    // killed.
    const oldestFirst = found.sort((one, other) => createdAt(one.facts) - createdAt(other.facts))
    for (const { name, facts } of oldestFirst) {
      this.#made += 1
      this.#all.set(name, { name, made: this.#made, facts, broken: null, due: facts === null ? 0 : facts.due })
      known.delete(name)
    }
    for (const name of known.keys()) this.#remove.run(name)
  }

  /** Number of worlds made so far. */
  get made(): number {
    return this.#made
  }

  has = (name: string): boolean => this.#all.has(name)

  get = (name: string): ClosedWorld | undefined => this.#all.get(name)

  /** All closed worlds, oldest first, except that worlds that were opened and closed again come last. */
  all = (): readonly ClosedWorld[] => [...this.#all.values()]

  /** Adds a world whose file has been closed. Throws if the index can't be written; the world is added nevertheless. */
  add(name: string, made: number, facts: ClosedFacts): void {
    this.#all.set(name, { name, made, facts, broken: null, due: facts.due })
    this.#put.run(name, JSON.stringify(facts))
  }

  /** Adds many worlds in one transaction. */
  addAll(worlds: readonly { readonly name: string; readonly made: number; readonly facts: ClosedFacts }[]): void {
    this.#index.transaction(() => {
      for (const { name, made, facts } of worlds) this.add(name, made, facts)
    })()
  }

  /**
   * Removes a world whose file has been opened or deleted. From then on, the index has no facts of the world, even if
   * the process is killed. Throws if the index can't be written; the world is removed nevertheless.
   */
  remove(name: string): void {
    this.#all.delete(name)
    this.#remove.run(name)
  }

  /** Records that a file can't be opened. */
  failed(name: string, broken: Broken, now: number): void {
    const closed = this.#all.get(name)
    if (!closed) return
    const due = closed.due === null ? null : Math.max(closed.due, now + brokenPause)
    this.#all.set(name, { ...closed, broken, due })
  }

  /** Earliest time at which the file of a closed world must be opened, in epoch milliseconds; null: never. */
  nextDue(): number | null {
    let earliest: number | null = null
    for (const { due } of this.#all.values()) if (due !== null && (earliest === null || due < earliest)) earliest = due
    return earliest
  }

  /** Names of at most `limit` worlds whose files must be opened at `now`. */
  due(now: number, limit: number): readonly string[] {
    const names: string[] = []
    for (const { name, due } of this.#all.values()) {
      if (due === null || due > now) continue
      names.push(name)
      if (names.length === limit) break
    }
    return names
  }

  close(): void {
    this.#index.close()
  }
}

/** Counts worlds by their state. */
export function counted(open: number, others: readonly ClosedWorld[]) {
  const broken = others.filter((world) => world.broken !== null).length
  return { open, closed: others.length - broken, broken }
}

const createdAt = (facts: ClosedFacts | null): number => facts?.createdAt ?? Number.MAX_SAFE_INTEGER

/**
 * Opens the index. Replaces a damaged index with an empty index: the emulator then opens the worlds' files to find
 * their facts.
 */
function openIndex(path: string): Connection {
  refuseForeignFile(path, dirname(path))
  closeSync(openSync(path, 'a', 0o600))
  try {
    return prepared(new Sqlite(path, { timeout: 0 }))
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!code.startsWith('SQLITE_CORRUPT') && code !== 'SQLITE_NOTADB') throw error
    for (const end of ['', ...besides]) rmSync(`${path}${end}`, { force: true })
    closeSync(openSync(path, 'a', 0o600))
    return prepared(new Sqlite(path, { timeout: 0 }))
  }
}

function prepared(connection: Connection): Connection {
  try {
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = NORMAL')
    if (connection.pragma('user_version', { simple: true }) !== version) {
      connection.exec(`DROP TABLE IF EXISTS closed; PRAGMA user_version = ${version}`)
    }
    connection.exec(
      'CREATE TABLE IF NOT EXISTS closed (name TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT, WITHOUT ROWID',
    )
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
