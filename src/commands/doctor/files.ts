import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { geteuid, platform } from 'node:process'

/** Permissions of a file or folder, like 0o600; undefined where it is missing, and where modes mean nothing. */
export function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && platform !== 'win32' ? found.mode & 0o777 : undefined
}

/** Whether its mode is this user's to change. */
export const isOwn = (path: string): boolean => [0, statSync(path).uid].includes(geteuid?.() ?? 0)

/** As chmod takes it: `640`. */
export const octal = (mode: number): string => mode.toString(8).padStart(3, '0')

/** Why this user can't put files in a folder, or undefined when they can. One that is missing is made in one that exists. */
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

/** Bytes that are free where the path is, or will be. */
export function freeSpace(path: string): number {
  const { bavail, bsize } = statfsSync(nearestExisting(path))
  return bavail * bsize
}

const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
