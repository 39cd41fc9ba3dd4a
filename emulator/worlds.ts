import { type EmulatorOptions, EmulatorRefusal, type Seed } from './options.ts'
import { type ListeningAddresses, OwnAddress } from './own_address.ts'
import { fill } from './seed.ts'
import { clearAndRefill, openDataFile } from './store/data_file.ts'
import { WorldSettings } from './store/settings.ts'
import { Statements } from './store/statements.ts'
import { type Store, storeIn } from './store/store.ts'
import { World } from './world.ts'
import { type WorldOptions, worldOptions } from './world_options.ts'

/** The worlds that an emulator serves: one at a time, which a reset replaces. */
export class Worlds {
  readonly options: WorldOptions
  readonly #ownAddress: OwnAddress
  #current: World

  /** Opens the world of the data file, or makes the first one. Throws EmulatorRefusal if the file can't be used. */
  constructor(options: EmulatorOptions, listening: ListeningAddresses = () => []) {
    this.options = worldOptions(options)
    this.#ownAddress = new OwnAddress(listening)
    let store: Store | undefined
    const connection = openDataFile(options.data ?? null, (made) => {
      store = filled(storeIn(new Statements(made)), options.seed ?? 'demo')
    })
    try {
      store ??= refuseConflicts(storeIn(new Statements(connection)), options)
      this.#current = new World({ connection, store, options: this.options, ownAddress: this.#ownAddress })
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Ask again after every wait: a reset replaces it. */
  get current(): World {
    return this.#current
  }

  /** Replaces the current world by a new one of the same seed, in the same database. Nothing of the old one goes on. */
  async reset(): Promise<World> {
    while (this.#current.database.settled) await this.#current.database.settled.catch(() => {}) // the writer is told
    const ended = this.#current
    const { connection } = ended.database
    const seed = ended.settings.seed()
    const store = clearAndRefill(connection, () => filled(storeIn(new Statements(connection)), seed))
    this.#current = new World({ connection, store, options: this.options, ownAddress: this.#ownAddress })
    await ended.end()
    return this.#current
  }

  async close(): Promise<void> {
    await this.#current.end()
    this.#current.database.close()
  }
}

function filled(store: Store, seed: Seed): Store {
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
