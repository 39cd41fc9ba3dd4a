import type { Database as Connection } from 'better-sqlite3'
import type { Clock } from './clock.ts'
import { EmulatorRefusal } from './emulator_refusal.ts'
import type { Faults } from './faults.ts'
import type { Ids } from './ids.ts'
import { newSecret } from './oauth/secret.ts'
import type { EmulatorOptions, Seed } from './options.ts'
import { OwnAddress } from './own_address.ts'
import type { PaymentRunner } from './payment_runner.ts'
import type { RateLimits } from './rate_limits.ts'
import { isOnLoopback } from './secrets.ts'
import { demo, fill, setSecrets } from './seed.ts'
import { clearAndRefill } from './store/clear.ts'
import { openDataFile } from './store/data_file.ts'
import { Database } from './store/database.ts'
import { type Store, storeIn } from './store/store.ts'
import type { Dispatcher } from './webhooks/dispatcher.ts'
import { World } from './world.ts'
import { WorldSettings } from './world_settings.ts'

/** What a usual payment takes unless --settle says otherwise. */
const defaultSettle = 1000
const defaultTokenTtl = 3600

/** One emulated world: its database, and everything over it that moves by itself. */
export class Sandbox {
  readonly database: Database
  readonly own = new OwnAddress()
  readonly locale: 'es' | 'en'
  readonly token: string
  /** That of the seeded OAuth client. */
  readonly clientSecret: string
  /** Milliseconds from a payment's creation to its end. */
  readonly settleMs: number
  /** Whether payments move only when the clock is moved. */
  readonly manual: boolean
  /** Name of the upstream rate provider, a segment of its endpoint's path. */
  readonly fxProvider: string
  /** Life of an OAuth access token, in seconds. */
  readonly tokenTtl: number
  readonly fault: (error: unknown) => void
  readonly #options: EmulatorOptions
  #world: World

  constructor(options: EmulatorOptions) {
    const { seed = 'demo', settle = defaultSettle } = options
    this.#options = options
    let filled: Store | undefined
    const connection = openDataFile(options.data ?? null, (made) => {
      filled = storeIn(made)
      fill(filled, seed)
    })
    if (!filled) refuseOutranked(connection, options)
    this.database = new Database(connection)
    this.fxProvider = options.fxProvider ?? 'upstream'
    this.fault = options.onFault ?? (() => {})
    this.locale = options.locale ?? 'es'
    this.manual = settle === 'manual'
    this.settleMs = settle === 'manual' ? defaultSettle : settle === 'instant' ? 0 : settle
    this.tokenTtl = options.tokenTtl ?? defaultTokenTtl
    this.token = options.token ?? demo.token
    this.clientSecret =
      options.clientSecret ?? (isOnLoopback(options.host ?? '127.0.0.1') ? demo.clientSecret : newSecret())
    this.#world = this.#newWorld(filled)
    setSecrets(this.store, this, this.clock.now())
  }

  /** Of this world: another one after a reset, the same one after a restart with its data file. */
  get worldId(): string {
    return this.#world.id
  }

  get store(): Store {
    return this.#world.store
  }

  get settings(): WorldSettings {
    return this.#world.settings
  }

  get clock(): Clock {
    return this.#world.clock
  }

  get ids(): Ids {
    return this.#world.ids
  }

  get runner(): PaymentRunner {
    return this.#world.runner
  }

  get dispatcher(): Dispatcher {
    return this.#world.dispatcher
  }

  get rateLimits(): RateLimits | null {
    return this.#world.rateLimits
  }

  get faults(): Faults {
    return this.#world.faults
  }

  /** What the world held when it was made, and holds again after a reset. */
  get seed(): Seed {
    return this.settings.seed()
  }

  /** A hint that a payment's next step is due at some time. */
  wakePayments(at: number | null): void {
    this.#world.wakePayments(at)
  }

  /** Moves time forward; everything that falls due on the way has happened when this resolves. */
  async advanceClock(ms: number): Promise<void> {
    const world = this.#world
    await world.scheduler.advance(ms)
    await this.#keepClock(world)
  }

  /** Stops time; from then on only `advanceClock` moves it. */
  async freezeClock(): Promise<void> {
    this.clock.freeze()
    await this.#keepClock(this.#world)
  }

  /** Lets time go on from where it stood. */
  async unfreezeClock(): Promise<void> {
    this.clock.unfreeze()
    // Timers were set by a clock that stood still.
    await this.advanceClock(0)
  }

  /** Back to the seed: nothing of before is left in the tables, and nothing that was under way goes on. */
  async reset(): Promise<void> {
    while (this.database.settled) await this.database.settled.catch(() => {}) // whoever wrote hears of it
    const { seed } = this
    clearAndRefill(this.database.connection, () => {
      fill(this.store, seed)
      setSecrets(this.store, this, this.clock.now())
    })
    const ended = this.#world
    this.#world = this.#newWorld()
    await ended.end()
  }

  async close(): Promise<void> {
    await this.#world.end()
    this.database.close()
  }

  /** Statements take a while to prepare: a store that has just been filled goes on to be the world's. */
  #newWorld(store = storeIn(this.database.connection)): World {
    const { database, own, fault } = this
    return new World({ store, database, own, options: this.#options, onFault: fault })
  }

  async #keepClock(world: World): Promise<void> {
    if (world !== this.#world) return
    this.database.write(() => world.settings.set('clock', world.clock.setting))
    await this.database.settled
  }
}

/** A world that is there already has its seed, and may have its own spread: an option that says otherwise would be lost. */
function refuseOutranked(connection: Connection, { data, seed, fxSpread }: EmulatorOptions): void {
  if (seed === undefined && fxSpread === undefined) return
  const world = new WorldSettings(storeIn(connection).settings, { spread: fxSpread })
  const [filledWith, { spread }] = [world.seed(), world.rates()]
  if (seed !== undefined && seed !== filledWith) {
    connection.close()
    throw new EmulatorRefusal(
      `${data} holds a world already, of the seed ${filledWith}; --seed ${seed} would change nothing.`,
      'Leave --seed out, or name a new file.',
    )
  }
  if (fxSpread !== undefined && fxSpread !== spread) {
    connection.close()
    throw new EmulatorRefusal(
      `${data} has a spread of ${spread}, set while it ran; --fx-spread ${fxSpread} would change nothing.`,
      `Leave --fx-spread out, and set it when it runs: payctl emulator fx --spread ${fxSpread}`,
    )
  }
}
