import { readFileSync } from 'node:fs'
import { fileFault } from './file_fault.ts'

// JSON files that may be missing, and that people edit.

/** Undefined where there is no file. Throws what `refuse` makes of any other reason; without it what the file system says. */
export function readIfThere(file: string, refuse?: (reason: string) => Error): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw refuse?.(fileFault(error)) ?? error
  }
}

/** Undefined for anything but JSON. Removes the byte order mark that editors on Windows write. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** A JSON object, and no array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
