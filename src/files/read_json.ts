import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { fileFault } from './file_fault.ts'

// JSON files that may be missing, and that people edit.

/**
 * Reads a file of the settings folder; undefined if it is missing. Throws UsageError if other users can change the
 * folder, and the result of `refuse` if the file can't be read.
 */
export function readSettings(file: string, refuse: (reason: string) => Error): string | undefined {
  try {
    refuseSharedFolder(dirname(file))
    return readIfThere(file)
  } catch (error) {
    throw error instanceof UsageError ? error : refuse(fileFault(error))
  }
}

/** Throws UsageError if other users can replace the files in the folder, whatever the modes of the files. */
export function refuseSharedFolder(folder: string): void {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
  if (platform === 'win32' || (mode & 0o022) === 0) return
  throw new UsageError(
    `Other users of this machine can change the settings folder ${folder} (mode ${(mode & 0o777).toString(8)}). They could redirect tokens and payments, so payctl does not use it.`,
    `Check the files in it, then allow only this user to change it: chmod go-w ${quoted(folder)}`,
  )
}

/** Undefined if the file is missing. Throws any other error of the file system. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Undefined if the text is not JSON. Strips the byte order mark that Windows editors write. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** True for a JSON object, not an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
