import { type Context, command } from '../../cli/command.ts'
import { array, object } from '../../cli/prints.ts'
import {
  type Config,
  configSettings,
  currentProfile,
  emulatorProfile,
  findProfile,
  type Profile,
} from '../../config/profile.ts'
import { changeSettings } from '../../config/settings.ts'
import { columnsOf, detail, field } from '../../output/columns.ts'
import { foreign, say } from '../../words/text.ts'

/** A profile for output; values that are not set are null. */
export interface Entry {
  readonly name: string
  /** True for the profile that is used if neither flag nor environment names another profile. */
  readonly current: boolean
  readonly built_in: boolean
  readonly base_url: string | null
  readonly auth_url: string | null
  readonly client_id: string | null
  readonly fx_provider: string | null
  readonly from: string | null
  readonly key_life: string | null
  readonly output: string | null
  readonly lang: string | null
  /** True for a profile that is marked as one where real money moves. */
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
    lang: profile?.lang ?? null,
    live,
  }
}

export const columns = columnsOf<Entry>(
  { ...field('name'), uncut: true },
  { ...field('current'), text: ({ current }) => (current ? '*' : '') },
  {
    ...field('base_url'),
    text: ({ base_url, built_in }) => (built_in ? say`the emulator that runs here` : (base_url ?? '')),
  },
  '-auth_url',
  { ...field('live'), text: ({ live }) => (live ? say`LIVE` : ''), tone: () => 'live' },
  'client_id',
  '-fx_provider',
  '-from',
  '-key_life',
  '-output',
  '-lang',
  { ...detail<Entry>('built_in', ({ built_in }) => built_in), text: ({ built_in }) => foreign(String(built_in)) },
)

export const list = command({
  summary: 'List profiles, and which one is in use',
  about: 'List the profiles, and which one is in use.',
  prints: array(async () => (await import('../schema/machine_shapes.ts')).profile),
  columns,
  examples: ['payctl profiles list', 'payctl profiles list --json'],
  async run(_, context) {
    const { isMarkedLive } = await import('./live.ts')
    const { config } = context
    const names = new Set([...Object.keys(config.profiles), currentProfile(config)])
    names.delete(emulatorProfile)
    // Lists profiles in order of creation, and the built-in profile last.
    const entries = [...names, emulatorProfile].map((name) => entryOf(name, config, isMarkedLive(name, context)))
    await context.output.list(entries, columns)
    noteOutranked(context)
  },
})

export const use = command({
  summary: 'Choose the profile that commands use from now on',
  about: 'Choose the profile that commands use unless -p or PAYCTL_PROFILE names another.',
  args: { '<name>': { about: 'name of a profile, emulator (the running emulator) or default', of: 'profile' } },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).profile),
  examples: ['payctl profiles use prod', 'payctl profiles use emulator', 'payctl profiles use default'],
  async run({ name }, context) {
    const { unknownProfile } = await import('../../config/target.ts')
    let chosen: Config = context.config
    const change = (config: Config): Config => {
      if (name !== emulatorProfile && !findProfile(config, name)) throw unknownProfile(name, config)
      chosen = { ...config, current: name }
      return chosen
    }
    await changeSettings(configSettings, context.configDir, change, context.signal)
    const { isMarkedLive } = await import('./live.ts')
    await context.output.record(entryOf(name, chosen, isMarkedLive(name, context)), columns)
    noteOutranked(context)
  },
})

/** Warns if the environment of this shell chooses the profile or the service. */
export function noteOutranked({ env, output }: Pick<Context, 'env' | 'output'>): void {
  for (const name of ['PAYCTL_PROFILE', 'PAYCTL_BASE_URL']) {
    if (env[name] !== undefined)
      output.note(say`${name} is set in this shell, to ${env[name]}, and takes precedence over the chosen profile.`)
  }
}
