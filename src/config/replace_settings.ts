import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import Conf from 'conf'
import type { UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import { removeDrafts, replaceFile } from '../files/private_file.ts'
import { withLock } from '../lock/lock.ts'
import type { Schema } from './settings_schema.ts'

/** A settings file to replace. */
interface Replacement {
  readonly file: string
  readonly schema: Schema
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal
  /** Error for a file that can't be written. */
  readonly refuse: (reason: string) => UsageError
}

/**
 * Replaces a settings file with the result of `content`, which runs under the file's lock; undefined: leaves the file.
 * conf checks the content and writes a draft; only a whole draft takes the place of the file. On the file itself conf
 * would write in place inside a snap, and lose the settings if the machine stopped or the disk was full.
 */
export async function replaceSettings(
  { file, schema, signal, refuse }: Replacement,
  content: () => Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  await withLock(file.replace(/\.json$/, '.lock'), signal, () => {
    const store = content()
    if (store === undefined) return
    const target = behindLinks(file)
    removeDrafts(dirname(target))
    try {
      replaceFile(target, (draft) => writeDraft(draft, store, schema))
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? refuse(fileFault(error)) : error
    }
  })
}

function writeDraft(file: string, store: Readonly<Record<string, unknown>>, { properties }: Schema): void {
  const conf = new Conf({
    cwd: dirname(file),
    configName: basename(file),
    fileExtension: '',
    configFileMode: 0o600,
    // A profile may be called `a.b` or `__proto__`.
    accessPropertiesByDotNotation: false,
    schema: { ...properties },
  })
  conf.store = store
}

function behindLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
