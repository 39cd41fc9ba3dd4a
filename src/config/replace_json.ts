import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeDrafts, replaceText } from '../files/private_file.ts'
import { parseJson } from './config_file.ts'

type Content = Record<string, unknown>

/**
 * Gives a JSON file what `change` makes of its content, which is empty at first: whole or not at all, and its owner
 * alone can read it. The caller holds the file's lock. Throws what the file system says.
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
