import type { Database as Connection } from 'better-sqlite3'
import { Clock } from './clock.ts'
import { type EmulatorOptions, EmulatorRefusal, type Seed } from './options.ts'
import type { OwnAddress } from './own_address.ts'
import { fill, setSecrets } from './seed.ts'
import { openDataFile } from './store/data_file.ts'
import { type Image, imageOf, openImage, refill, refillFrom } from './store/image.ts'
import { WorldSettings } from './store/settings.ts'
import { Statements } from './store/statements.ts'
import { type Store, storeIn } from './store/store.ts'
import { World } from './world.ts'
import type { WorldOptions } from './world_options.ts'

/** Makes worlds of seeds and of images. */
export class WorldMaker {
  readonly #options: WorldOptions
  readonly #ownAddress: OwnAddress
  /** All worlds of a seed are copies of one. */
  readonly #seeds = new Map<Seed, Image>()

  constructor(options: WorldOptions, ownAddress: OwnAddress) {
    this.#options = options
    this.#ownAddress = ownAddress
  }

  /** Opens the world of the data file, or makes one of the seed. Throws EmulatorRefusal if the file can't be used. */
  first(options: EmulatorOptions): World {
    let store: Store | undefined
    const connection = openDataFile(options.data ?? null, (made) => {
      store = filled(made, options.seed ?? 'demo')
    })
    try {
      store ??= refuseConflicts(storeIn(new Statements(connection)), options)
      this.#setSecrets(store)
      return this.#open(connection, store)
    } catch (error) {
      connection.close()
      throw error
    }
  }

  imageOfSeed(seed: Seed): Image {
    let image = this.#seeds.get(seed)
    if (!image) {
      const connection = openDataFile(null, (made) => this.#setSecrets(filled(made, seed)))
      image = imageOf(connection)
      connection.close()
      this.#seeds.set(seed, image)
    }
    return image
  }

  /** Opens a copy, in memory. It is another world: it has its own id. `series` is that of its deliveries' ids. */
  copyOf(image: Image, series: number): World {
    return this.#another(openImage(image), series)
  }

  /** Puts an image, or the world's seed, in the place of what a world has in its tables, and opens that. */
  replacing(world: World, image: Image | null): World {
    const { connection } = world.database
    if (image) {
      refillFrom(connection, image)
      return this.#another(connection, world.settings.series())
    }
    const seed = world.settings.seed()
    const store = refill(connection, () => {
      const filledAgain = filled(connection, seed)
      this.#setSecrets(filledAgain)
      return filledAgain
    })
    return this.#open(connection, store)
  }

  #another(connection: Connection, series: number): World {
    const store = storeIn(new Statements(connection))
    new WorldSettings(store.settings).become(series)
    return this.#open(connection, store)
  }

  #open(connection: Connection, store: Store): World {
    return new World({ connection, store, options: this.#options, ownAddress: this.#ownAddress })
  }

  #setSecrets(store: Store): void {
    const { clock } = new WorldSettings(store.settings)
    setSecrets(store, this.#options, new Clock(clock()).now())
  }
}

function filled(connection: Connection, seed: Seed): Store {
  const store = storeIn(new Statements(connection))
  fill(store, seed)
  return store
}

/** Throws EmulatorRefusal for options that an existing world would ignore: its seed and spread are stored. */
function refuseConflicts(store: Store, { data, seed, fxSpread }: EmulatorOptions): Store {
  const settings = new WorldSettings(store.settings, { spread: fxSpread })
  const [filledWith, { spread }] = [settings.seed(), settings.rates()]
  if (seed !== undefined && seed !== filledWith) {
    throw new EmulatorRefusal(
      `${data} holds a world already, of the seed ${filledWith}; --seed ${seed} would change nothing.`,
      'Leave --seed out, or name a new file.',
    )
  }
  if (fxSpread !== undefined && fxSpread !== spread) {
    throw new EmulatorRefusal(
      `${data} has a spread of ${spread}, set while it ran; --fx-spread ${fxSpread} would change nothing.`,
      `Leave --fx-spread out, and set it when it runs: payctl emulator fx --spread ${fxSpread}`,
    )
  }
  return store
}
