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

interface Places {
  readonly maker: WorldMaker
  /** Folder of the snapshots; null: in memory. */
  readonly folder: WorldFolder | null
}

/** Snapshots of all worlds, by name. */
export class Snapshots {
  readonly #places: Places
  readonly #all = new Map<string, Snapshot>()

  constructor(places: Places) {
    this.#places = places
  }

  all = (): readonly Snapshot[] => [...this.#all.values()]

  /** Finds a snapshot. Throws a Refusal with 404 if none has this name. */
  get(name: string): Snapshot {
    const snapshot = this.#all.get(name)
    if (snapshot) return snapshot
    throw new Refusal(404, { message: `There is no snapshot ${name}` })
  }

  /** Throws a Refusal with 409 if a snapshot has this name. */
  refuseTaken(name: string): void {
    const snapshot = this.#all.get(name)
    if (!snapshot) return
    const advice = 'Choose another name, or set replace to replace it.'
    throw new Refusal(409, {
      message: `There is a snapshot ${name} already, of the world ${snapshot.world}. ${advice}`,
    })
  }

  /** Saves a snapshot; replaces one of the same name. */
  put(snapshot: Snapshot): void {
    const { name, world, takenAt, image } = snapshot
    const { folder, maker } = this.#places
    const known = { made_from: { world }, ttl: null, created_at: takenAt, origin: null }
    folder?.writeSnapshot(name, maker.imageWith(image, known))
    this.#all.set(name, snapshot)
  }

  delete(name: string): Snapshot {
    const snapshot = this.get(name)
    this.#places.folder?.removeSnapshot(name)
    this.#all.delete(name)
    return snapshot
  }

  /** Reads the snapshots in files. Throws EmulatorRefusal for a file that can't be used. */
  read(): void {
    const { folder, maker } = this.#places
    for (const name of folder?.snapshots() ?? []) {
      const { image, kept } = maker.keptImage(folder?.snapshotFile(name) as string)
      this.#all.set(name, { name, world: kept?.made_from.world ?? defaultWorld, takenAt: kept?.created_at ?? 0, image })
    }
  }
}
