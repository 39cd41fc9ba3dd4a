import { isDeepStrictEqual } from 'node:util'
import type { Database as Connection } from 'better-sqlite3'
import { defaultWorld } from '../src/contract/index.ts'
import { Clock, type ClockSetting } from './clock.ts'
import { type EmulatorOptions, EmulatorRefusal, type NamedSeed, type Seed } from './options.ts'
import { lineageOf } from './random.ts'
import { setSecrets } from './seed.ts'
import { fill, withoutSecrets } from './seed_file/fill.ts'
import { openCopy, openDataFile } from './store/data_file.ts'
import { type Image, imageOf, openImage, refill, refillFrom, rewritten } from './store/image.ts'
import { WorldSettings } from './store/settings.ts'
import { Statements } from './store/statements.ts'
import { type Store, storeIn } from './store/store.ts'
import type { Transport } from './webhooks/transport.ts'
import { World } from './world.ts'
import type { WorldOptions } from './world_options.ts'

interface Named {
  readonly name: string
  /** Id of the world that it takes the place of. */
  readonly after?: string
}

interface Copy extends Named {
  /** Of the ids of its deliveries. */
  readonly series: number
}

const machine = new Clock()

/** Makes worlds of seeds, of images and of files. */
export class WorldMaker {
  readonly #options: WorldOptions
  readonly #transport: Transport
  /** All worlds of a seed are copies of one. */
  readonly #seeds = new Map<NamedSeed, Image>()

  constructor(options: WorldOptions, transport: Transport) {
    this.#options = options
    this.#transport = transport
  }

  /** Opens the world of the data file, or makes one of the seed. Throws EmulatorRefusal if the file can't be used. */
  first(options: EmulatorOptions): World {
    let store: Store | undefined
    const connection = openDataFile(options.data ?? null, (made) => {
      store = this.#filled(made, options.seed ?? 'demo')
    })
    try {
      store ??= this.#withSecrets(refuseConflicts(storeIn(new Statements(connection)), options))
      return this.#open(connection, store, { name: defaultWorld })
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Makes a world of a seed, in memory. */
  ofSeed(seed: Seed, copy: Copy): World {
    if (typeof seed === 'string') return this.copyOf(this.imageOfSeed(seed), copy)
    // Its clock and the payments under way begin now, so that no copy of another will do.
    const connection = openDataFile(null, (made) => void this.#filled(made, seed))
    return this.#another(connection, copy)
  }

  imageOfSeed(seed: NamedSeed): Image {
    let image = this.#seeds.get(seed)
    if (!image) {
      const connection = openDataFile(null, (made) => void this.#filled(made, seed))
      image = imageOf(connection)
      connection.close()
      this.#seeds.set(seed, image)
    }
    return image
  }

  /** The image of a file that was exported, once it has been checked. Throws UnusableFile. */
  imageOfFile(file: Uint8Array): Image {
    const connection = openCopy(file)
    try {
      this.#withSecrets(storeIn(new Statements(connection)))
      return imageOf(connection)
    } finally {
      connection.close()
    }
  }

  /** An image of a world as a file: its time stands at what it is now. */
  fileOf(image: Image, clock: ClockSetting): Image {
    return rewritten(image, (connection) => {
      const { settings } = storeIn(new Statements(connection))
      new WorldSettings(settings).becomeFile(clock, machine.now())
    })
  }

  /** Opens a copy, in memory. It is another world: it has its own id. */
  copyOf(image: Image, copy: Copy): World {
    return this.#another(openImage(image), copy)
  }

  /** Puts an image, or the world's seed, in the place of what a world has in its tables, and opens that. */
  replacing(world: World, image: Image | null, name: string): World {
    const { connection } = world.database
    const after = world.id
    if (image) {
      refillFrom(connection, image)
      return this.#another(connection, { name, after, series: world.settings.series() })
    }
    const seed = world.settings.seed()
    const store = refill(connection, () => this.#filled(connection, seed))
    return this.#open(connection, store, { name, after })
  }

  #another(connection: Connection, { series, ...named }: Copy): World {
    const store = storeIn(new Statements(connection))
    new WorldSettings(store.settings).become(series, machine.now())
    return this.#open(connection, store, named)
  }

  #open(connection: Connection, store: Store, { name, after = '' }: Named): World {
    if (this.#options.rngSeed !== undefined) {
      const settings = new WorldSettings(store.settings)
      settings.set('lineage', lineageOf(settings.lineage(), name))
    }
    return new World({ connection, store, options: this.#options, transport: this.#transport, after })
  }

  #filled(connection: Connection, seed: Seed): Store {
    const store = storeIn(new Statements(connection))
    fill(store, seed, { options: this.#options, now: machine.now() })
    return store
  }

  /** Gives a world of a file the secrets of this start. */
  #withSecrets(store: Store): Store {
    const { clock } = new WorldSettings(store.settings)
    setSecrets(store, this.#options, new Clock(clock()).now())
    return store
  }
}

/** Throws EmulatorRefusal for options that an existing world would ignore: its seed and spread are stored. */
function refuseConflicts(store: Store, { data, seed, fxSpread, clock }: EmulatorOptions): Store {
  const settings = new WorldSettings(store.settings, { spread: fxSpread })
  const [filledWith, { spread }] = [settings.seed(), settings.rates()]
  if (seed !== undefined && !isDeepStrictEqual(stored(seed), filledWith)) {
    const [made, asked] = [
      typeof filledWith === 'string' ? `the seed ${filledWith}` : 'another seed file, or of that one before it changed',
      typeof seed === 'string' ? `--seed ${seed}` : 'this seed file',
    ]
    throw new EmulatorRefusal(
      `${data} holds a world already, of ${made}; ${asked} would change nothing.`,
      `Leave ${typeof seed === 'string' ? '--seed' : '--seed-file'} out, or name a new file.`,
    )
  }
  if (fxSpread !== undefined && fxSpread !== spread) {
    throw new EmulatorRefusal(
      `${data} has a spread of ${spread}, set while it ran; --fx-spread ${fxSpread} would change nothing.`,
      `Leave --fx-spread out, and set it when it runs: payctl emulator fx --spread ${fxSpread}`,
    )
  }
  if (clock !== undefined) {
    throw new EmulatorRefusal(
      `${data} holds a world already, with a time of its own; --clock ${clock} would change nothing.`,
      `Leave --clock out, and move it when it runs: payctl emulator clock at ${clock}`,
    )
  }
  return store
}

const stored = (seed: Seed): Seed => (typeof seed === 'string' ? seed : withoutSecrets(seed))
