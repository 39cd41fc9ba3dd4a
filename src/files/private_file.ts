import {
  closeSync,
  constants,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pid } from 'node:process'
import { isAlive } from '../run/processes.ts'

// Files that only their owner can read, even in a folder that others can write to.

/**
 * Replaces the file's content atomically, even if the machine stops. `write` creates the draft at the path that it
 * receives, in a new private folder. If `file` is a link, it is replaced, not followed. Throws the file system's error.
 */
export function replaceFile(file: string, write: (draft: string) => void): void {
  const folder = mkdtempSync(`${file}.tmp-${pid}-`)
  try {
    const draft = join(folder, basename(file))
    write(draft)
    syncToDisk(draft, 'r+')
    renameSync(draft, file)
    syncFolder(dirname(file))
  } finally {
    removeIfPossible(folder)
  }
}

/**
 * Replaces the file's content, or writes the content to a stream, which is never replaced. Throws the file system's
 * error: ENXIO if no program reads the pipe within two seconds.
 */
export function replaceContent(file: string, content: Uint8Array | string): void {
  if (!isStream(file)) {
    replaceFile(file, (draft) => writeFileSync(draft, content, { mode: 0o600 }))
    return
  }
  const own = ownDescriptor(file)
  const descriptor = own ?? openStream(file)
  try {
    writeInFull(descriptor, content)
  } finally {
    if (own === undefined) closeSync(descriptor)
  }
}

/** Writes everything to an open file, even to a pipe that does not block and whose reader is slow. */
function writeInFull(descriptor: number, content: Uint8Array | string): void {
  let rest = Buffer.from(content)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      wait(10)
    }
  }
}

function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Opens a pipe or a device for writing. Throws ENXIO if no program reads the pipe within two seconds. */
export const openStream = (file: string): number => (statSync(file).isFIFO() ? openPipe(file) : openSync(file, 'a'))

/**
 * Opens a pipe for writing once a program reads it, because the reader may start together with payctl, and so that
 * writes do not block: opening a pipe that nobody reads would stop the process until somebody does. Throws ENXIO if no
 * program reads the pipe within two seconds.
 */
export function openPipe(file: string, flags = 0): number {
  for (let tries = 40; ; tries -= 1) {
    try {
      return openSync(file, constants.O_WRONLY | constants.O_NONBLOCK | flags)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO' || tries === 0) throw error
      wait(50)
    }
  }
}

/** Descriptor of a file that this process has open, by its name: such a file may be a socket, which can't be opened. */
export function ownDescriptor(file: string): number | undefined {
  const [, name = '', number] = /^\/(?:dev|proc\/self)\/(?:(stdout|stderr)|fd\/(\d+))$/.exec(resolve(file)) ?? []
  return number === undefined ? { stdout: 1, stderr: 2 }[name] : Number(number)
}

/** Names of files that a process has open. */
const openFile = /^\/(dev\/(fd\/\d+|stdout|stderr)|proc\/(self|\d+)\/fd\/\d+)$/

/** True for a pipe, a device, and a name of an open file such as `/dev/stdout`. Throws the file system's error. */
export function isStream(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  if (!there || there.isDirectory()) return false
  return !there.isFile() || [resolve(path), linkTarget(path)].some((name) => openFile.test(name))
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // not a link
  }
}

function syncToDisk(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Syncs the rename to disk: without this, a crash could bring the old content back. Windows can't open folders, and
 * some file systems can't sync them.
 */
function syncFolder(path: string): void {
  try {
    syncToDisk(path, 'r')
  } catch {}
}

/** Name of a draft's folder; the name contains the id of the process that writes the draft. */
const draftName = /\.tmp-(\d+)-\w{6}$/

export const isDraft = (name: string): boolean => draftName.test(name)

/** Removes the drafts of killed processes from a folder that only payctl uses. */
export function removeDrafts(folder: string): void {
  for (const name of namesIn(folder)) {
    const writer = draftName.exec(name)?.[1]
    if (writer !== undefined && !isAlive(Number(writer))) removeIfPossible(join(folder, name))
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the folder is missing or belongs to another user
  }
}

function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {} // a draft that can't be removed does no harm
}
