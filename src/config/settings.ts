import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { fileFault, readIfThere } from '../files/file_fault.ts'
import { howToUpdate } from '../version.ts'
import { asText, foreign, type Said, say, type Text } from '../words/text.ts'
import { type Fault, faultIn, isRecord, lineOf, type Path, type Schema, syntaxErrorLine } from './settings_schema.ts'

// JSON files that payctl and people edit: profiles, aliases, payees, limits, logins. Unknown members at the top level
// are preserved. A broken file, or a file from a newer payctl, is refused and never changed.

type Members = Readonly<Record<string, unknown>>

/** Description of one kind of settings file. */
export interface SettingsFormat<Content extends object> {
  /** Names the file in messages: `config` for "The config file". */
  readonly noun: string
  readonly fileIn: (folder: string) => string
  /** Schema of the content, without the version. */
  readonly schema: Schema
  /** Singular of the collection's name: `profile` for a member of `profiles`. */
  readonly entry: string
  readonly empty: Content
  /** Finds a fault that the schema can't express. */
  readonly faultIn?: (content: Content) => Fault | undefined
  /** Steps from each version of the format to the next, from version 1 on. A new optional member needs no step. */
  readonly migrations?: readonly ((content: Members) => Members)[]
  /** True: payments need the file, so a refusal to read it says that nothing was sent. */
  readonly isForPayments?: boolean
  /** Remedy for a broken file; default: fix it, or set it aside. */
  readonly remedy?: (file: string) => Said
}

/**
 * Reads the content of the file; `empty` if the file does not exist. Throws UsageError, for example if other users can
 * change the folder.
 */
export function readSettings<Content extends object>(settings: SettingsFormat<Content>, folder: string): Content {
  const file = settings.fileIn(folder)
  refuseSharedFolder(dirname(file))
  let text: string | undefined
  try {
    text = readIfThere(file)?.replace(/^\uFEFF/, '') // Windows editors write this byte order mark
  } catch (error) {
    const what = say`can't be read: ${fileFault(error)}`
    throw refusal(settings, file, what, 'Let this user read the file, or set PAYCTL_CONFIG_DIR to another directory')
  }
  return text === undefined ? settings.empty : parse(settings, file, text)
}

const never = new AbortController().signal

/**
 * Replaces the content with the result of `edit`, while no other process can change the file; writes nothing if `edit`
 * returns its argument. Throws the errors of `readSettings`. An error leaves the file unchanged.
 */
export async function changeSettings<Content extends object>(
  settings: SettingsFormat<Content>,
  folder: string,
  edit: (content: Content) => Content | Promise<Content>,
  signal: AbortSignal = never,
): Promise<void> {
  // Only a write loads the package `conf` and the lock.
  const { replaceSettings } = await import('./replace_settings.ts')
  await replaceSettings(settings.fileIn(folder), settings, signal, async () => {
    const content = readSettings(settings, folder)
    const edited = await edit(content)
    if (edited === content) return undefined
    const { properties = {} } = settings.schema
    const unknown = Object.entries(content).filter(([name]) => !Object.hasOwn(properties, name))
    return { version: versionOf(settings), ...Object.fromEntries(unknown), ...edited }
  })
}

const versionOf = ({ migrations = [] }: Pick<SettingsFormat<never>, 'migrations'>): number => 1 + migrations.length

function parse<Content extends object>(settings: SettingsFormat<Content>, file: string, text: string): Content {
  const { schema, empty, entry, migrations = [] } = settings
  const broken = (line: number, reason: string): UsageError => {
    const remedy =
      settings.remedy?.(file) ??
      say`Fix the file, or set it aside with: ${`mv ${quoted(file)} ${quoted(`${file}.broken`)}`}`
    return refusal(settings, file, say`is broken: line ${line}: ${foreign(reason)}`, remedy)
  }
  const parsed = parseJson(text)
  if (parsed === undefined) throw broken(syntaxErrorLine(text), 'it is not JSON')
  if (!isRecord(parsed)) throw broken(1, 'it is not a JSON object')
  const { version = 1, ...members } = parsed
  if (typeof version !== 'number' || version < 1) {
    throw broken(lineOf(text, ['version']), 'version must be a number, at least 1')
  }
  if (version > versionOf(settings)) {
    const what = say`was written by a newer payctl`
    throw refusal(settings, file, what, say`${asText(howToUpdate)}. Or set PAYCTL_CONFIG_DIR to another directory`)
  }
  const migrated = migrations.slice(version - 1).reduce((older: Members, migrate) => migrate(older), members)
  const content = { ...empty, ...migrated } as Content
  const fault = faultIn(migrated, schema, (path) => nameOf(path, entry)) ?? settings.faultIn?.(content)
  if (fault) throw broken(lineOf(text, fault.path), fault.reason)
  return content
}

/** Names a value in a message: `CRC of per_day of profile prod`. */
function nameOf([collection, key, ...members]: Path, entry: string): string {
  if (key === undefined) return String(collection)
  const words = members.map((member) => (typeof member === 'number' ? `item ${member + 1}` : member))
  return [...words.reverse(), `${entry} ${typeof key === 'number' ? key + 1 : key}`].join(' of ')
}

function refusal(
  { noun, isForPayments }: Pick<SettingsFormat<never>, 'noun' | 'isForPayments'>,
  file: string,
  what: Text,
  remedy: Said,
): UsageError {
  const message = say`The ${noun} file ${file} ${what}.`
  return new UsageError(isForPayments ? say`${message} Nothing was sent.` : message, remedy)
}

/** Throws UsageError if other users can replace the files in the folder, whatever the modes of the files. */
function refuseSharedFolder(folder: string): void {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
  if (platform === 'win32' || (mode & 0o022) === 0) return
  throw new UsageError(
    say`Other users of this machine can change the settings folder ${folder} (mode ${(mode & 0o777).toString(8)}). They could redirect tokens and payments, so payctl does not use it.`,
    say`Check the files in this folder, then allow only this user to change it: chmod go-w ${quoted(folder)}`,
  )
}

/** Parses JSON; undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
