import { hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defaultWorld, type MovedWorld, WorldName } from '../../src/contract/index.ts'
import { EmulatorRefusal } from '../options.ts'
import type { Image } from './image.ts'
import { besides, refuseForeignOrLink } from './own_files.ts'

const extension = '.sqlite'

const nameOf = {
  world: new RegExp((WorldName as { readonly pattern?: string }).pattern ?? ''),
  digest: /^[0-9a-f]{64}$/,
}

/** A world that has moved to another emulator. */
export interface SavedMove extends MovedWorld {
  /** Hexadecimal digests of the world's tokens, if the emulator has teams. */
  readonly tokens?: readonly string[] | undefined
}

/** Suffix of a file that has not been written completely. */
const draft = '.draft'

/**
 * Folder of an emulator's worlds. It contains `<name>.sqlite` for each world, `origins/<digest>.sqlite` for the images
 * that resets restore, `snapshots/<name>.sqlite` for each snapshot, and a file in `moved` for each world that has
 * moved. The process that has the file of the default world open owns the folder.
 */
export class WorldFolder {
  readonly #path: string
  /** Name of the shard of this process; null: none. */
  readonly #shard: string | null
  /**
   * Digest of the image that a reset of each world restores, by world; undefined: unknown until the world's file is
   * opened.
   */
  readonly #origins = new Map<string, string | undefined>()
  readonly #digests = new WeakMap<Image, string>()

  /**
   * Creates the folder if it does not exist. Throws EmulatorRefusal, for example if another user can write in the
   * folder, if a file or folder in it is a link, or if the folder belongs to another shard.
   */
  constructor(path: string, shard: string | null) {
    this.#path = path
    this.#shard = shard
    try {
      for (const folder of this.#folders()) {
        makeFolder(folder)
        refuseForeignOrLink(folder)
        // The listing includes the type of each entry, so no file is opened before it is needed.
        for (const entry of readdirSync(folder, { withFileTypes: true })) {
          if (entry.isSymbolicLink() && isOfWorld(entry.name)) refuseForeignOrLink(join(folder, entry.name))
        }
      }
      this.#refuseForeignShard()
    } catch (error) {
      if (error instanceof EmulatorRefusal) throw error
      const { code = '' } = error as NodeJS.ErrnoException
      throw new EmulatorRefusal(`${path} can’t be the folder of the worlds: ${code}.`, 'Name a folder that you own.')
    }
  }

