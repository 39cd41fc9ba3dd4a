import { type Context, command } from '../../cli/command.ts'
import { array, object } from '../../cli/prints.ts'
import { configSettings } from '../../config/config_file.ts'
import { type Config, emulatorProfile, findProfile } from '../../config/profile.ts'
import { changeSettings } from '../../config/settings.ts'
import { allEntries, columns, entryOf } from './entry.ts'

export const list = command({
  summary: 'List them, and which one is in use',
  about: 'List the profiles, and which one is in use.',
  prints: array(async () => (await import('../schema/machine_shapes.ts')).profile),
  columns,
  examples: ['payctl profiles list', 'payctl profiles list --json'],
  async run(_, context) {
    const { isMarkedLive } = await import('./live.ts')
    const entries = allEntries(context.config, (name) => isMarkedLive(name, context))
    await context.output.list(entries, columns)
    noteOutranked(context)
  },
})

export const use = command({
  summary: 'Choose the one that commands use from now on',
  about: 'Choose the profile that commands use from now on, where neither -p nor PAYCTL_PROFILE names another.',
  args: { '<name>': { about: 'a profile; emulator for the emulator that runs; default', of: 'profile' } },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).profile),
  examples: ['payctl profiles use prod', 'payctl profiles use emulator', 'payctl profiles use default'],
  run: ({ name }, context) => choose(name, context),
})

async function choose(name: string, context: Context): Promise<void> {
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
}

/** Warns that the environment of this shell chooses another profile. */
function noteOutranked({ env, output }: Context): void {
  for (const name of ['PAYCTL_PROFILE', 'PAYCTL_BASE_URL']) {
    if (env[name] !== undefined) output.note(`${name} is set in this shell, to ${env[name]}, and outranks it.`)
  }
}
