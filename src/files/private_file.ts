import {
  closeSync,
  constants,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { access, type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { geteuid, pid, platform } from 'node:process'
import { isAlive } from '../run/processes.ts'

// Files that only their owner can read, even in a folder where others can put files and links.

/**
 * Gives a file new content, whole or not at all, even if the machine stops. `write` makes a draft under the name that it
 * is given, in a new folder that nobody else can enter. A link called `file` is replaced, not followed. Throws what the
 * file system says.
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

export const replaceText = (file: string, text: string): void =>
  replaceFile(file, (draft) => writeFileSync(draft, text, { mode: 0o600 }))

function syncToDisk(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Until then the old content can come back. Windows opens no folders, and some file systems sync none. */
function syncFolder(path: string): void {
  try {
    syncToDisk(path, 'r')
  } catch {}
}

/** Removes the drafts of killed processes from a folder that only payctl uses. */
export function removeDrafts(folder: string): void {
  for (const name of namesIn(folder)) {
    const writer = /\.tmp-(\d+)-\w{6}$/.exec(name)?.[1]
    if (writer !== undefined && !isAlive(Number(writer))) removeIfPossible(join(folder, name))
  }
}

/** A new file, in the place of one that is there: nobody has it open. A pipe or a device is opened as it is, a link refused. */
export async function openEmpty(path: string): Promise<FileHandle> {
  const there = await lstat(path).catch(undefinedIfMissing)
  if (there?.isSymbolicLink()) throw isLink(path)
  if (there && !there.isFile()) return openOwn(path, constants.O_WRONLY)
  if (there) await access(path, constants.W_OK)
  if (there) await rm(path)
  return open(path, 'wx', 0o600)
}

/** To be read and added to. Made if it is not there, closed to others if it is; a link is refused. */
export async function openToAppend(path: string): Promise<FileHandle> {
  const file = await openOwn(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
  if ((await file.stat()).isFile()) await file.chmod(0o600)
  return file
}

/** Windows knows neither this flag nor ids of users. */
const noFollow = platform === 'win32' ? 0 : constants.O_NOFOLLOW

/** The owner of a file can read it, whatever its mode. Devices belong to root. */
async function openOwn(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | noFollow, 0o600).catch((error) => {
    throw error.code === 'ELOOP' ? isLink(path) : error
  })
  const { uid } = await file.stat()
  if (uid === 0 || !geteuid || uid === geteuid()) return file
  await file.close()
  throw new Error(`${path} belongs to another user`)
}

const isLink = (path: string): Error => new Error(`${path} is a link`)

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not there yet, or not ours
  }
}

function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {} // nothing depends on it
}
