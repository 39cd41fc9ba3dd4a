import { type Config, currentProfile, emulatorProfile, findProfile, type Profile } from '../../config/profile.ts'
import { columnsOf, field } from '../../output/columns.ts'

/** A profile as shown; values that are not set are null. */
export interface Entry {
  readonly name: string
  /** Used if neither flag nor environment names another. */
  readonly current: boolean
  readonly built_in: boolean
  readonly base_url: string | null
  readonly auth_url: string | null
  readonly client_id: string | null
  readonly fx_provider: string | null
  readonly from: string | null
  readonly key_life: string | null
  readonly output: string | null
  /** Marked as one where real money moves. */
  readonly live: boolean
}

export function entryOf(name: string, config: Config, live = false): Entry {
  const isEmulator = name === emulatorProfile
  const { from, ...place }: Profile = findProfile(config, name) ?? {}
  const profile = isEmulator ? undefined : place
  return {
    name,
    current: name === currentProfile(config),
    built_in: isEmulator,
    base_url: profile?.base_url ?? null,
    auth_url: profile?.auth_url ?? null,
    client_id: profile?.client_id ?? null,
    fx_provider: profile?.fx_provider ?? null,
    from: from ?? null,
    key_life: profile?.key_life ?? null,
    output: profile?.output ?? null,
    live,
  }
}

/** All profiles in order of creation, the built-in one last. */
export function allEntries(config: Config, isLive: (name: string) => boolean): readonly Entry[] {
  const names = new Set([...Object.keys(config.profiles), currentProfile(config)])
  names.delete(emulatorProfile)
  return [...names, emulatorProfile].map((name) => entryOf(name, config, isLive(name)))
}

export const columns = columnsOf<Entry>(
  { ...field('name'), uncut: true },
  { ...field('current'), text: ({ current }) => (current ? '*' : '') },
  {
    ...field('base_url'),
    text: ({ base_url, built_in }) => (built_in ? 'the emulator that runs here' : (base_url ?? '')),
  },
  '-auth_url',
  { ...field('live'), text: ({ live }) => (live ? 'LIVE' : '') },
  'client_id',
  '-fx_provider',
  '-from',
  '-key_life',
  '-output',
  '-built_in',
)
