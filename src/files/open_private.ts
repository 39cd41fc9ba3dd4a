import { closeSync, constants, fstatSync, write } from 'node:fs'
import { access, type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { geteuid, platform } from 'node:process'
import { promisify } from 'node:util'
import { pause } from '../real_time.ts'
import { openPipe, openStream, ownDescriptor } from './private_file.ts'

// Files that stay open for writing and that only their owner can read. Separate from private_file.ts, because
// node:fs/promises takes 2 ms to load.

/**
 * Replaces an existing file with a new file, which no other process has open. Opens an existing pipe or device and
 * leaves it unchanged; refuses a link. Throws ENXIO if no program reads the pipe within two seconds.
 */
export async function openEmpty(path: string): Promise<Appendable> {
  const there = await lstat(path).catch(undefinedIfMissing)
  if (there?.isSymbolicLink()) throw isLink(path)
  if (there?.isFIFO()) return openOwnPipe(path)
  if (there && !there.isFile()) return openOwn(path, constants.O_WRONLY)
  if (there) await access(path, constants.W_OK)
  if (there) await rm(path)
  return open(path, 'wx', 0o600)
}

/** A file or stream that takes the data of each call in full. */
export type Appendable = Pick<FileHandle, 'appendFile' | 'sync' | 'close'>

/**
 * Opens a pipe, a device, or a name of an open file such as `/dev/stdout`. Throws ENXIO if no program reads the pipe
 * within two seconds.
 */
export function openToWrite(path: string): Appendable {
  const own = ownDescriptor(path)
  return streamOf(own ?? openStream(path), { isOwn: own !== undefined })
}

/** `isOwn`: the process had the file open before, and keeps it open. */
const streamOf = (descriptor: number, { isOwn }: { readonly isOwn: boolean }): Appendable => ({
  async appendFile(data) {
    let rest = Buffer.from(data as Uint8Array)
    while (rest.length > 0) {
      const count = await writeSome(descriptor, rest).catch(zeroIfFull)
      rest = rest.subarray(count)
      if (count === 0) await pause(10)
    }
  },
  async sync() {}, // pipes and devices can't be synced
  async close() {
    if (!isOwn) closeSync(descriptor)
  },
})

const writeSome = promisify(
  (descriptor: number, bytes: Uint8Array, done: (error: Error | null, count: number) => void) =>
    write(descriptor, bytes, done),
)

/** A pipe that does not block takes no bytes while its reader is busy. */
function zeroIfFull(error: NodeJS.ErrnoException): number {
  if (error.code !== 'EAGAIN') throw error
  return 0
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
  if (isMine(await file.stat())) return file
  await file.close()
  throw ofAnother(path)
}

function openOwnPipe(path: string): Appendable {
  const descriptor = openPipe(path, noFollow)
  if (isMine(fstatSync(descriptor))) return streamOf(descriptor, { isOwn: false })
  closeSync(descriptor)
  throw ofAnother(path)
}

const isMine = ({ uid }: { readonly uid: number }): boolean => uid === 0 || !geteuid || uid === geteuid()

const ofAnother = (path: string): Error => new Error(`${path} belongs to another user`)

const isLink = (path: string): Error => new Error(`${path} is a link`)

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
