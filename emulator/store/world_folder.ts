import { hash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { defaultWorld, WorldName } from '../../src/contract/index.ts'
import { EmulatorRefusal } from '../options.ts'
import type { Image } from './image.ts'
import { besides, refuseForeignOrLink } from './own_files.ts'

const extension = '.sqlite'

const nameOf = {
  world: new RegExp((WorldName as { readonly pattern?: string }).pattern ?? ''),
  digest: /^[0-9a-f]{64}$/,
}

/** Of a file that is being written, until it has its name. */
const draft = `${extension}.draft`

/**
 * The folder of an emulator's worlds: `<name>.sqlite` for each, `origins/<digest>.sqlite` for what they go back to at a
 * reset, `snapshots/<name>.sqlite`. Whoever has the file of the default world open has the folder.
 */
export class WorldFolder {
  readonly #path: string
  /** By world: the digest of what it goes back to. */
  readonly #origins = new Map<string, string>()
  readonly #digests = new WeakMap<Image, string>()

  /**
   * Makes the folder if it is not there. Throws EmulatorRefusal, also if another user can write in the folder, or if there
   * is a link among its files and folders.
   */
  constructor(path: string) {
    this.#path = path
    try {
      for (const folder of this.#folders()) {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        refuseForeignOrLink(folder)
        for (const name of readdirSync(folder).filter(isOfWorld)) refuseForeignOrLink(join(folder, name))
      }
    } catch (error) {
      if (error instanceof EmulatorRefusal) throw error
      const { code = '' } = error as NodeJS.ErrnoException
      throw new EmulatorRefusal(`${path} can’t be the folder of the worlds: ${code}.`, 'Name a folder of yours.')
    }
  }

  fileOf = (world: string): string => join(this.#path, `${world}${extension}`)

  /** The worlds but the default one. */
  worlds = (): string[] => namesIn(this.#path).filter((name) => name !== defaultWorld)

  snapshots = (): string[] => namesIn(join(this.#path, 'snapshots'))

  /** Removes what a killed process has left half written. A log without its database may be the rest of a file of the user. */
  removeDrafts(): void {
    for (const folder of this.#folders()) {
      for (const name of readdirSync(folder)) if (name.endsWith(draft)) rmSync(join(folder, name), { force: true })
    }
  }

  /** Writes a world that is not open. SQLite would take a log of this name for the new world's own. */
  write(world: string, image: Image): void {
    this.#removeLogs(world)
    writeWhole(this.fileOf(world), image)
  }

  /** Removes a world that is not open any more, and what nobody goes back to now. */
  remove(world: string): void {
    rmSync(this.fileOf(world), { force: true })
    this.#removeLogs(world)
    this.#origins.delete(world)
    this.removeOrigins()
  }

  /** Keeps an image that a world may go back to: the digest that names it. */
  keepOrigin(image: Image): string {
    const digest = this.#digests.get(image) ?? hash('sha256', image, 'hex')
    this.#digests.set(image, digest)
    if (!existsSync(this.#originFile(digest))) writeWhole(this.#originFile(digest), image)
    return digest
  }

  /** What was kept under a digest; `read` makes an image of the file. */
  origin(digest: string, read: (file: string) => Image): Image {
    const image = read(this.#originFile(digest))
    this.#digests.set(image, digest)
    return image
  }

  /** From now on the world goes back to what was kept under the digest; null: to its seed. */
  goesBackTo(world: string, digest: string | null): void {
    const before = this.#origins.get(world)
    if (digest === null) this.#origins.delete(world)
    else this.#origins.set(world, digest)
    if (before !== undefined && before !== digest) this.removeOrigins()
  }

  /** Removes what no world goes back to. */
  removeOrigins(): void {
    const used = new Set(this.#origins.values())
    for (const digest of namesIn(join(this.#path, 'origins'), nameOf.digest)) {
      if (!used.has(digest)) rmSync(this.#originFile(digest), { force: true })
    }
  }

  writeSnapshot(name: string, image: Image): void {
    writeWhole(this.snapshotFile(name), image)
  }

  removeSnapshot(name: string): void {
    rmSync(this.snapshotFile(name), { force: true })
  }

  #folders = (): readonly string[] => [this.#path, join(this.#path, 'origins'), join(this.#path, 'snapshots')]

  #removeLogs(world: string): void {
    for (const end of besides) rmSync(`${this.fileOf(world)}${end}`, { force: true })
  }

  #originFile = (digest: string): string => join(this.#path, 'origins', `${digest}${extension}`)
  snapshotFile = (name: string): string => join(this.#path, 'snapshots', `${name}${extension}`)
}

const isOfWorld = (name: string): boolean => name.includes(extension)

/** Names as worlds and snapshots have them; other files are not the emulator’s. */
const namesIn = (folder: string, pattern = nameOf.world): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length))
    .filter((name) => pattern.test(name))
    .sort()

/** Whole or not at all, even if the machine stops. */
function writeWhole(path: string, bytes: Buffer): void {
  const file = `${path.slice(0, -extension.length)}${draft}`
  rmSync(file, { force: true })
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(file, path)
  syncFolder(dirname(path))
}

/** The name of a new file is on disk when its folder is. Windows opens no folders, and has no need to. */
function syncFolder(path: string): void {
  try {
    const descriptor = openSync(path, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {}
}
