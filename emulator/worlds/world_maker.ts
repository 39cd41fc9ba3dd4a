import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Database as Connection } from 'better-sqlite3'
import { decoyWorld, defaultWorld, type ForkedFrom } from '../../src/contract/index.ts'
import { Chaos } from '../chaos/chaos.ts'
import type { ChaosSetting } from '../chaos/setting.ts'
import { Clock, type ClockSetting } from '../clock.ts'
import { needsNoTime } from '../domain/lifecycle.ts'
import { preciseTimestamp } from '../domain/time.ts'
import { requestId } from '../observation/request_log.ts'
import { EmulatorRefusal, type NamedSeed, type Seed } from '../options.ts'
import { lineageOf } from '../random.ts'
import { fill, withoutSecrets } from '../seed_file/fill.ts'
import { atOnce, inSlices, type Steps } from '../slices.ts'
import { ConnectionPool } from '../store/connection_pool.ts'
import { explainingErrors, openCopy, openDataFile, openWorldFile } from '../store/data_file.ts'
import { Statements } from '../store/database.ts'
import { changed, type Image, imageOf, openImage, refillFrom, withLog } from '../store/image.ts'
import { refuseForeignOrLink } from '../store/own_files.ts'
import { newClientSecret, newSecret, newToken } from '../store/secret.ts'
import { type FileMetadata, type WorldAccess, WorldSettings } from '../store/settings.ts'
import { type Store, storeIn } from '../store/store.ts'
import { undoChanges } from '../store/undo_log.ts'
import type { WorldFolder } from '../store/world_folder.ts'
import type { ThreadCaller } from '../thread.ts'
import type { Transport } from '../webhooks/transport.ts'
import type { MadeWorld } from './live_world.ts'
import { momentId, type WayBack } from './moments.ts'
import { demo, setAccess, setSecrets } from './seed.ts'
import { World } from './world.ts'
import type { ReadOptions, WorldOptions } from './world_options.ts'

interface Naming {
  readonly name: string
  /**
   * Name of the stream from which the world's random values and chaos are drawn. Default: the name in the world's file;
   * without a file, the world's name.
   */
  readonly rngStream?: string | undefined
  /** True for the world in the file of an earlier process: its clock continues. */
  readonly isContinued?: boolean
  /** The world that this world replaces. */
  readonly after?: World
  /** Id of an ended world that had this name. */
  readonly idBefore?: string | undefined
  /** Chaos of this world; null: no chaos. Default: the chaos of the emulator. */
  readonly chaos?: ChaosSetting | null | undefined
}

export interface Copy extends Naming {
  /** Series of the world's delivery ids. */
  readonly series: number
  /** Metadata of a world that is stored in a file; null: the world is in memory. */
  readonly metadata: FileMetadata | null
  /** The world's own secrets; null: the secrets from the options. */
  readonly access: WorldAccess | null
}

/** Content of a new world. */
export interface Source {
  /** Null: the seed. */
  readonly image: Image | null
  readonly forkedFrom?: ForkedFrom
}

/** Makes worlds from seeds, images and files. */
export class WorldMaker {
  readonly #options: WorldOptions
  readonly #transport: Transport
  /** The machine's clock. */
  readonly #clock: Clock
  /** Images of the named seeds: all worlds with the same seed are copies of one image. */
  readonly #seeds = new Map<NamedSeed, Image>()
  /** Connections of worlds in memory. */
  readonly #connections = new ConnectionPool()
  /** Image of empty tables. */
  #blank: Image | undefined

  constructor(options: WorldOptions, transport: Transport) {
    this.#options = options
    this.#transport = transport
    this.#clock = new Clock(undefined, options.machineTime)
  }

