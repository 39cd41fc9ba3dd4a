import type { MovedWorld } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import type { SavedMove, WorldFolder } from '../store/world_folder.ts'
import type { LiveWorld } from './live_world.ts'

/** New place of a world. */
export interface Destination {
  readonly base_url: string
  /** SHA-256 digest, in hex, of the exported file from which the new world was made. */
  readonly file: string
}

/** Worlds that another emulator has now, by name. With a folder, each has a file there, which says where the world is. */
export class MovedWorlds {
  readonly #folder: WorldFolder | null
  readonly #all = new Map<string, SavedMove>()

  constructor(folder: WorldFolder | null) {
    this.#folder = folder
  }

  /** Finds the moved worlds of earlier processes, and removes the files that a killed one did not remove. */
  find(onNotice: (text: string) => void): void {
    for (const moved of this.#folder?.moved(onNotice) ?? []) {
      this.#all.set(moved.name, moved)
      this.#folder?.removeFile(moved.name)
    }
  }

  /** Throws a Refusal with 421 for a name whose world has moved. */
  refuse(name: string): void {
    const moved = this.#all.get(name)
    if (moved) throw new Refusal(421, { message: `World ${name} has moved: its base URL is ${moved.base_url}` })
  }

  /** With teams: digests of the tokens of a world that has moved, in hex. */
  tokensOf = (name: string): readonly string[] | undefined => this.#all.get(name)?.tokens

  /**
   * Adds a world that is about to end. Throws a Refusal with 409 if it has changed since the export. `tokens`: digests
   * of those that show where the world is.
   */
  add(
    { name, world, exported }: LiveWorld,
    { base_url, file }: Destination,
    { now, tokens }: { readonly now: number; readonly tokens: SavedMove['tokens'] },
  ): MovedWorld {
    if (exported?.digest !== file || exported.changes !== world.database.changes) {
      throw new Refusal(409, { message: `World ${name} has changed since that export. Export it again` })
    }
    const moved = { name, base_url, moved_at: timestamp(now) }
    const saved = { ...moved, tokens }
    this.#folder?.saveMoved(saved)
    this.#all.set(name, saved)
    return moved
  }

  /** Removes a name that a new world gets. */
  remove(name: string): void {
    if (this.#all.delete(name)) this.#folder?.removeMoved(name)
  }
}
