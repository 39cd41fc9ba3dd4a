import { hash } from 'node:crypto'
import { decoyWorld, defaultWorld, type EndReason, type Origin, type Report } from '../../src/contract/index.ts'
import { Clock } from '../clock.ts'
import { Refusal } from '../domain/refusal.ts'
import { type ListeningAddresses, OwnAddress } from '../http/addresses.ts'
import { WorldBreaches } from '../observation/breaches.ts'
import { announceEnd, announceMade } from '../observation/event_feed.ts'
import { Observations } from '../observation/observations.ts'
import { findingsOf } from '../observation/tally.ts'
import { worldEnded } from '../observation/waits.ts'
import { type Seed, shownOrigin } from '../options.ts'
import { Scheduler } from '../scheduler.ts'
import { type ClosedWorld, ClosedWorlds, counted } from '../store/closed_worlds.ts'
import type { Image } from '../store/image.ts'
import { digest } from '../store/secret.ts'
import type { FileMetadata } from '../store/settings.ts'
import { WorldFolder } from '../store/world_folder.ts'
import { Transport } from '../webhooks/transport.ts'
import { type Ended, EndedWorlds, IdleWorlds, refusalOf } from './ended_worlds.ts'
import { type LiveWorld, type MadeWorld, type Mutable, type NewWorld, openingOf, storedFacts } from './live_world.ts'
import { type Destination, MovedWorlds } from './moved_worlds.ts'
import { Shard } from './shard.ts'
import { type NewSnapshot, type Snapshot, Snapshots } from './snapshots.ts'
import type { World } from './world.ts'
import { digestsOfTokens, type KnownOfClosed, WorldFiles } from './world_files.ts'
import { WorldImages } from './world_images.ts'
import { type Source, WorldMaker } from './world_maker.ts'
import { WorldNames } from './world_names.ts'
import { type ReadOptions, type WorldOptions, worldOptions } from './world_options.ts'
import { holding, whileBusy } from './world_use.ts'

/** The worlds of an emulator, each with a separate database. The world `default` exists as long as the emulator. */
export class Worlds {
  readonly options: WorldOptions
  readonly shard: Shard
  readonly transport: Transport
  readonly #maker: WorldMaker
  readonly snapshots: Snapshots
  readonly ended = new EndedWorlds()
  readonly mayHavePorts = true
  /** The machine's clock, because idle time does not depend on a world's clock. */
  readonly clock: Clock
  readonly observations: Observations
  /** True once the emulator takes no new work: health checks then say that it is not ready. */
  isDraining = false
  readonly #live = new Map<string, Mutable<LiveWorld>>()
  #made = 0
  /** Worlds that are ending, by name: their ports and files are still in use. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #seed: Seed
  /** Folder for worlds and snapshots; null: they are in memory, except a default world with a data file. */
  readonly #folder: WorldFolder | null
  /** Opens and closes the files of the folder; null: no folder. */
  readonly #files: WorldFiles | null
  /** Ends idle worlds, and opens and closes the files of worlds, by the machine's time. */
  readonly expiry: Scheduler
  readonly #idle: IdleWorlds
  readonly #names: WorldNames
  readonly moved: MovedWorlds
  readonly #images: WorldImages
  /** The world that answers requests without access to the world that they name, if the emulator has teams. */
  readonly #decoy: LiveWorld | undefined
  /** Called with the name of a world that has ended. */
  onEnded: (name: string) => void = () => {}

