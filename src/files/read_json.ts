import { readFileSync } from 'node:fs'
import { fileFault } from './file_fault.ts'

// JSON files that may be missing, and that people edit.

/**
 * Undefined if the file is missing. Throws the result of `refuse` for any other reason, or the file system's error
 * without `refuse`.
 */
export function readIfThere(file: string, refuse?: (reason: string) => Error): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw refuse?.(fileFault(error)) ?? error
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
