import { hash } from 'node:crypto'
import { defaultWorld, type MadeFrom, type Origin } from '../src/contract/index.ts'
import type { ChaosSetting } from './chaos/setting.ts'
import { Clock } from './clock.ts'
import { Refusal } from './domain/refusal.ts'
import { type Ended, EndedWorlds, refusalOf } from './ended_worlds.ts'
import { IdleWorlds } from './idle_worlds.ts'
import { type Seed, shownOrigin } from './options.ts'
import { type ListeningAddresses, OwnAddress } from './own_address.ts'
import { Scheduler } from './scheduler.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import { type Image, imageOf } from './store/image.ts'
import type { Kept } from './store/settings.ts'
import { WorldFolder } from './store/world_folder.ts'
import { Tally } from './tally.ts'
import { Transport } from './webhooks/transport.ts'
import type { World } from './world.ts'
import { type Copy, WorldMaker } from './world_maker.ts'
import { WorldNames } from './world_names.ts'
import { type ReadOptions, type WorldOptions, worldOptions } from './world_options.ts'

/** A world under its name, and what is known of it beside its tables. Times are the machine's. */
export interface LiveWorld {
  readonly name: string
  /** Numbers the worlds of the emulator in the order in which they were made. A reset keeps it. */
  readonly made: number
  readonly world: World
  /** Its id and those that it had before resets, since it was opened; of the default world the first. */
  readonly ids: string[]
  /** Seeds its random values. */
  readonly rngStream: string
  readonly madeFrom: MadeFrom
  /** What a reset goes back to; null: the seed. */
  readonly image: () => Image | null
  readonly createdAt: number
  /** How long it may be idle, in milliseconds; null for ever. */
  readonly ttl: number | null
  readonly usedAt: number
  readonly requests: number
  readonly busy: number
  /** The last copy of its tables, and how much had been written to them by then. */
  readonly copied?: { readonly image: Image; readonly changes: number }
  /** Where it answers without its prefix, if anywhere. */
  readonly port?: number | undefined
}

interface NewWorld {
  readonly name?: string | undefined
  /** Its name by default. */
  readonly rngStream?: string | undefined
  /** Milliseconds. */
  readonly ttl?: number | null | undefined
  /** Its own, or null for none; undefined: that of the emulator. */
  readonly chaos?: ChaosSetting | null | undefined
}

interface Making extends NewWorld, Pick<LiveWorld, 'madeFrom'> {
  readonly seed?: Seed | undefined
}

interface NewSnapshot {
  readonly name: string
  readonly replace?: boolean | undefined
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

type Added = Omit<LiveWorld, 'made' | 'ids' | 'usedAt' | 'requests' | 'busy' | 'copied' | 'port'>

/** The worlds that an emulator serves, each with a database of its own. The one called `default` lives as long as it does. */
export class Worlds {
  readonly options: WorldOptions
  readonly #transport: Transport
  readonly #maker: WorldMaker
  readonly snapshots: Snapshots
  readonly ended = new EndedWorlds()
  /** The machine's: how long a world is idle is not for its own clock to say. */
  readonly clock = new Clock()
  readonly tally: Tally
  readonly #live = new Map<string, Mutable<LiveWorld>>()
  #made = 0
  /** Names of worlds whose end is under way: their ports, and their files. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #seed: Seed
  /** Where worlds and snapshots are files; null: all are in memory, but the default world where it has a data file. */
  readonly #folder: WorldFolder | null
  /** Ends worlds that are idle, by the machine’s time. */
  readonly expiry: Scheduler
  readonly #idle: IdleWorlds
  readonly #names: WorldNames
  /** Called with the name of a world that has ended. */
  onEnded: (name: string) => void = () => {}

