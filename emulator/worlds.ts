import { hash } from 'node:crypto'
import { defaultWorld, type MadeFrom, type Origin } from '../src/contract/index.ts'
import { Clock } from './clock.ts'
import { Refusal } from './domain/refusal.ts'
import { EndedWorlds } from './ended_worlds.ts'
import { type EmulatorOptions, type Seed, seedName } from './options.ts'
import { type ListeningAddresses, OwnAddress } from './own_address.ts'
import { seriesOf } from './random.ts'
import { Scheduler } from './scheduler.ts'
import { type Image, imageOf } from './store/image.ts'
import { Tally } from './tally.ts'
import { Transport } from './webhooks/transport.ts'
import type { World } from './world.ts'
import { WorldMaker } from './world_maker.ts'
import { type WorldOptions, worldOptions } from './world_options.ts'

/** A world under its name, and what is known of it beside its tables. Times are the machine's. */
export interface LiveWorld {
  readonly name: string
  readonly world: World
  readonly madeFrom: MadeFrom
  /** What a reset goes back to; without it, to the seed. */
  readonly image: Image | null
  readonly createdAt: number
  /** How long it may be idle, in milliseconds; null for ever. */
  readonly ttl: number | null
  readonly usedAt: number
  readonly requests: number
  /** The last copy of its tables, and how much had been written to them by then. */
  readonly copied?: { readonly image: Image; readonly changes: number }
  /** Where it answers without its prefix, if anywhere. */
  readonly port?: number | undefined
}

export interface Snapshot {
  readonly name: string
  readonly world: string
  readonly takenAt: number
  readonly image: Image
}

interface NewWorld {
  readonly name?: string | undefined
  /** Milliseconds. */
  readonly ttl?: number | null | undefined
}

interface Making extends NewWorld, Pick<LiveWorld, 'madeFrom'> {
  readonly seed?: Seed | undefined
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** The worlds that an emulator serves, each with a database of its own. The one called `default` lives as long as it does. */
export class Worlds {
  readonly options: WorldOptions
  readonly #transport: Transport
  readonly #maker: WorldMaker
  readonly snapshots = new Map<string, Snapshot>()
  readonly ended = new EndedWorlds()
  /** The machine's: how long a world is idle is not for its own clock to say. */
  readonly clock = new Clock()
  readonly tally = new Tally(this.clock.now())
  readonly #live = new Map<string, Mutable<LiveWorld>>()
  readonly #seed: Seed
  /** Ends worlds that are idle, by the machine’s time. */
  readonly expiry: Scheduler
  #made = 0
  #series = 0
  /** Called with the name of a world that has ended. */
  onEnded: (name: string) => void = () => {}

