import { configFile } from '../files/directories.ts'
import type { Environment, Format, Globals } from '../run/invocation.ts'
import type { SettingsFormat } from './settings.ts'
import type { Schema } from './settings_schema.ts'

/** The settings of a profile, as in the file. No secrets. */
export interface Profile {
  readonly base_url?: string
  readonly auth_url?: string
  readonly client_id?: string
  readonly fx_provider?: string
  /** The service's id of the default account to pay from. */
  readonly from?: string
  /** Time for which the service remembers idempotency keys, such as `24h`. */
  readonly key_life?: string
  /** Output format. Any string is possible, because people edit the file. */
  readonly output?: Format
  /** Language of notes, questions and errors. */
  readonly lang?: string
}

export interface Config {
  /** The profile to use if neither flag nor environment names a profile. */
  readonly current?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

export const profileKeys = [
  'base_url',
  'auth_url',
  'client_id',
  'fx_provider',
  'from',
  'key_life',
  'output',
  'lang',
] as const

export type ProfileKey = (typeof profileKeys)[number]

/** Built-in profile of the running emulator. */
export const emulatorProfile = 'emulator'

/** Profile that is used if nothing names another profile; empty at first. */
export const defaultProfile = 'default'

export function findProfile({ profiles }: Config, name: string): Profile | undefined {
  if (Object.hasOwn(profiles, name)) return profiles[name]
  return name === defaultProfile ? {} : undefined
}

/**
 * The profile from the flag, environment or `payctl profiles use`. Calls `config` only if neither flag nor environment
 * decides.
 */
export function profileInUse({ profile, emulator }: Globals, env: Environment, config: () => Config): string {
  if (emulator) return emulatorProfile
  return profile ?? env.PAYCTL_PROFILE ?? currentProfile(config())
}

export const currentProfile = ({ current }: Config): string => current ?? defaultProfile

/** An output setting of the profile in use; undefined for the emulator's profile, which has no output settings. */
export function savedSetting(
  key: 'output' | 'lang',
  ...[globals, env, config]: Parameters<typeof profileInUse>
): string | undefined {
  const name = profileInUse(globals, env, config)
  return name === emulatorProfile ? undefined : findProfile(config(), name)?.[key]
}

/**
 * The command that logs in with a profile, at the service that this run's flags name. Consists of the arguments after
 * `payctl`.
 */
export function loginCommand(profile: string, { profile: flag, baseUrl, authUrl }: Globals = {}): readonly string[] {
  const words = ['login']
  if (profile === emulatorProfile) words.push('--emulator')
  else if (profile !== defaultProfile || flag !== undefined) words.push('--profile', profile)
  if (baseUrl !== undefined) words.push('--base-url', baseUrl)
  if (authUrl !== undefined) words.push('--auth-url', authUrl)
  return words
}

/** Format of the file of profiles, which contains no secrets. */
export const configSettings: SettingsFormat<Config> = {
  noun: 'config',
  fileIn: configFile,
  entry: 'profile',
  empty: { profiles: {} },
  schema: {
    type: 'object',
    properties: {
      current: { type: 'string' },
      profiles: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: Object.fromEntries(profileKeys.map((key): [string, Schema] => [key, { type: 'string' }])),
        },
      },
    },
  },
}