  /** Opens the worlds of files that are there, or makes the first one. Throws EmulatorRefusal if a file can't be used. */
  constructor(options: ReadOptions, listening: ListeningAddresses = () => []) {
    this.options = worldOptions(options)
    this.tally = new Tally(this.clock.now(), this.options.chaos)
    this.expiry = new Scheduler({ clock: this.clock, onFault: this.options.onFault })
    this.#transport = new Transport(new OwnAddress(listening))
    this.#maker = new WorldMaker(this.options, this.#transport)
    this.#names = new WorldNames({
      isLive: (name) => this.#live.has(name),
      ended: this.ended,
      rngSeed: this.options.rngSeed,
    })
    this.#folder = options.worlds === undefined ? null : new WorldFolder(options.worlds)
    this.snapshots = new Snapshots({ maker: this.#maker, folder: this.#folder })
    const world = this.#maker.first(this.#folder?.fileOf(defaultWorld) ?? options.data ?? null, options)
    this.#seed = world.settings.seed()
    this.#addKept(defaultWorld, world)
    if (this.#folder) this.#reopen(this.#folder)
    const expire = (name: string) => void this.end(name, 'expiry').catch(this.options.onFault)
    this.#idle = new IdleWorlds({ clock: this.clock, all: this.all, end: expire })
    this.expiry.add(this.#idle, { automatic: true })
  }

  /** The default world. To be asked for again whenever a request has waited: it may have been reset. */
  get current(): World {
    return this.find(defaultWorld).world
  }

  /**
   * The world of this name. `id`: of the world that the request is for, if that is known: a later world may have its name.
   * Throws a Refusal with 410 for a world that has ended, and with 404 for one that never was.
   */
  find(name: string, id?: string): LiveWorld {
    const ended = this.endedFor(name, id)
    if (ended) throw refusalOf(ended)
    const live = this.#live.get(name)
    if (live) return live
    // The default world ends with the emulator.
    if (this.#live.size === 0) throw new Refusal(410, { message: 'The emulator is closed' })
    throw new Refusal(404, { message: `There is no world ${name}` })
  }

  /** Like `find`; undefined where that throws. */
  get = (name: string, id?: string): LiveWorld | undefined =>
    this.endedFor(name, id) ? undefined : this.#live.get(name)

  /** The ended world that a request is for: by the id that it carries, else by its URL. */
  endedFor(name: string, id?: string): Ended | undefined {
    const ended = id === undefined ? undefined : this.ended.withId(id)
    return ended ?? (this.#live.has(name) ? undefined : this.ended.named(name))
  }

  /** Oldest first. */
  all = (): readonly LiveWorld[] => [...this.#live.values()]

  /** Counts a request to a world. */
  use(name: string, id?: string): void {
    const live = this.get(name, id) as Mutable<LiveWorld> | undefined
    if (!live) return
    live.requests += 1
    live.usedAt = this.clock.now()
  }

  /** Keeps a world from expiring while `work` is under way, and counts its idle time from then on. */
  async during<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const live = this.#live.get(name)
    return live ? this.#idle.during(live, work).finally(() => this.expiry.wake(this.#idle.nextDue())) : work()
  }

  /** Remembers where a world answers without its prefix. */
  listensOn(live: Mutable<LiveWorld>, port: number): void {
    live.port = port
  }

  /** Makes a world. */
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
    const live = this.find(name)
    const image = await this.#imageOf(name)
    return this.#maker.fileOf(image, live.world.clock.setting)
  }

  /** Keeps a world as it is, under a name. Throws a Refusal with 409 for a taken name, unless that is to be replaced. */
  async takeSnapshot({ name, replace = false }: NewSnapshot, world: string): Promise<Snapshot> {
    if (!replace) this.snapshots.refuseTaken(name)
    const image = await this.#imageOf(world)
    if (!replace) this.snapshots.refuseTaken(name)
    const snapshot = { name, world, takenAt: this.clock.now(), image }
    this.snapshots.put(snapshot)
    return snapshot
  }

  /** Puts a world back to what it was made from, or restored to: nothing of what came since is left, or goes on. */
  async reset(name: string = defaultWorld): Promise<LiveWorld> {
    const { image, madeFrom } = this.find(name)
    return this.#replace(name, image(), madeFrom)
  }

  /** Makes a world what a snapshot is. */
  async restore(name: string, snapshot: Snapshot): Promise<LiveWorld> {
    return this.#replace(name, snapshot.image, { snapshot: snapshot.name })
  }

  /** Ends a world other than the default one: timers, deliveries and connections end with it. */
  async end(name: string, by: 'deletion' | 'expiry'): Promise<Ended> {
    const { world, ids, made } = this.find(name)
    this.#live.delete(name)
    this.tally.keep(name, world, { chaosEnds: true })
    const ended = this.ended.add({ name, ids, made, by, at: this.clock.now() })
    const ending = this.#finish(name, world)
    this.#ending.set(name, ending)
    await ending.finally(() => this.#ending.delete(name))
    return ended
  }

  async close(): Promise<void> {
    this.expiry.stop()
    const all = this.all()
    this.#live.clear()
    await Promise.all(all.map(({ world }) => world.close()))
    await Promise.allSettled(this.#ending.values())
    await this.#transport.close()
  }

  async #finish(name: string, world: World): Promise<void> {
    // Whoever waits in it, and whoever ends it over its own port, is answered first.
    await world.close().finally(() => this.onEnded(name))
    this.#folder?.remove(name)
  }

  /** A new world of this name has its own port and file: those of the one before must be gone. */
  async #whenEnded(name: string): Promise<void> {
    // A failure is reported to the caller who ends that world.
    while (this.#ending.has(name)) await this.#ending.get(name)?.catch(() => {})
  }

  #add(added: Added): LiveWorld {
    this.#made += 1
    const live = { ...added, made: this.#made, ids: [added.world.id], usedAt: this.clock.now(), requests: 0, busy: 0 }
    this.#live.set(added.name, live)
    return live
  }

  /** Adds a world with what is stored of it, if anything is. */
  #addKept(name: string, world: World): void {
    const { settings } = world
    const made_from = shownOrigin({ seed: settings.seed() })
    const madeNow: Kept = { made_from, ttl: null, created_at: this.clock.now(), origin: null }
    if (this.#folder && settings.kept() === null) settings.set('kept', madeNow)
    const known = settings.kept() ?? madeNow
    const { made_from: madeFrom, ttl, created_at: createdAt, origin, rng_stream: rngStream = name } = known
    let image: Image | null = null
    const load = () => {
      if (origin) image ??= this.#folder?.origin(origin, (path) => this.#maker.keptImage(path).image) ?? null
      return image
    }
    this.#add({ name, world, rngStream, madeFrom, image: load, ttl, createdAt })
    this.#folder?.goesBackTo(name, origin)
    this.#names.hasSeries(settings.series())
  }

  /** Opens what an earlier process has made in the folder. */
  #reopen(folder: WorldFolder): void {
    folder.removeDrafts()
    try {
      this.snapshots.read()
      for (const name of folder.worlds()) this.#addKept(name, this.#maker.again(folder.fileOf(name), name))
    } catch (error) {
      for (const { world } of this.all()) void world.close().catch(() => {})
      throw error
    }
    folder.removeOrigins()
    const oldestFirst = [...this.#live.values()].sort((one, other) => one.createdAt - other.createdAt)
    this.#live.clear()
    for (const [at, live] of oldestFirst.entries()) {
      live.made = at + 1
      this.#live.set(live.name, live)
    }
  }

  /** Without an image it is made of the seed. */
  async #make(made: Making, imageFor: () => Promise<Image | null>): Promise<LiveWorld> {
    const { name = this.#names.next(), ttl = null, madeFrom, seed = this.#seed, chaos } = made
    const { rngStream = name } = made
    if (made.name !== undefined) this.#names.refuseTaken(name)
    const image = await imageFor()
    await this.#whenEnded(name)
    if (made.name !== undefined) this.#names.refuseTaken(name)
    const series = this.#names.seriesFor(rngStream)
    const createdAt = this.clock.now()
    const kept = this.#kept(image, { made_from: madeFrom, ttl, created_at: createdAt, rng_stream: rngStream })
    const idBefore = this.ended.named(name)?.ids.at(-1)
    const copy = { name, rngStream, idBefore, series, kept, chaos }
    const world = this.#worldOf(image ?? this.#maker.newImageOf(seed), copy)
    const live = this.#add({ name, world, rngStream, madeFrom, image: () => image, ttl, createdAt })
    this.#folder?.goesBackTo(name, kept?.origin ?? null)
    this.expiry.wake(this.#idle.nextDue())
    return live
  }

  #worldOf(image: Image, copy: Copy): World {
    return this.#folder ? this.#maker.fileCopyOf(image, copy, this.#folder) : this.#maker.copyOf(image, copy)
  }

  /** What is stored of a world that is a file, once what it goes back to is one; null: it is in memory. */
  #kept(image: Image | null, known: Omit<Kept, 'origin'>): Kept | null {
    return this.#folder && { ...known, origin: image && this.#folder.keepOrigin(image) }
  }

  /** Null for a seed that is no image: its clock begins when it is made. */
  async #imageFor({ seed = this.#seed, snapshot, world }: Origin): Promise<Image | null> {
    if (world !== undefined) return this.#imageOf(world)
    if (snapshot !== undefined) return this.snapshots.get(snapshot).image
    return typeof seed === 'string' ? this.#maker.imageOfSeed(seed) : null
  }

  /** Copies of a world that has not changed in between share one image. */
  async #imageOf(name: string): Promise<Image> {
    const live = await this.#settled(name)
    const { changes, connection } = live.world.database
    if (live.copied?.changes !== changes) live.copied = { image: imageOf(connection), changes }
    return live.copied.image
  }

  /** The world once nothing written to it waits for its commit; whoever wrote hears of that. It may end meanwhile (410). */
  async #settled(name: string): Promise<Mutable<LiveWorld>> {
    const live = this.find(name) as Mutable<LiveWorld>
    for (;;) {
      this.find(name, live.world.id)
      const { settled } = live.world.database
      if (!settled) return live
      await settled.catch(() => {})
    }
  }

  async #replace(name: string, image: Image | null, madeFrom: MadeFrom): Promise<LiveWorld> {
    const live = await this.#settled(name)
    const { world: ended, rngStream, ttl, createdAt } = live
    this.tally.keep(name, ended, { chaosEnds: false })
    delete live.copied
    const kept = this.#kept(image, { made_from: madeFrom, ttl, created_at: createdAt, rng_stream: rngStream })
    const copy = { name, rngStream, after: ended, series: ended.settings.series(), kept }
    Object.assign(live, { madeFrom, image: () => image })
    const isInMemory = ended.database.connection.memory
    if (isInMemory) {
      live.world = image ? this.#maker.copyOf(image, copy) : this.#maker.ofSeed(ended.settings.seed(), copy)
    } else {
      live.world = this.#maker.replacing(ended, image, copy)
      this.#folder?.goesBackTo(name, kept?.origin ?? null)
    }
    if (name !== defaultWorld) live.ids.push(live.world.id)
    await (isInMemory ? ended.close() : ended.end())
    return live
  }
}
