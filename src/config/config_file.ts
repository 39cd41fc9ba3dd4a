import { join } from 'node:path'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { isRecord, parseJson, readSettings } from '../files/read_json.ts'
import { howToUpdate } from '../version.ts'
import { type Config, type Profile, profileKeys } from './profile.ts'

/** Version of the format. Additions keep it, because payctl preserves keys that it does not know. */
export const formatVersion = 1

export const configFile = (configDir: string): string => join(configDir, 'config.json')

/** Reads the file; an empty configuration if there is none. */
export function readConfig(configDir: string): Config {
  const file = configFile(configDir)
  const text = readSettings(file, (reason) => readError(file, reason))
  return text === undefined ? { profiles: {} } : parseConfig(text, file)
}

function parseConfig(text: string, file: string): Config {
  const content = parseJson(text)
  if (!isRecord(content)) throw broken(file, 'it is not a JSON object')
  const { version = formatVersion, current, profiles = {} } = content
  if (typeof version !== 'number') throw broken(file, 'its version must be a number')
  if (version > formatVersion) throw newer(file)
  if (current !== undefined && typeof current !== 'string') throw broken(file, 'current is not a string')
  if (!isRecord(profiles)) throw broken(file, 'profiles is not an object')
  for (const [name, profile] of Object.entries(profiles)) requireProfile(name, profile, file)
  return { ...(current !== undefined && { current }), profiles: profiles as Record<string, Profile> }
}

function requireProfile(name: string, profile: unknown, file: string): void {
  if (!isRecord(profile)) throw broken(file, `profile ${name} is not an object`)
  const wrong = profileKeys.find((key) => profile[key] !== undefined && typeof profile[key] !== 'string')
  if (wrong) throw broken(file, `${wrong} of profile ${name} is not a string`)
}

const readError = (file: string, reason: string): UsageError =>
  new UsageError(
    `The config file ${file} can't be read: ${reason}.`,
    'Let this user read it, or set PAYCTL_CONFIG_DIR to another directory',
  )

const broken = (file: string, what: string): UsageError =>
  new UsageError(
    `The config file ${file} is broken: ${what}.`,
    `Fix it, or set it aside with: mv ${quoted(file)} ${quoted(`${file}.broken`)}`,
  )

const newer = (file: string): UsageError =>
  new UsageError(
    `The config file ${file} was written by a newer payctl.`,
    `${howToUpdate}. Or set PAYCTL_CONFIG_DIR to another directory`,
  )
