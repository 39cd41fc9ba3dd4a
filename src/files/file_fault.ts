import { readFileSync } from 'node:fs'
import { reasonOf } from '../errors/cli_error.ts'
import { foreign, type Text } from '../words/text.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENXIO: 'no program reads it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would exceed the size limit',
}

/** The file system's error as a clause for people; the reason of any other error. */
export function fileFault(error: unknown): Text {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // `makeFolder` has made the folders above: the file system itself refuses the folder.
  if (code === 'ENOENT' && syscall === 'mkdir') return foreign('its file system takes no new folders')
  const reason = reasons[code]
  return reason === undefined ? reasonOf(error) : foreign(reason)
}

/** Reads a file; undefined if the file is missing. Throws any other error from the file system. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
