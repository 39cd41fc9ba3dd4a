import { basename, dirname } from 'node:path'
import Conf from 'conf'
import { parseJson } from './config_file.ts'

/**
 * Gives a JSON file what `change` makes of its content, which is empty at first: whole or not at all, and its owner
 * alone can read it. The caller holds the file's lock. Throws what the file system says.
 */
export function replaceJson(file: string, change: (content: Record<string, unknown>) => Record<string, unknown>): void {
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(file),
    configName: basename(file, '.json'),
    configFileMode: 0o600,
    // Names of profiles may hold dots.
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parseJson(text) as Record<string, unknown>,
  })
  conf.store = change(conf.store)
}
