import { type Image, imageOf } from '../store/image.ts'
import type { LiveWorld, Mutable } from './live_world.ts'

/** Takes images of the tables of worlds once all their writes are committed. */
export class WorldImages {
  /** Finds a world by its name, and by its id if it is known. Throws a Refusal if the world has ended. */
  readonly #find: (name: string, id?: string) => LiveWorld

  constructor(find: (name: string, id?: string) => LiveWorld) {
    this.#find = find
  }

  /** Copies of a world share one image as long as the world does not change. */
  async of(name: string): Promise<Image> {
    return (await this.copyOf(name)).image
  }

  /** The image, and the number of rows ever written by then. */
  async copyOf(name: string): Promise<{ readonly image: Image; readonly changes: number }> {
    const live = await this.settled(name)
    const { changes, connection } = live.world.database
    if (live.copied?.changes !== changes) live.copied = { image: imageOf(connection), changes }
    return live.copied
  }

  /** Waits until all writes of the world are committed or have failed. The world may end meanwhile (410). */
  async settled(name: string, id?: string): Promise<Mutable<LiveWorld>> {
    const live = this.#find(name, id) as Mutable<LiveWorld>
    for (;;) {
      this.#find(name, live.world.id)
      const { settled } = live.world.database
      if (!settled) return live
      await settled.catch(() => {})
    }
  }
}
