import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeDrafts, replaceText } from './private_file.ts'
import { parseJson } from './read_json.ts'

type Content = Record<string, unknown>

/**
 * Replaces the content of a JSON file, at first empty, by what `change` returns. The file is replaced whole and readable
 * by its owner only. The caller holds the file's lock. Throws errors of the file system.
 */
export function replaceJson(file: string, change: (content: Content) => Content): void {
  const target = behindLinks(file)
  const content = change(read(target) ?? {})
  removeDrafts(dirname(target))
  replaceText(target, JSON.stringify(content, null, '\t'))
}

const read = (file: string): Content | undefined => {
  try {
    return parseJson(readFileSync(file, 'utf8')) as Content | undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function behindLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
