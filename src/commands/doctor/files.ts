import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { geteuid, platform } from 'node:process'

/** Mode of a file or folder, like 0o600; undefined if it is missing or the system has no modes. */
export function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && platform !== 'win32' ? found.mode & 0o777 : undefined
}

/** True if this user can change the mode of the file. */
export const isOwn = (path: string): boolean => [0, statSync(path).uid].includes(geteuid?.() ?? 0)

/** As chmod takes it: `640`. */
export const octal = (mode: number): string => mode.toString(8).padStart(3, '0')

/** Why this user can't write to a folder, or undefined. For a missing folder the nearest existing one decides. */
export function closedFolder(path: string): string | undefined {
  const existing = nearestExisting(path)
  return statSync(existing).isDirectory() ? unwritable(existing) : `${existing} is not a folder`
}

export function unwritable(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch {
    return `this user can't write to ${path}`
  }
}

/** Free bytes on the disk of the path, which need not exist. */
export function freeSpace(path: string): number {
  const { bavail, bsize } = statfsSync(nearestExisting(path))
  return bavail * bsize
}

const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