  /** Opens or makes the default world; opens no other world. Throws EmulatorRefusal if its file can't be used. */
  constructor(options: ReadOptions, listening: ListeningAddresses = () => []) {
    this.options = worldOptions(options)
    this.shard = new Shard(options.shard)
    this.clock = new Clock(undefined, this.options.machineTime)
    this.observations = new Observations(this.options, this.clock)
    this.expiry = new Scheduler({ clock: this.clock, onFault: this.options.onFault })
    this.transport = new Transport(new OwnAddress(listening, options.port !== false))
    this.#maker = new WorldMaker(this.options, this.transport)
    this.#images = new WorldImages(this.#maker, (name, id) => this.find(name, id))
    this.#names = new WorldNames({
      isLive: (name) => this.#live.has(this.shard.named(name)) || this.isClosed(name),
      hasMoved: (name) => this.moved.has(name),
      ended: this.ended,
      shard: this.shard,
      isSeeded: this.options.rngSeed !== undefined || this.options.owner !== null,
    })
    this.#folder = options.worlds === undefined ? null : new WorldFolder(options.worlds, this.shard.name)
    this.snapshots = new Snapshots(this.#maker, this.#folder, () => this.clock.now())
    this.moved = new MovedWorlds(this.#folder)
    const world = this.#maker.firstWorld(this.#folder?.fileOf(defaultWorld) ?? options.data ?? null, options)
    this.#seed = world.settings.get('seed')
    this.#addStored(defaultWorld, world)
    this.#files = this.#folder && this.#filesIn(this.#folder)
    this.#idle = new IdleWorlds(this.all, (name) => void this.end(name, 'expiry').catch(this.options.onFault))
    this.expiry.add(this.#idle, { automatic: true })
    if (this.#files) this.expiry.add(this.#files, { automatic: true })
    if (this.options.owner) this.#decoy = this.#entryOf(this.#maker.decoy())
  }

  /** The default world. Read it again after each wait in a request, because the world may have been reset. */
  get current(): World {
    return this.find(defaultWorld).world
  }

  /**
   * Finds the world of this name, and of this `id` if given: a later world may have the same name. Throws a Refusal:
   * 410 for an ended world, 404 for a name that never existed, 421 for another shard, 503 for an unusable file.
   */
  find(nameInUrl: string, id?: string): LiveWorld {
    const name = this.shard.named(nameInUrl)
    const live = this.#live.get(name) ?? (name === decoyWorld ? this.#decoy : this.#files?.open(name))
    if (!live) this.moved.refuse(name)
    const ended = this.endedFor(name, id)
    if (ended) throw refusalOf(ended)
    if (live) {
      this.#files?.found(live)
      return live
    }
    // The default world ends only when the emulator closes.
    if (this.#live.size === 0) throw new Refusal(410, { message: 'The emulator is closed' })
    this.shard.refuseForeign(name)
    throw new Refusal(404, { message: `World ${name} does not exist` })
  }

  /** Like `find`, but returns undefined instead of throwing a Refusal. */
  get(name: string, id?: string): LiveWorld | undefined {
    try {
      return this.find(name, id)
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  /** The ended world of a request, found by the world's id, or else by the name in the URL. */
  endedFor(name: string, id?: string): Ended | undefined {
    const live = this.#live.get(name)
    if (live && (id === undefined || live.world.id === id)) return undefined
    const ended = id === undefined ? undefined : this.ended.withId(id)
    return ended ?? (live || this.isClosed(name) ? undefined : this.ended.named(name))
  }

  /** Open worlds, in the order in which they were made or opened. */
  all = (): readonly LiveWorld[] => [...this.#live.values()]

  /** Worlds whose files are closed. */
  closed = (): readonly ClosedWorld[] => this.#files?.closed.all() ?? []
  /** Digests of the tokens of a closed or moved world, in hex, for teams; undefined: only its file has them. */
  knownTokens = (name: string): readonly string[] | undefined =>
    this.#files?.closed.get(name)?.facts?.tokens ?? this.moved.tokensOf(name)
  isClosed = (name: string): boolean => this.#files?.closed.has(name) ?? false
  closedRevision = (closed: ClosedWorld): string | null => this.#files?.revisionOf(closed) ?? null

  count = () => counted(this.#live.size, this.closed())
  report = (): Report => this.observations.all.report(this.all(), this.ended.list())

  /** The team that owns a world; null: the administrator. */
  ownerOf = (name: string): string | null => this.options.owner?.(name) ?? null

  /** Keeps a world open while a request to it is under way; returns a function that releases it. */
  hold = (name: string): (() => void) => holding(this.#live.get(name), this)

  /** Counts a request to a world; the world's idle time starts again. */
  use(name: string, id?: string): void {
    const live: Mutable<LiveWorld> | undefined = this.get(name, id)
    if (!live) return
    live.requests += 1
    live.usedAt = this.clock.now()
  }

  /** Keeps a world from expiring while `work` is under way; the world's idle time starts afterwards. */
  during<T>(name: string, work: () => T | Promise<T>): T | Promise<T> {
    const live = this.#live.get(name)
    if (!live) return work()
    const { clock, expiry } = this
    return whileBusy(live, work, clock).finally(() => expiry.wake(this.#idle.nextDue()))
  }

  /** Stores the port on which a world answers without its prefix. */
  listensOn = (live: LiveWorld, port: number): void => void Object.assign(live, { port })

  /** Runs `work` when all writes of a world are committed or have failed, before others can write. Rejects with 410. */
  whenSettled: WorldImages['whenSettled'] = (name, work, id) => this.#images.whenSettled(name, work, id)

  create({ from = { seed: this.#seed }, ...options }: NewWorld & { readonly from?: Origin | undefined }) {
    const { world, moment, snapshot, seed = this.#seed } = from
    return this.#make({ ...options, madeFrom: shownOrigin(from), seed }, async () => {
      if (world !== undefined) {
        const present = await this.#images.of(world)
        return this.#maker.forkOf(this.find(world), present, moment)
      }
      if (snapshot !== undefined) return { image: this.snapshots.get(snapshot).image }
      // The clock of any other seed starts when the world is made, so the image of the seed can't be reused.
      return { image: typeof seed === 'string' ? await this.#maker.imageOfSeed(seed) : null }
    })
  }

  /** Makes a world from an exported file. Throws UnusableFile if the file can't be used. */
  import({ file, ...options }: NewWorld & { readonly file: Uint8Array }): Promise<LiveWorld> {
    const madeFrom = { file: hash('sha256', file, 'hex') }
    const source = async () => ({
      image: await this.#maker.imageOfImport(file, { team: this.ownerOf(options.name ?? '') }),
    })
    return this.#make({ ...options, madeFrom, seed: this.#seed }, source)
  }

  export = (name: string): Promise<Uint8Array> => this.#images.fileOf(name)

  /** Saves the state of a world under a name. Throws a Refusal with 409 for a taken name, unless `replace` is set. */
  async takeSnapshot(asked: NewSnapshot, world: string): Promise<Snapshot> {
    this.snapshots.check(asked)
    const image = await this.#images.of(world)
    this.snapshots.check(asked)
    return this.snapshots.put({ name: asked.name, world, takenAt: this.clock.now(), image })
  }

  /** Resets a world to the image from which it was made or last restored; all later data and work are dropped. */
  async reset(name: string = defaultWorld): Promise<LiveWorld> {
    const { image, madeFrom, forkedFrom } = this.find(name)
    return this.#replace(name, image(), { madeFrom, forkedFrom, reason: 'reset' })
  }

  /** Replaces a world with a copy of a snapshot. */
  async restore(name: string, snapshot: Snapshot): Promise<LiveWorld> {
    const restored = { madeFrom: { snapshot: snapshot.name }, forkedFrom: null, reason: 'restored' } as const
    return this.#replace(name, snapshot.image, restored)
  }

  /** Ends a world other than the default world, together with its timers, deliveries and connections. */
  async end(name: string, by: 'deletion' | 'expiry'): Promise<Ended> {
    const live = this.find(name)
    const { world, ids, made, strict } = live
    const token = this.options.owner && digest(world.access.token)
    const ending = this.#end(live, by === 'deletion' ? 'deleted' : 'expired')
    const ended = this.ended.add({ name, ids, made, strict, token, by, at: this.clock.now() })
    await ending
    return ended
  }

  /** Ends a world that another emulator has imported. Throws a Refusal (409) if it has changed since the export. */
  async leave(name: string, to: Destination) {
    const live = await this.#images.whenSettled(name, (settled) => settled)
    const tokens = this.options.owner ? digestsOfTokens(live.world) : undefined
    const moved = this.moved.add(live, to, { now: this.clock.now(), tokens })
    await this.#end(live, 'moved')
    return moved
  }

  async close(): Promise<void> {
    this.expiry.stop()
    this.#files?.close()
    const all = this.all()
    this.#live.clear()
    await Promise.all([...all, ...(this.#decoy ? [this.#decoy] : [])].map(({ world }) => world.close()))
    await Promise.allSettled(this.#ending.values())
    this.#maker.close()
    await this.transport.close()
  }

  async #end({ name, world }: LiveWorld, reason: EndReason): Promise<void> {
    this.#live.delete(name)
    announceEnd({ name, world }, this.observations.observers(name, this.all()), reason)
    this.options.onWorld({ change: reason, world: name, worldId: world.id })
    this.observations.tally(name, (tally) => tally.saveFindings(name, world, { chaosEnds: true }))
    // Waiting requests are answered first, even a request that ends the world over the world's own port.
    const closed = world.close().finally(() => this.onEnded(name))
    const ending = closed.then(() => this.#folder?.remove(name))
    this.#ending.set(name, ending)
    await ending.finally(() => this.#ending.delete(name))
  }

  #add(made: MadeWorld): LiveWorld {
    this.#made += 1
    const live = this.#entryOf(made)
    this.#live.set(made.name, live)
    this.#files?.wakeFor(live)
    return live
  }

  #entryOf(made: MadeWorld): LiveWorld {
    const { name, world, strict = this.options.strict } = made
    const breaches = new WorldBreaches(name === defaultWorld ? null : this.observations.of(name).strays)
    const now = this.clock.now()
    const use = { usedAt: now, keptOpenAt: now, requests: 0, busy: 0, answering: 0 }
    const opened = openingOf(world, this.options.rngSeed === undefined ? undefined : `${now}-${this.#made}`)
    return { ...made, made: this.#made, ids: [world.id], opened, strict, breaches, ...use }
  }

  /** Adds a world; uses the metadata in its file, if there is any. */
  #addStored(name: string, world: World): LiveWorld {
    const { settings } = world
    const { metadata, facts } = storedFacts(name, settings, this.clock.now())
    if (this.#folder && settings.get('kept') === null) settings.set('kept', metadata)
    const { origin } = metadata
    let image: Image | null = null
    const load = () => {
      if (origin) image ??= this.#folder?.origin(origin, (path) => this.#maker.readImage(path)) ?? null
      return image
    }
    const live = this.#add({ name, world, image: load, ...facts })
    this.#folder?.setOrigin(name, origin)
    this.#names.hasSeries(world.settings.get('series'))
    return live
  }

  /** Finds the worlds of earlier processes in the folder, without opening them. */
  #filesIn(folder: WorldFolder): WorldFiles {
    folder.removeDrafts()
    folder.saveShard()
    this.snapshots.find()
    this.moved.find(this.options.onNotice)
    const closed = new ClosedWorlds(folder, this.#made)
    this.#made = closed.made
    for (const { name, facts } of closed.all()) {
      folder.setOrigin(name, facts === null ? undefined : facts.origin)
      if (facts) this.#names.hasSeries(facts.series)
    }
    folder.removeOrigins()
    const opened = (name: string, world: World, { revision, ...known }: KnownOfClosed) => {
      const live = this.#addStored(name, world)
      return Object.assign(live, known, { opened: { ...live.opened, revision } })
    }
    const { clock, options, expiry: scheduler } = this
    const saveEvidence = (name: string, world: World) =>
      this.observations.tally(name, (tally) => tally.saveEvidence(name, world))
    const [live, maker] = [this.#live, this.#maker]
    return new WorldFiles({ folder, closed, live, maker, clock, options, scheduler, saveEvidence, opened })
  }

  /** Makes a world from an image, or else from the seed. */
  async #make(
    options: NewWorld & Pick<LiveWorld, 'madeFrom'> & { readonly seed: Seed },
    source: () => Promise<Source>,
  ): Promise<LiveWorld> {
    const isGiven = options.name !== undefined
    const name = isGiven ? this.shard.fullName(options.name) : this.#names.next()
    const { rngStream = name, ttl = null, madeFrom, seed, chaos, strict, refuse } = options
    const refuseFull = () => {
      refuse?.()
      const others = this.#live.size + this.closed().length - 1
      if (others < (this.options.maxWorlds ?? Number.POSITIVE_INFINITY)) return
      throw new Refusal(409, { message: `The emulator has reached its limit for worlds: ${others}. Delete one` })
    }
    if (isGiven) this.#names.refuseTaken(name)
    refuseFull()
    const { image, forkedFrom = null } = await source()
    const content = image ?? (await this.#maker.newImageOf(seed))
    // The new world needs the port and file of the ending world. The caller that ends that world gets its errors.
    while (this.#ending.has(name)) await this.#ending.get(name)?.catch(() => {})
    if (isGiven) this.#names.refuseTaken(name)
    refuseFull()
    const series = this.#names.seriesFor(rngStream)
    const createdAt = this.clock.now()
    const known = { made_from: madeFrom, forked_from: forkedFrom ?? undefined, rng_stream: rngStream }
    const metadata = this.#metadata(image, { ...known, ttl, created_at: createdAt })
    const idBefore = this.ended.named(name)?.ids.at(-1)
    const copy = { name, rngStream, idBefore, series, metadata, access: this.#maker.newAccess(), chaos }
    this.#files?.makeRoom()
    const world = this.#folder ? this.#maker.fileCopyOf(content, copy, this.#folder) : this.#maker.copyOf(content, copy)
    this.moved.remove(name)
    const live = this.#add({ name, world, rngStream, madeFrom, forkedFrom, image: () => image, ttl, createdAt, strict })
    this.#folder?.setOrigin(name, metadata?.origin ?? null)
    this.expiry.wake(this.#idle.nextDue())
    announceMade(live, this.observations.observers(name, this.all()))
    this.options.onWorld({ change: 'made', world: name, worldId: world.id })
    return live
  }

  /** Saves the image that a reset restores, and returns the metadata to store; null: the world is in memory. */
  #metadata(image: Image | null, known: Omit<FileMetadata, 'origin'>): FileMetadata | null {
    return this.#folder && { ...known, origin: image && this.#folder.saveOrigin(image) }
  }

  async #replace(
    name: string,
    image: Image | null,
    { madeFrom, forkedFrom, reason }: Pick<LiveWorld, 'madeFrom' | 'forkedFrom'> & { readonly reason: EndReason },
  ): Promise<LiveWorld> {
    const asked = this.find(name)
    const content = image ?? (await this.#maker.imageAtStart(asked.world))
    return this.#images.whenSettled(name, async (live) => {
      // The world may have ended in the meantime, and another world may have its name.
      if (live !== asked) throw worldEnded(reason === 'reset' ? 'reset' : 'restore')
      const { world: ended, rngStream, ttl, createdAt } = live
      ended.events.flush() // reads the tables, as the findings do: they are about to be replaced
      const findings = findingsOf({ name, world: ended, hasEnded: true })
      const known = { made_from: madeFrom, forked_from: forkedFrom ?? undefined, rng_stream: rngStream }
      const metadata = this.#metadata(image, { ...known, ttl, created_at: createdAt })
      const access = this.options.owner && ended.settings.get('access')
      const copy = { name, rngStream, after: ended, series: ended.settings.get('series'), metadata, access }
      const isInMemory = ended.database.isInMemory
      const world = isInMemory ? this.#maker.copyOf(content, copy) : this.#maker.replacing(ended, content, copy)
      announceEnd(live, this.observations.observers(name, this.all()), reason)
      this.observations.tally(name, (tally) => tally.saveFindings(name, ended, { chaosEnds: false, findings }))
      Object.assign(live, { world, madeFrom, forkedFrom, image: () => image, copied: undefined, exported: undefined })
      if (!isInMemory) this.#folder?.setOrigin(name, metadata?.origin ?? null)
      if (name !== defaultWorld) live.ids.push(live.world.id)
      announceMade(live, this.observations.observers(name, this.all()))
      this.options.onWorld({ change: reason, world: name, worldId: live.world.id })
      await (isInMemory ? ended.close() : ended.end())
      return live
    })
  }
}
