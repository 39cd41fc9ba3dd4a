import { join } from 'node:path'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { isRecord, parseJson, readSettings } from '../files/read_json.ts'
import { howToUpdate } from '../version.ts'

/** Command lines by alias: `luz` for `payments send --to proveedor-luz`. `$1` is the first word after the alias. */
export type Aliases = Readonly<Record<string, readonly string[]>>

const formatVersion = 1

export const aliasFile = (configDir: string): string => join(configDir, 'aliases.json')

/** Reads the file; empty if there is none. Throws UsageError if the file can't be read. */
export function readAliases(configDir: string): Aliases {
  const file = aliasFile(configDir)
  const text = readSettings(
    file,
    (reason) => new UsageError(`The aliases in ${file} can't be read: ${reason}.`, 'Let this user read the file'),
  )
  if (text === undefined) return {}
  const content = parseJson(text)
  const { version, aliases } = isRecord(content) ? content : {}
  if (typeof version === 'number' && version > formatVersion) {
    throw new UsageError(`The aliases in ${file} were written by a newer payctl.`, howToUpdate)
  }
  if (version === formatVersion && isAliases(aliases)) return aliases
  throw new UsageError(
    `The file of aliases ${file} is broken: it is not {"version":1,"aliases":{"name":["word", ...]}}.`,
    `Fix it, or set it aside with: mv ${quoted(file)} ${quoted(`${file}.broken`)}`,
  )
}

const isAliases = (value: unknown): value is Aliases =>
  isRecord(value) &&
  Object.values(value).every(
    (words) => Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string'),
  )

/** Replaces the aliases with the result of `change`, under the file's lock. */
export async function changeAliases(
  configDir: string,
  change: (aliases: Aliases) => Aliases,
  signal: AbortSignal,
): Promise<void> {
  const [{ withLock }, { replaceJson }] = await Promise.all([
    import('../lock/lock.ts'),
    import('../files/replace_json.ts'),
  ])
  await withLock(join(configDir, 'aliases.lock'), signal, () => {
    const aliases = change(readAliases(configDir))
    const file = aliasFile(configDir)
    const content = () => ({ version: formatVersion, aliases })
    replaceJson(file, content, (reason) => writeError(file, reason))
  })
}

const writeError = (file: string, reason: string): UsageError =>
  new UsageError(
    `The aliases can't be written to ${file}: ${reason}. They are as they were.`,
    'Make room, let this user write there, or set PAYCTL_CONFIG_DIR to another directory',
  )
