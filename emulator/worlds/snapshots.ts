import { defaultWorld } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Image } from '../store/image.ts'
import type { WorldFolder } from '../store/world_folder.ts'
import type { WorldMaker } from './world_maker.ts'

/** A saved state of a world. `takenAt` is the machine's time. */
export interface Snapshot {
  readonly name: string
  readonly world: string
  readonly takenAt: number
  readonly image: Image
}

/** Snapshots of all worlds, by name. */
export class Snapshots {
  readonly #maker: WorldMaker
  /** Folder of the snapshots; null: in memory. */
  readonly #folder: WorldFolder | null
  readonly #all = new Map<string, Snapshot>()

  constructor(maker: WorldMaker, folder: WorldFolder | null) {
    this.#maker = maker
    this.#folder = folder
  }

  all = (): readonly Snapshot[] => [...this.#all.values()]

  /** Finds a snapshot. Throws a Refusal with 404 if none has this name. */
  get(name: string): Snapshot {
    const snapshot = this.#all.get(name)
    if (snapshot) return snapshot
    throw new Refusal(404, { message: `Snapshot ${name} does not exist` })
  }

  /** Throws a Refusal with 409 if a snapshot has this name. */
  refuseTaken(name: string): void {
    const snapshot = this.#all.get(name)
    if (!snapshot) return
    const advice = 'Choose another name, or set replace to replace it.'
    throw new Refusal(409, {
      message: `Snapshot ${name} already exists, from the world ${snapshot.world}. ${advice}`,
    })
  }

  /** Saves a snapshot; replaces one of the same name. */
  put(snapshot: Snapshot): void {
    const { name, world, takenAt, image } = snapshot
    const metadata = { made_from: { world }, ttl: null, created_at: takenAt, origin: null }
    this.#folder?.writeSnapshot(name, this.#maker.imageWith(image, metadata))
    this.#all.set(name, snapshot)
  }

  delete(name: string): Snapshot {
    const snapshot = this.get(name)
    this.#folder?.removeSnapshot(name)
    this.#all.delete(name)
    return snapshot
  }

  /** Reads the snapshots in files. Throws EmulatorRefusal for a file that can't be used. */
  read(): void {
    if (this.#folder === null) return
    for (const name of this.#folder.snapshots()) {
      const { image, metadata } = this.#maker.readImage(this.#folder.snapshotFile(name))
      const { made_from, created_at: takenAt = 0 } = metadata ?? {}
      this.#all.set(name, { name, world: made_from?.world ?? defaultWorld, takenAt, image })
    }
  }
}
