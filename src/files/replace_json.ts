import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeDrafts, replaceText } from './private_file.ts'
import { parseJson, readIfThere } from './read_json.ts'

type Content = Record<string, unknown>

/**
 * Replaces the content of a JSON file, initially empty, with the result of `change`. The new file is written atomically
 * and readable only by its owner. The caller holds the file's lock. Throws the result of `refuse` for an error of the
 * file system.
 */
export function replaceJson(
  file: string,
  change: (content: Content) => Content,
  refuse: (reason: string) => Error,
): void {
  try {
    const target = behindLinks(file)
    const text = readIfThere(target)
    const content = change(text === undefined ? {} : ((parseJson(text) as Content | undefined) ?? {}))
    removeDrafts(dirname(target))
    replaceText(target, JSON.stringify(content, null, '\t'))
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? refuse(error.message) : error
  }
}

function behindLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
