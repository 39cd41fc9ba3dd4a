import { statSync } from 'node:fs'
import { defaultWorld } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { EmulatorRefusal } from '../options.ts'
import type { Image } from '../store/image.ts'
import type { WorldFolder } from '../store/world_folder.ts'
import type { WorldMaker } from './world_maker.ts'

/** A saved state of a world, under a name. `takenAt` is the machine's time. */
export interface Snapshot {
  readonly name: string
  readonly world: string
  readonly takenAt: number
  readonly image: Image
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
  /** Snapshots by name; null: the snapshot is in a file that has not been read yet. */
  readonly #all = new Map<string, Snapshot | null>()

  constructor(maker: WorldMaker, folder: WorldFolder | null) {
    this.#maker = maker
    this.#folder = folder
  }

  all = (): readonly Snapshot[] => [...this.#all.keys()].map((name) => this.get(name))

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
    const snapshot = this.#all.get(name)
    if (snapshot) return snapshot
    if (snapshot === null && this.#folder) return this.#read(name, this.#folder)
    throw new Refusal(404, { message: `Snapshot ${name} does not exist` })
  }

  /** Throws a Refusal with 409 if another snapshot has this name or the limits leave no room. */
  check({ name, replace = false, refuse }: NewSnapshot): void {
    if (!replace) this.#refuseTaken(name)
    refuse?.()
  }

  #refuseTaken(name: string): void {
    if (!this.#all.has(name)) return
    const advice = 'Choose another name, or replace the snapshot with replace: true.'
    const { world } = this.get(name)
    throw new Refusal(409, { message: `Snapshot ${name} already exists, from the world ${world}. ${advice}` })
  }

  /** Saves a snapshot; replaces a snapshot of the same name. */
  put(snapshot: Snapshot): Snapshot {
    const { name, world, takenAt, image } = snapshot
    const metadata = { made_from: { world }, ttl: null, created_at: takenAt, origin: null }
    this.#folder?.writeSnapshot(name, this.#maker.imageWith(image, metadata))
    this.#all.set(name, snapshot)
    return snapshot
  }

  delete(name: string): Snapshot {
    const snapshot = this.get(name)
    this.#folder?.removeSnapshot(name)
    this.#all.delete(name)
    return snapshot
  }

  /** Finds the snapshots in files, without reading them. */
  find(): void {
    for (const name of this.#folder?.snapshots() ?? []) this.#all.set(name, null)
  }

  #read(name: string, folder: WorldFolder): Snapshot {
    try {
      const { image, metadata } = this.#maker.readImage(folder.snapshotFile(name))
      const { made_from, created_at: takenAt = 0 } = metadata ?? {}
      const snapshot = { name, world: made_from?.world ?? defaultWorld, takenAt, image }
      this.#all.set(name, snapshot)
      return snapshot
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error
      throw new Refusal(503, { message: `Snapshot ${name} can’t be read: ${error.message} ${error.hint}` })
    }
  }
}
