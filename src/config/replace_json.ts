import { closeSync, fsyncSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Conf from 'conf'
import { removeDrafts, replaceFile } from '../files/private_file.ts'
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
  replaceFile(target, (draft) => writeDraft(draft, content))
}

/**
 * conf alone does not do for a file that must not be lost: a disk that takes half of it makes no error there, and inside
 * a snap it writes over the old content. So it writes a draft, which takes the file's place once it is known to be whole.
 */
function writeDraft(draft: string, content: Content): void {
  const conf = new Conf<Content>({
    cwd: dirname(draft),
    configName: basename(draft),
    fileExtension: '',
    configFileMode: 0o600,
    // Names of profiles may hold dots.
    accessPropertiesByDotNotation: false,
  })
  conf.store = content
  if (!isDeepStrictEqual(read(draft), JSON.parse(JSON.stringify(content)))) throw cutShort()
  const written = openSync(draft, 'r+')
  fsyncSync(written)
  closeSync(written)
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

const cutShort = (): Error =>
  Object.assign(new Error('ENOSPC: the disk took only a part of it'), { code: 'ENOSPC', syscall: 'write' })