  /** Opens the world of the data file, or makes the first one. Throws EmulatorRefusal if the file can't be used. */
  constructor(options: EmulatorOptions, listening: ListeningAddresses = () => []) {
    this.options = worldOptions(options)
    this.expiry = new Scheduler({ clock: this.clock, onFault: this.options.onFault })
    this.#transport = new Transport(new OwnAddress(listening))
    this.#maker = new WorldMaker(this.options, this.#transport)
    const world = this.#maker.first(options)
    this.#seed = world.settings.seed()
    this.#add({ name: defaultWorld, world, madeFrom: shownOrigin({ seed: this.#seed }), image: null, ttl: null })
    this.expiry.add({ nextDue: () => this.#nextExpiry(), runDue: (now) => this.#expire(now) }, { automatic: true })
  }

  /** The default world. To be asked for again whenever a request has waited: it may have been reset. */
  get current(): World {
    return this.find(defaultWorld).world
  }

  /** Throws a Refusal with 404 for a world that never was, and with 410 for one that has ended. */
  find(name: string): LiveWorld {
    const live = this.#live.get(name)
    if (live) return live
    throw this.ended.refusalOf(name) ?? new Refusal(404, { message: `There is no world ${name}` })
  }

  isLive = (name: string): boolean => this.#live.has(name)

  /** Oldest first. */
  all = (): readonly LiveWorld[] => [...this.#live.values()]

  /** Counts a request to a world. */
  use(name: string): void {
    const live = this.#live.get(name)
    if (!live) return
    live.requests += 1
    live.usedAt = this.clock.now()
  }

  /** Remembers where a world answers without its prefix. */
  listensOn(name: string, port: number): void {
    const live = this.#live.get(name)
    if (live) live.port = port
  }

  /** Makes a world, in memory. */
  create({ from = { seed: this.#seed }, ...made }: NewWorld & { readonly from?: Origin | undefined }) {
    return this.#make({ ...made, madeFrom: shownOrigin(from), seed: from.seed }, () => this.#imageFor(from))
  }

  /** Makes one of a file that was exported. Throws UnusableFile if that can’t be used. */
  import({ file, ...made }: NewWorld & { readonly file: Uint8Array }): Promise<LiveWorld> {
    const digest = hash('sha256', file, 'hex')
    return this.#make({ ...made, madeFrom: { file: digest } }, async () => this.#maker.imageOfFile(file))
  }

  /** A world as a file. */
  async export(name: string): Promise<Uint8Array> {
    const image = await this.#imageOf(name)
    return this.#maker.fileOf(image, this.find(name).world.clock.setting)
  }

  /** Keeps a world as it is, under a name. */
  async takeSnapshot(name: string, world: string): Promise<Snapshot> {
    const image = await this.#imageOf(world)
    const snapshot = { name, world, takenAt: this.clock.now(), image }
    this.snapshots.set(name, snapshot)
    return snapshot
  }

  /** Puts a world back to what it was made from, or restored to: nothing of what came since is left, or goes on. */
  async reset(name: string = defaultWorld): Promise<World> {
    return this.#replace(name, this.find(name).image)
  }

  /** Makes a world what a snapshot is. */
  async restore(name: string, snapshot: Snapshot): Promise<LiveWorld> {
    await this.#replace(name, snapshot.image)
    const live = this.find(name) as Mutable<LiveWorld>
    live.madeFrom = { snapshot: snapshot.name }
    live.image = snapshot.image
    return live
  }

  /** Ends a world other than the default one: timers, deliveries and connections end with it. */
  async end(name: string, by: 'deletion' | 'expiry'): Promise<void> {
    const { world } = this.find(name)
    this.#live.delete(name)
    this.tally.keep(name, world)
    this.ended.add({ name, id: world.id, by, at: this.clock.now() })
    // Whoever waits in it, and whoever ends it over its own port, is answered first.
    await closeWorld(world).finally(() => this.onEnded(name))
  }

  async close(): Promise<void> {
    this.expiry.stop()
    const all = this.all()
    this.#live.clear()
    await Promise.all(all.map(({ world }) => closeWorld(world)))
    await this.#transport.close()
  }

  #add(made: Pick<LiveWorld, 'name' | 'world' | 'madeFrom' | 'image' | 'ttl'>): LiveWorld {
    const now = this.clock.now()
    const live = { ...made, createdAt: now, usedAt: now, requests: 0 }
    this.#live.set(made.name, live)
    return live
  }

  /** Without an image it is made of the seed. */
  async #make(made: Making, imageFor: () => Promise<Image | null>): Promise<LiveWorld> {
    const { name = this.#nameFor(), ttl = null, madeFrom, seed = this.#seed } = made
    this.#refuseTaken(name)
    const image = await imageFor()
    this.#refuseTaken(name)
    const copy = { name, series: this.#seriesFor(name) }
    const world = image ? this.#maker.copyOf(image, copy) : this.#maker.ofSeed(seed, copy)
    const live = this.#add({ name, world, madeFrom, image, ttl })
    this.expiry.wake(this.#nextExpiry())
    return live
  }

  #refuseTaken(name: string): void {
    if (this.#live.has(name)) throw new Refusal(409, { message: `There is a world ${name} already` })
    if (!this.ended.has(name)) return
    throw new Refusal(409, { message: `There was a world ${name}; late requests to it must not reach another` })
  }

  #nameFor(): string {
    for (;;) {
      this.#made += 1
      const name = `w${this.#made}`
      if (!this.#live.has(name) && !this.ended.has(name)) return name
    }
  }

  /** The default world has series 0. With a seed the order in which worlds are made does not count. */
  #seriesFor(name: string): number {
    if (this.options.rngSeed !== undefined) return seriesOf(name)
    this.#series = (this.#series % 999) + 1
    return this.#series
  }

  /** Null for a seed that is no image: its clock begins when it is made. */
  async #imageFor({ seed = this.#seed, snapshot, world }: Origin): Promise<Image | null> {
    if (world !== undefined) return this.#imageOf(world)
    if (snapshot !== undefined) return this.snapshot(snapshot).image
    return typeof seed === 'string' ? this.#maker.imageOfSeed(seed) : null
  }

  /** Throws a Refusal with 404 where there is none of this name. */
  snapshot(name: string): Snapshot {
    const snapshot = this.snapshots.get(name)
    if (snapshot) return snapshot
    throw new Refusal(404, { message: `There is no snapshot ${name}` })
  }

  /** Copies of a world that has not changed in between share one image. */
  async #imageOf(name: string): Promise<Image> {
    const live = await this.#settled(name)
    const { changes, connection } = live.world.database
    if (live.copied?.changes !== changes) live.copied = { image: imageOf(connection), changes }
    return live.copied.image
  }

  /** The world once nothing written to it waits for its commit; whoever wrote hears of that. */
  async #settled(name: string): Promise<Mutable<LiveWorld>> {
    for (;;) {
      const live = this.find(name) as Mutable<LiveWorld>
      const { settled } = live.world.database
      if (!settled) return live
      await settled.catch(() => {})
    }
  }

  async #replace(name: string, image: Image | null): Promise<World> {
    const live = await this.#settled(name)
    const ended = live.world
    this.tally.keep(name, ended)
    delete live.copied
    if (ended.database.connection.memory) {
      const copy = { name, after: ended.id, series: ended.settings.series() }
      live.world = image ? this.#maker.copyOf(image, copy) : this.#maker.ofSeed(ended.settings.seed(), copy)
      await closeWorld(ended)
    } else {
      live.world = this.#maker.replacing(ended, image, name)
      await ended.end()
    }
    return live.world
  }

  #nextExpiry(): number | null {
    const times = this.all().flatMap(({ ttl, usedAt }) => (ttl === null ? [] : [usedAt + ttl]))
    return times.length === 0 ? null : Math.min(...times)
  }

  #expire(now: number): void {
    for (const { name, ttl, usedAt } of this.all()) {
      if (ttl !== null && usedAt + ttl <= now) this.end(name, 'expiry').catch(this.options.onFault)
    }
  }
}

/** A seed of one's own is not shown: it may have secrets, and is long. */
const shownOrigin = ({ seed, ...from }: Origin): MadeFrom => ({
  ...from,
  ...(seed !== undefined && { seed: seedName(seed) }),
})

async function closeWorld(world: World): Promise<void> {
  await world.end()
  world.database.close()
}
