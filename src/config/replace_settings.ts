import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import Conf from 'conf'
import { UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import { removeDrafts, replaceFile } from '../files/private_file.ts'
import { withLock } from '../lock/lock.ts'
import { say } from '../words/text.ts'
import type { Schema } from './settings_schema.ts'

/**
 * Replaces a settings file with the result of `content`, which runs under the file's lock. If the result is undefined,
 * the file stays unchanged. The package `conf` checks the content and writes a draft; only a whole draft takes the
 * place of the file. The package does not write to the file itself: inside a snap it would write in place, and lose the
 * settings if the machine stopped or the disk was full.
 */
export async function replaceSettings(
  file: string,
  { noun, schema }: { readonly noun: string; readonly schema: Schema },
  signal: AbortSignal,
  content: () => Promise<Readonly<Record<string, unknown>> | undefined>,
): Promise<void> {
  await withLock(file.replace(/\.json$/, '.lock'), signal, async () => {
    const store = await content()
    if (store === undefined) return
    const target = behindLinks(file)
    removeDrafts(dirname(target))
    try {
      replaceFile(target, (draft) => writeDraft(draft, store, schema))
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      throw new UsageError(
        say`The ${noun} file ${file} can't be written: ${fileFault(error)}. It was left unchanged.`,
        say`Make room, let this user write in ${dirname(file)}, or set PAYCTL_CONFIG_DIR to another directory`,
      )
    }
  })
}

function writeDraft(file: string, store: Readonly<Record<string, unknown>>, { properties }: Schema): void {
  const conf = new Conf({
    cwd: dirname(file),
    configName: basename(file),
    fileExtension: '',
    configFileMode: 0o600,
    // Names are not paths: a profile can be called `a.b` or `__proto__`.
    accessPropertiesByDotNotation: false,
    schema: { ...properties },
    // Skips the check of the schema itself, which takes 30 ms.
    ajvOptions: { meta: false, validateSchema: false },
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
