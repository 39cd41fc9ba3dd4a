import type { MovedWorld } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import type { SavedMove, WorldFolder } from '../store/world_folder.ts'
import type { LiveWorld } from './live_world.ts'

/** New place of a world that has moved. */
export interface Destination {
  readonly base_url: string
  /** SHA-256 digest, in hexadecimal, of the exported file from which the new world was made. */
  readonly file: string
}

/**
 * Worlds that have moved to another emulator, by name. If the emulator has a folder, the folder contains a file for
 * each moved world; the file says where the world is now.
 */
export class MovedWorlds {
  readonly #folder: WorldFolder | null
  readonly #all = new Map<string, SavedMove>()

  constructor(folder: WorldFolder | null) {
    this.#folder = folder
  }

  /** Finds the worlds that moved in earlier processes, and removes the files that a killed process did not remove. */
  find(onNotice: (text: string) => void): void {
    for (const moved of this.#folder?.moved(onNotice) ?? []) {
      this.#all.set(moved.name, moved)
      this.#folder?.removeFile(moved.name)
    }
  }

  has = (name: string): boolean => this.#all.has(name)

  /** Throws a Refusal with 421 for a name whose world has moved. */
  refuse(name: string): void {
    const moved = this.#all.get(name)
    if (!moved) return
    const message = `World ${name} has moved: its base URL is ${moved.base_url}`
    throw new Refusal(421, { message, errors: { world: [message] } })
  }

  /** Base URL of a world that has moved. */
  urlOf = (name: string): string | undefined => this.#all.get(name)?.base_url

  /** If the emulator has teams: hexadecimal digests of the tokens of a world that has moved. */
  tokensOf = (name: string): readonly string[] | undefined => this.#all.get(name)?.tokens

  /**
   * Adds a world that is about to end. Throws a Refusal with 409 if the world has changed since the export. `tokens`:
   * digests of the tokens whose owners are allowed to learn where the world is.
   */
  add(
    { name, world, exported }: LiveWorld,
    { base_url, file }: Destination,
    { now, tokens }: { readonly now: number; readonly tokens: SavedMove['tokens'] },
  ): MovedWorld {
    if (exported?.digest !== file || exported.changes !== world.database.changes) {
      throw new Refusal(409, {
        message: `World ${name} has changed, was exported again or was closed since the export of this file. Export the world again`,
      })
    }
    const moved = { name, base_url, moved_at: timestamp(now) }
    const saved = { ...moved, tokens }
    this.#folder?.saveMoved(saved)
    this.#all.set(name, saved)
    return moved
  }

  /** Removes a name from the list because a new world gets it. */
  remove(name: string): void {
    if (this.#all.delete(name)) this.#folder?.removeMoved(name)
  }
}
