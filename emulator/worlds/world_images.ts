import { hash } from 'node:crypto'
import { type Image, imageOf } from '../store/image.ts'
import type { LiveWorld, Mutable } from './live_world.ts'
import type { WorldMaker } from './world_maker.ts'

/** Takes images of the tables of worlds once all their writes are committed. */
export class WorldImages {
  readonly #maker: WorldMaker
  /** Finds a world by its name, and also by its id if the id is known. Throws a Refusal if the world has ended. */
  readonly #find: (name: string, id?: string) => LiveWorld

  constructor(maker: WorldMaker, find: (name: string, id?: string) => LiveWorld) {
    this.#maker = maker
    this.#find = find
  }

  /** Returns the image of a world. All copies of the world share this image until the world changes. */
  async of(name: string): Promise<Image> {
    return (await this.#copyOf(name)).image
  }

  /** Exports a world as a file. */
  async fileOf(name: string): Promise<Uint8Array> {
    const live: Mutable<LiveWorld> = this.#find(name)
    const { world } = live
    const { image, changes } = await this.#copyOf(name)
    const file = await this.#maker.fileOf(image, live.world.clock.setting, {
      team: live.world.options.owner?.(name) ?? null,
    })
    // The world may have been reset in the meantime: counts of changes begin again.
    if (live.world === world) live.exported = { digest: hash('sha256', file, 'hex'), changes }
    return file
  }

  /** The image of a world, and the number of rows written until the image was made. */
  async #copyOf(name: string): Promise<{ readonly image: Image; readonly changes: number }> {
    return this.whenSettled(name, (live) => {
      const { changes, connection } = live.world.database
      if (live.copied?.changes !== changes) live.copied = { image: imageOf(connection), changes }
      return live.copied
    })
  }

  /**
   * Waits until all writes of the world are committed or have failed, and runs `work` before any other code can write.
   * The world may end in the meantime (410).
   */
  async whenSettled<T>(name: string, work: (live: Mutable<LiveWorld>) => T | Promise<T>, id?: string): Promise<T> {
    const live = this.#find(name, id) as Mutable<LiveWorld>
    for (;;) {
      this.#find(name, live.world.id)
      const { settled } = live.world.database
      if (!settled) return work(live)
      await settled.catch(() => {})
    }
  }
}
