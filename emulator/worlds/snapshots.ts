import { existsSync, statSync } from 'node:fs'
import type { Database as Connection } from 'better-sqlite3'
import { defaultWorld, worldNamePattern } from '../../src/contract/index.ts'
import { nextTurn } from '../../src/real_time.ts'
import { Refusal } from '../domain/refusal.ts'
import { EmulatorRefusal } from '../options.ts'
import { Statements } from '../store/database.ts'
import { changed, type Image, openImage } from '../store/image.ts'
import { type FileMetadata, WorldSettings } from '../store/settings.ts'
import type { WorldFolder } from '../store/world_folder.ts'
import type { WorldMaker } from './world_maker.ts'

/** A saved state of a world, under a name. `takenAt` is the machine's time. */
export interface Snapshot {
  readonly name: string
  readonly world: string
  readonly takenAt: number
  readonly image: Image
}

/** A snapshot whose file can't be used. */
export interface BrokenSnapshot {
  readonly name: string
  readonly problem: string
  /** Size of the file in bytes. */
  readonly size: number
}

export interface NewSnapshot {
  readonly name: string
  /** True: replaces a snapshot that has the same name. */
  readonly replace?: boolean | undefined
  /** Throws a Refusal if the limits leave no room for the snapshot. Called again once the snapshot is taken. */
  readonly refuse?: (() => void) | undefined
}

/** Snapshots of all worlds, by name. */
export class Snapshots {
  readonly #maker: WorldMaker
  /** Folder for the snapshots; null: snapshots are in memory. */
  readonly #folder: WorldFolder | null
  /** The machine's time. */
  readonly #now: () => number
  /** Snapshots by name; null: the snapshot is in a file that has not been read yet. */
  readonly #all = new Map<string, Snapshot | null>()

  constructor(maker: WorldMaker, folder: WorldFolder | null, now: () => number) {
    this.#maker = maker
    this.#folder = folder
    this.#now = now
  }

  /**
   * Reads the snapshots of these names, or all. Between two files it lets other work run. A file that can't be used does
   * not hide the other snapshots.
   */
  async all(names = this.names()): Promise<readonly (Snapshot | BrokenSnapshot)[]> {
    const all: (Snapshot | BrokenSnapshot)[] = []
    for (const name of names) {
      if (this.#all.get(name) === null) await nextTurn()
      const found = this.#find(name)
      if (found) all.push(found)
    }
    return all
  }

  names = (): readonly string[] => [...this.#all.keys()]

  /** Names of a team's snapshots. Unlike names of worlds, names of snapshots do not begin with a shard. */
  namesOf = (team: string): readonly string[] => this.names().filter((name) => name.startsWith(`${team}.`))

  /** Size in bytes; a snapshot in a file is not read for this. */
  sizeOf(name: string): number {
    const loaded = this.#all.get(name)?.image.length
    return loaded ?? (this.#folder && statSync(this.#folder.snapshotFile(name), { throwIfNoEntry: false })?.size) ?? 0
  }

  /**
   * Finds a snapshot. Throws a Refusal with 404 if no snapshot has this name, and with 503 if its file can't be used.
   */
  get(name: string): Snapshot {
    const found = this.#known(name)
    if ('image' in found) return found
    throw new Refusal(503, { message: `Snapshot ${name} can’t be read: ${found.problem}` })
  }

  /** Finds a snapshot, even if its file can't be used. Throws a Refusal with 404 if no snapshot has this name. */
  #known(name: string): Snapshot | BrokenSnapshot {
    const found = this.#find(name)
    if (found) return found
    throw new Refusal(404, { message: `Snapshot ${name} does not exist` })
  }

  #find(name: string): Snapshot | BrokenSnapshot | undefined {
    const snapshot = this.#all.get(name)
    if (snapshot !== null || !this.#folder) return snapshot ?? undefined
    if (existsSync(this.#folder.snapshotFile(name))) return this.#read(name, this.#folder)
    this.#all.delete(name)
    return undefined
  }

  /** Throws a Refusal with 409 if another snapshot has this name or the limits leave no room. */
  check({ name, replace = false, refuse }: NewSnapshot): void {
    if (!replace) this.#refuseTaken(name)
    refuse?.()
  }

  #refuseTaken(name: string): void {
    const found = this.#find(name)
    if (!found) return
    const advice = 'Choose another name, or replace the snapshot with replace: true.'
    const origin = 'image' in found ? `, from the world ${found.world}` : ', although its file can’t be used'
    throw new Refusal(409, { message: `Snapshot ${name} already exists${origin}. ${advice}` })
  }

  /** Saves a snapshot; replaces a snapshot of the same name. */
  put(snapshot: Snapshot): Snapshot {
    const { name, image } = snapshot
    const withMetadata = () => changed(image, (connection) => settingsIn(connection).set('kept', metadataOf(snapshot)))
    this.#folder?.writeSnapshot(name, withMetadata())
    this.#all.set(name, snapshot)
    return snapshot
  }

  /**
   * Exports a snapshot as a file, without the secrets of its world's callers. `team` waits for the work. Throws a
   * Refusal like `get`.
   */
  async fileOf(name: string, team: string | null = null): Promise<Uint8Array> {
    const snapshot = this.get(name)
    const { compacted } = await import('../store/image_tasks.ts')
    const file = changed(snapshot.image, (connection) => settingsIn(connection).becomeSnapshot(metadataOf(snapshot)))
    return compacted(file, { team })
  }

  /** Makes a snapshot from an exported file. Rejects with UnusableFile, and with a Refusal like `check`. */
  async import(asked: NewSnapshot, file: Uint8Array, team: string | null = null): Promise<Snapshot> {
    this.check(asked)
    const image = await this.#maker.imageOfImport(file, { team })
    this.check(asked)
    return this.put({ name: asked.name, image, ...this.#factsIn(image) })
  }

  delete(name: string): Snapshot | BrokenSnapshot {
    const snapshot = this.#known(name)
    this.#folder?.removeSnapshot(name)
    this.#all.delete(name)
    return snapshot
  }

  /** Finds the snapshots in files, without reading them. */
  find(): void {
    for (const name of this.#folder?.snapshots() ?? []) this.#all.set(name, null)
  }

  #read(name: string, folder: WorldFolder): Snapshot | BrokenSnapshot {
    const path = folder.snapshotFile(name)
    try {
      const image = this.#maker.readImage(path)
      const snapshot = { name, image, ...this.#factsIn(image) }
      this.#all.set(name, snapshot)
      return snapshot
    } catch (error) {
      return { name, problem: problemOf(path, error), size: this.sizeOf(name) }
    }
  }

  /** World and time of a snapshot, from its image. An image without them counts as taken now, of the default world. */
  #factsIn(image: Image): Pick<Snapshot, 'world' | 'takenAt'> {
    const connection = openImage(image)
    const { made_from, created_at: takenAt = this.#now() } = settingsIn(connection).get('kept') ?? {}
    connection.close()
    const { world = '' } = made_from ?? {}
    return { world: new RegExp(worldNamePattern).test(world) ? world : defaultWorld, takenAt }
  }
}

const settingsIn = (connection: Connection): WorldSettings => new WorldSettings(new Statements(connection))

const metadataOf = ({ world, takenAt }: Snapshot): FileMetadata => ({
  made_from: { world },
  ttl: null,
  created_at: takenAt,
  origin: null,
})

/** Reason why a file can't be used. Throws any error that neither the file system nor the file's content has caused. */
function problemOf(path: string, error: unknown): string {
  if (error instanceof EmulatorRefusal) return error.message
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  return `${path} can’t be read: ${code}.`
}
