import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeDrafts, replaceText } from './private_file.ts'
import { parseJson, readIfThere } from './read_json.ts'

type Content = Record<string, unknown>

/**
 * Replaces the content of a JSON file, at first empty, by what `change` returns. The file is replaced whole and readable
 * by its owner only. The caller holds the file's lock. Throws what `refuse` makes of the reason that the file system gives.
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
