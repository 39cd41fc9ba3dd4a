import { constants } from 'node:fs'
import { access, type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { geteuid, platform } from 'node:process'

// Files that stay open for writing and that only their owner can read. Separate from private_file.ts, because
// node:fs/promises takes 2 ms to load.

/**
 * Replaces an existing file with a new file, which no other process has open. Opens an existing pipe or device and
 * leaves it unchanged; refuses a link.
 */
export async function openEmpty(path: string): Promise<FileHandle> {
  const there = await lstat(path).catch(undefinedIfMissing)
  if (there?.isSymbolicLink()) throw isLink(path)
  if (there && !there.isFile()) return openOwn(path, constants.O_WRONLY)
  if (there) await access(path, constants.W_OK)
  if (there) await rm(path)
  return open(path, 'wx', 0o600)
}

/** Opens a file to read and append. Creates a missing file, makes an existing file private, and refuses a link. */
export async function openToAppend(path: string): Promise<FileHandle> {
  const file = await openOwn(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
  if ((await file.stat()).isFile()) await file.chmod(0o600)
  return file
}

/** Windows has neither this flag nor numeric user ids. */
const noFollow = platform === 'win32' ? 0 : constants.O_NOFOLLOW

/**
 * Opens a file that belongs to this user or to root, and refuses any other file: the owner can read a file whatever its
 * mode.
 */
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