  /**
   * Opens the world in the data file, or makes a world from the seed. Throws EmulatorRefusal if the file can't be used.
   */
  firstWorld(path: string | null, options: ReadOptions): World {
    let isNew = false
    const connection = openDataFile(path, (empty) => {
      isNew = true
      atOnce(this.#fill(storeIn(new Statements(empty)), options.seed ?? 'demo'))
    })
    // Makes a new store, because the store that was filled would count the seed's payments as made by the program.
    return closingOnError(connection, (statements) => {
      const store = isNew
        ? storeIn(statements)
        : this.#withOptions(refuseConflicts(path, this.#continuing(statements), options))
      return this.#open(statements, store, { name: defaultWorld, isContinued: !isNew })
    })
  }

  /**
   * Opens the file of a world. `isAsClosed`: it has not been written since the emulator closed it; `isOurs`: this process
   * closed it, so it has the options of this start. Throws EmulatorRefusal if the file can't be used.
   */
  reopen(path: string, name: string, { isAsClosed, isOurs }: Record<'isAsClosed' | 'isOurs', boolean>): World {
    return closingOnError(openWorldFile(path, { isAsClosed }), (statements) => {
      const store = this.#continuing(statements)
      if (!isOurs) this.#withOptions(store)
      const access = store.settings.get('access') ?? this.newAccess()
      if (!isOurs && this.#options.owner && access) setAccess(store, access, this.#clock.now())
      return this.#open(statements, store, { name, isContinued: true })
    })
  }

  /**
   * Makes a new image each time: the clock of a seed and its payments under way start now, so the images of most seeds
   * can't be reused.
   */
  async newImageOf(seed: Seed, made: Partial<WorldOptions> = {}): Promise<Image> {
    this.#blank ??= copied(openDataFile(null, () => {}))
    const connection = openImage(this.#blank)
    try {
      connection.exec('BEGIN EXCLUSIVE')
      await inSlices(this.#fill(storeIn(new Statements(connection)), seed, made), this.#clock)
      connection.exec('COMMIT')
      return imageOf(connection)
    } finally {
      connection.close()
    }
  }

  async imageOfSeed(seed: NamedSeed): Promise<Image> {
    const image = this.#seeds.get(seed) ?? (await this.newImageOf(seed))
    this.#seeds.set(seed, image)
    return image
  }

  /** Checks a file from elsewhere and returns its image. Rejects with UnusableFile. */
  async imageOfImport(file: Uint8Array, caller: ThreadCaller): Promise<Image> {
    const { checkedImage } = await import('../store/image_tasks.ts')
    return changed(await checkedImage(file, caller), (connection) =>
      this.#withSecrets(storeIn(new Statements(connection))),
    )
  }

  /** Checks an exported file and returns its image. Throws UnusableFile. */
  imageOfFile(file: Uint8Array): Image {
    const connection = openCopy(file)
    try {
      this.#withSecrets(storeIn(new Statements(connection)))
      return imageOf(connection)
    } finally {
      connection.close()
    }
  }

  /**
   * Turns an image of a world into an exported file, in which the world's clock stands at the current time until the
   * file is used.
   */
  async fileOf(image: Image, clock: ClockSetting, caller: ThreadCaller): Promise<Image> {
    const { compacted } = await import('../store/image_tasks.ts')
    return compacted(
      changed(image, (connection) => {
        new WorldSettings(new Statements(connection)).becomeFile(clock, this.#clock.now())
      }),
      caller,
    )
  }

  /**
   * Content for a fork of a world: the world as it is now, or as it was at one of its moments. `present` is the image
   * of the world as it is now.
   */
  forkOf({ name, world }: { readonly name: string; readonly world: World }, present: Image, at?: string): Source {
    const { id, clock, moments, requests } = world
    const point = { world: name, id }
    if (at === undefined) {
      const latest = moments.at(moments.current ?? 0)
      const moment = latest ? momentId(latest.number) : null
      const forkedFrom = { ...point, moment, at: preciseTimestamp(clock.now()), ...answered(requests.last) }
      return { image: present, forkedFrom }
    }
    const wayBack = moments.wayBackTo(at, name)
    const { moment } = wayBack
    const last = requests.lastAt(moment.number)
    const forkedFrom = { ...point, moment: at, at: preciseTimestamp(moment.at), ...answered(last) }
    return { image: imageAt(present, wayBack), forkedFrom }
  }

  /** Reads an image from a file. Throws EmulatorRefusal if the file can't be used. */
  readImage(path: string): Image {
    refuseForeignOrLink(path)
    return explainingErrors(path, () => this.imageOfFile(readFileSync(path)))
  }

  /** Opens a copy of an image in memory, as a new world with its own id. */
  copyOf(image: Image, copy: Copy): World {
    const statements = this.#connections.open(image)
    return this.#open(statements, this.#become(statements, copy), copy)
  }

  /** Opens a copy of an image in a file, as a new world with its own id. */
  fileCopyOf(image: Image, copy: Copy, folder: WorldFolder): World {
    const content = changed(image, (connection) => this.#become(new Statements(connection), copy))
    return folder.write(copy.name, withLog(content), (file) =>
      closingOnError(openWorldFile(file, { isAsClosed: true }), (statements) =>
        this.#open(statements, storeIn(statements), copy),
      ),
    )
  }

  /** The content that a world had when it was made from its seed. */
  imageAtStart({ settings, database }: World): Promise<Image> {
    const seed = settings.get('seed')
    if (typeof seed === 'string' && database.isInMemory) return this.imageOfSeed(seed)
    return this.newImageOf(seed, { fxSpread: settings.get('spread'), lenientIban: settings.get('lenientIban') })
  }

  /** Replaces the content of a world's tables with an image, and opens the result as a new world. */
  replacing(world: World, image: Image, copy: Copy): World {
    const { connection } = world.database
    const statements = new Statements(connection)
    world.moments.endWith(() => refillFrom(connection, image, () => this.#become(statements, copy)))
    const made = this.#open(statements, storeIn(statements), copy)
    world.database.handOver()
    return made
  }

  #open(statements: Statements, store: Store, named: Naming): World {
    const { name, after, isContinued = false, idBefore = '' } = named
    const { settings } = store
    const { rngStream = settings.get('kept')?.rng_stream ?? name } = named
    if (this.#options.rngSeed !== undefined) settings.set('lineage', lineageOf(settings.get('lineage'), rngStream))
    if (this.#options.lenientIban && !settings.get('lenientIban')) settings.set('lenientIban', true)
    // The image of a seed can't contain the clock: all worlds with this seed share the image, but each clock starts
    // when its world is made.
    const followsSettle = !this.#options.clockIsGiven && !isContinued && !settings.isStored('clock')
    if (followsSettle && needsNoTime({ ...this.#options.settle, ...settings.get('settle') })) {
      settings.set('clock', { offset_ms: 0, frozen_at: this.#clock.now() })
    }
    const parts = { statements, store, options: this.#options, transport: this.#transport }
    const chaos = this.#chaosOf({ ...named, rngStream })
    const momentLimit = after ? after.moments.limit : this.#options.momentLimit
    return new World({ ...parts, name, after: after?.id ?? idBefore, chaos, momentLimit })
  }

  /** Chaos continues after a reset. The emulator's default chaos draws differently in each stream. */
  #chaosOf({ rngStream, after, chaos }: Naming): Chaos | null {
    if (after) return after.chaos
    if (chaos !== undefined) return chaos && new Chaos(chaos)
    const { chaos: ofAll } = this.#options
    return ofAll && new Chaos(ofAll, rngStream === defaultWorld ? '' : rngStream)
  }

  /** `made`: the options that applied when a world in a file was made. */
  #fill(store: Store, seed: Seed, made: Partial<WorldOptions> = {}): Steps<void> {
    return fill(store, seed, { options: { ...this.#options, ...made }, now: this.#clock.now() })
  }

  /** Opens the store of a data file, which may be an exported world. */
  #continuing(statements: Statements): Store {
    const store = storeIn(statements)
    store.settings.goOn(this.#clock.now())
    return store
  }

  /** Turns a copy into a new world. */
  #become(statements: Statements, { series, metadata, access }: Copy): Store {
    const store = storeIn(statements)
    store.settings.become(series, this.#clock.now(), metadata)
    if (access) setAccess(store, access, this.#clock.now())
    return store
  }

  /**
   * Makes the decoy of an emulator with teams: an empty world with secrets that nobody knows. The decoy answers all
   * requests that have no access to the world that they name. The answers are the same whether or not that world
   * exists.
   */
  decoy(): MadeWorld {
    const copy = { name: decoyWorld, series: 0, metadata: null, access: this.newAccess(), chaos: null }
    const seeded = openDataFile(null, (empty) => atOnce(this.#fill(storeIn(new Statements(empty)), 'empty')))
    const world = this.copyOf(copied(seeded), copy)
    const fromSeed = { madeFrom: { seed: 'empty' }, forkedFrom: null, image: () => null }
    const made = { name: decoyWorld, rngStream: decoyWorld, createdAt: this.#clock.now(), ttl: null }
    return { ...made, ...fromSeed, world, strict: false }
  }

  /** Closes the connections that no world uses. */
  close = (): void => this.#connections.close()

  /**
   * Makes secrets for one world; null if the emulator has no teams, because all worlds then have the secrets from the
   * options.
   */
  newAccess(): WorldAccess | null {
    if (!this.#options.owner) return null
    const client_id = `${demo.clientId}-${newSecret().slice(0, 22)}`
    return { token: newToken(), client_id, client_secret: newClientSecret() }
  }

  /** Applies the options of this start to a world of an earlier process. */
  #withOptions(store: Store): Store {
    const { settings } = store
    settings.set('maintenance', { ...settings.get('maintenance'), ...this.#options.maintenance })
    return this.#withSecrets(store)
  }

  /** Applies the secrets of this start to a world in a file. */
  #withSecrets(store: Store): Store {
    setSecrets(store, this.#options, new Clock(store.settings.get('clock'), this.#options.machineTime).now())
    return store
  }
}

const answered = (last: number) => (last > 0 ? { request: requestId(last) } : {})

/** Takes an image back to a moment, with the clock of that moment. */
const imageAt = (image: Image, { moment, undo }: WayBack): Image =>
  changed(image, (connection) => {
    undoChanges(connection, undo)
    new WorldSettings(new Statements(connection)).becomeFile(moment.clock, moment.madeAt)
  })

/** Closes the connection if the work throws. */
function closingOnError<T>(connection: Connection, work: (statements: Statements) => T): T {
  try {
    return work(new Statements(connection))
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Returns an image of the database, and closes the connection. */
function copied(connection: Connection): Image {
  const image = imageOf(connection)
  connection.close()
  return image
}

/**
 * Throws EmulatorRefusal for options that an existing world would ignore, because its seed, spread and clock are
 * already stored.
 */
function refuseConflicts(data: string | null, store: Store, { seed, fxSpread, clock }: ReadOptions): Store {
  const { settings } = store
  const [filledWith, { spread }] = [settings.get('seed'), settings.get('rates')]
  if (seed !== undefined && !isDeepStrictEqual(stored(seed, filledWith), filledWith)) {
    const made =
      typeof filledWith === 'string'
        ? `the seed ${filledWith}`
        : 'another seed file or an earlier version of this seed file'
    throw new EmulatorRefusal(
      (name) =>
        `${data} already holds a world made from ${made}; ${typeof seed === 'string' ? `${name('seed')} ${seed}` : 'this seed'} would change nothing.`,
      (name) => `Leave ${typeof seed === 'string' ? name('seed') : 'the seed'} out, or name a new file.`,
    )
  }
  if (fxSpread !== undefined && fxSpread !== spread) {
    throw new EmulatorRefusal(
      (name) => `${data} has a spread of ${spread}; ${name('fxSpread')} ${fxSpread} would change nothing.`,
      (name, caller) =>
        `Leave ${name('fxSpread')} out, and set the spread once the emulator is running: ${
          caller === 'program'
            ? `emulator.control.fx.set({ spread: ${fxSpread} })`
            : `payctl emulator fx --spread ${fxSpread}`
        }`,
    )
  }
  if (clock !== undefined && clock !== 'running') {
    throw new EmulatorRefusal(
      (name) => `${data} already holds a world, with its own time; ${name('clock')} ${clock} would change nothing.`,
      (name, caller) =>
        `Leave ${name('clock')} out, and move the clock once the emulator is running: ${
          caller === 'program' ? `emulator.control.clock.at({ time: '${clock}' })` : `payctl emulator clock at ${clock}`
        }`,
    )
  }
  return store
}

/**
 * A seed in the form in which a file stores it. It contains the secrets of subscriptions only if `other` contains them.
 */
const stored = (seed: Seed, other: Seed): Seed =>
  typeof seed === 'string' || typeof other === 'string'
    ? seed
    : withoutSecrets(seed, other.subscriptions?.some(({ secret }) => secret !== undefined) ?? false)