  /** Saves the name of the shard, so that a process of another shard refuses the folder. */
  saveShard(): void {
    if (this.#shard !== null && !existsSync(this.#shardFile)) writeFileSync(this.#shardFile, `${this.#shard}\n`)
  }

  /** Path of the index, which contains facts of the worlds whose files are closed. */
  get index(): string {
    return join(this.#path, 'index.db')
  }

  fileOf = (world: string): string => join(this.#path, `${world}${extension}`)

  /** Names of all worlds except the default world. */
  worlds = (): string[] => namesIn(this.#path).filter((name) => name !== defaultWorld)

  snapshots = (): string[] => namesIn(join(this.#path, 'snapshots'))

  /**
   * Removes the unfinished files that killed processes left behind. A log without a database is kept, because it may
   * belong to a file of the user.
   */
  removeDrafts(): void {
    for (const folder of this.#folders()) {
      for (const name of readdirSync(folder)) if (isDraft(name)) rmSync(join(folder, name), { force: true })
    }
  }

  /**
   * Writes the file of a new world, and opens it with `open`. First removes old logs with the same name, because SQLite
   * would replay them into the new world. If `open` throws, the file is removed: otherwise the next start would find a
   * world that was refused.
   */
  write<T>(world: string, image: Image, open: (file: string) => T): T {
    this.#removeLogs(world)
    const file = this.fileOf(world)
    writeWhole(file, image)
    try {
      return open(file)
    } catch (error) {
      this.removeFile(world)
      throw error
    }
  }

  /** Removes a closed world, and the images that no reset needs. */
  remove(world: string): void {
    this.removeFile(world)
    this.#origins.delete(world)
    this.removeOrigins()
  }

  /** Removes the file of a closed world. */
  removeFile(world: string): void {
    rmSync(this.fileOf(world), { force: true })
    this.#removeLogs(world)
  }

  /** Saves an image for resets; returns the digest that names it. */
  saveOrigin(image: Image): string {
    const digest = this.#digests.get(image) ?? hash('sha256', image, 'hex')
    this.#digests.set(image, digest)
    if (!existsSync(this.#originFile(digest))) writeWhole(this.#originFile(digest), image)
    return digest
  }

  /** The image that was saved under a digest; `read` reads it from its file. */
  origin(digest: string, read: (file: string) => Image): Image {
    const image = read(this.#originFile(digest))
    this.#digests.set(image, digest)
    return image
  }

  originOf = (world: string): string | null => this.#origins.get(world) ?? null

  /** Sets the saved image that a reset of the world restores; null: a reset uses the seed; undefined: not known. */
  setOrigin(world: string, digest: string | null | undefined): void {
    const before = this.#origins.get(world)
    if (digest === null) this.#origins.delete(world)
    else this.#origins.set(world, digest)
    if (before !== undefined && before !== digest) this.removeOrigins()
  }

  /** Removes the images that no world needs for a reset. Removes nothing while the origin of any world is unknown. */
  removeOrigins(): void {
    const used = new Set(this.#origins.values())
    if (used.has(undefined)) return
    for (const digest of namesIn(join(this.#path, 'origins'), nameOf.digest)) {
      if (!used.has(digest)) rmSync(this.#originFile(digest), { force: true })
    }
  }

  writeSnapshot(name: string, image: Image): void {
    writeWhole(this.snapshotFile(name), image)
  }

  /** The worlds that have moved to another emulator. `onNotice` gets a message for each file that can't be used. */
  moved(onNotice: (text: string) => void): readonly SavedMove[] {
    const files = readdirSync(this.#movedPath).filter((file) => file.endsWith('.json'))
    return files.flatMap((file) => {
      const name = basename(file, '.json')
      const moved = moveIn(this.#movedFile(name))
      if (moved?.name === name && typeof moved.base_url === 'string') return moved as SavedMove
      const what = `does not say where the world ${name} has moved: requests to this world get a 404.`
      onNotice(`${this.#movedFile(name)} ${what} Restore the file, or remove it.`)
      return []
    })
  }

  saveMoved(moved: SavedMove): void {
    writeWhole(this.#movedFile(moved.name), Buffer.from(`${JSON.stringify(moved)}\n`))
  }

  /**
   * Forgets a move, also if the machine stops afterwards. If the record came back, the next start would remove the file
   * of the new world of this name.
   */
  removeMoved(name: string): void {
    rmSync(this.#movedFile(name), { force: true })
    syncFolder(this.#movedPath)
  }

  removeSnapshot(name: string): void {
    rmSync(this.snapshotFile(name), { force: true })
  }

  #refuseForeignShard(): void {
    const [own, saved] = [
      this.#shard,
      existsSync(this.#shardFile) ? readFileSync(this.#shardFile, 'utf8').trim() : null,
    ]
    if (own === null || saved === null || own === saved) return
    throw new EmulatorRefusal(
      `${this.#path} belongs to the shard ${saved}: the names of its worlds begin with ${saved}.`,
      (name) => `Name the folder of the shard ${own}, or start with ${name('shard')} ${saved}.`,
    )
  }

  #folders = (): readonly string[] => [
    this.#path,
    join(this.#path, 'origins'),
    join(this.#path, 'snapshots'),
    this.#movedPath,
  ]

  #removeLogs(world: string): void {
    for (const end of besides) rmSync(`${this.fileOf(world)}${end}`, { force: true })
  }

  get #movedPath(): string {
    return join(this.#path, 'moved')
  }

  #movedFile = (name: string): string => join(this.#movedPath, `${name}.json`)

  get #shardFile(): string {
    return join(this.#path, 'shard')
  }

  #originFile = (digest: string): string => join(this.#path, 'origins', `${digest}${extension}`)
  snapshotFile = (name: string): string => join(this.#path, 'snapshots', `${name}${extension}`)
}

const isDraft = (name: string): boolean => [extension, '.json'].some((end) => name.endsWith(`${end}${draft}`))

const isOfWorld = (name: string): boolean => name.includes(extension)

/** Names of the worlds, snapshots or saved images in a folder; other files do not belong to the emulator. */
const namesIn = (folder: string, pattern = nameOf.world): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length))
    .filter((name) => pattern.test(name))
    .sort()

/**
 * Makes a private folder and the missing folders above it. Node's own `recursive` never returns in a file system such
 * as /proc, where a new folder is ENOENT although the folder above it exists.
 */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path && !existsSync(above)) makeFolder(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isFolder(path)) throw error // otherwise another emulator has made the folder meanwhile
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Writes the whole file or nothing, even if the machine stops. If this fails, the draft does not keep the disk full. */
function writeWhole(path: string, bytes: Buffer): void {
  const file = `${path}${draft}`
  rmSync(file, { force: true })
  try {
    writeSynced(file, bytes)
    renameSync(file, path)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

function writeSynced(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Syncing the folder makes sure that the name of a new file is on disk. Windows can't open folders, and needs no such
 * sync.
 */
function syncFolder(path: string): void {
  try {
    const descriptor = openSync(path, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {}
}

/** The move that a file describes; null if the file can't be read. */
function moveIn(file: string): Partial<SavedMove> | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
