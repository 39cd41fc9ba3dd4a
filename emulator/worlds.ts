import { type EmulatorOptions, EmulatorRefusal, type Seed } from './options.ts'
import { OwnAddress } from './own_address.ts'
import { fill } from './seed.ts'
import { clearAndRefill, openDataFile } from './store/data_file.ts'
import { WorldSettings } from './store/settings.ts'
import { Statements } from './store/statements.ts'
import { type Store, storeIn } from './store/store.ts'
import { World } from './world.ts'
import { type WorldOptions, worldOptions } from './world_options.ts'

/** The worlds that an emulator serves: one so far, which a reset puts another in the place of. */
export class Worlds {
  readonly options: WorldOptions
  readonly ownAddress = new OwnAddress()
  #current: World

  /** Opens the data file, or makes the first world. Throws EmulatorRefusal when that can't be. */
  constructor(options: EmulatorOptions) {
    this.options = worldOptions(options)
    let store: Store | undefined
    const connection = openDataFile(options.data ?? null, (made) => {
      store = filled(storeIn(new Statements(made)), options.seed ?? 'demo')
    })
    try {
      store ??= agreeing(storeIn(new Statements(connection)), options)
      this.#current = new World({ connection, store, options: this.options, ownAddress: this.ownAddress })
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** To be asked for again whenever a request has waited: its world may have been reset. */
  get current(): World {
    return this.#current
  }

  /** Makes a world of the same seed in the place of the current one: nothing of that is left, or goes on. */
  async reset(): Promise<World> {
    while (this.#current.database.settled) await this.#current.database.settled.catch(() => {}) // whoever wrote hears of it
    const ended = this.#current
    const { connection } = ended.database
    const seed = ended.settings.seed()
    const store = clearAndRefill(connection, () => filled(storeIn(new Statements(connection)), seed))
    this.#current = new World({ connection, store, options: this.options, ownAddress: this.ownAddress })
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

/** A world that is there already has its seed, and may have its own spread: an option that says otherwise would be lost. */
function agreeing(store: Store, { data, seed, fxSpread }: EmulatorOptions): Store {
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
