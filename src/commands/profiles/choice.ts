import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { changeConfig } from '../../config/config_file.ts'
import { type Config, emulatorProfile, findProfile } from '../../config/profile.ts'
import { allEntries, columns, entryOf } from './entry.ts'

export const list: CommandModule = (command, context) => {
  command.description('List the profiles, and which one is in use.').action(async () => {
    const { config, output } = context
    const { isMarkedLive } = await import('./live.ts')
    await output.list(
      allEntries(config, (name) => isMarkedLive(name, context)),
      columns,
    )
    noteOutranked(context)
  })
  listOptions(command, columns, context)
  examples(command, ['payctl profiles list', 'payctl profiles list --json'])
}

export const use: CommandModule = (command, context) => {
  command
    .description('Choose the profile that commands use from now on, where neither -p nor PAYCTL_PROFILE names another.')
    .argument('<name>', 'a profile; emulator for the emulator that runs; default')
    .action((name: string) => choose(name, context))
  examples(command, ['payctl profiles use prod', 'payctl profiles use emulator', 'payctl profiles use default'])
}

async function choose(name: string, context: Context): Promise<void> {
  const { unknownProfile } = await import('../../config/target.ts')
  let chosen: Config = context.config
  const change = (config: Config): Config => {
    if (name !== emulatorProfile && !findProfile(config, name)) throw unknownProfile(name, config)
    chosen = { ...config, current: name }
    return chosen
  }
  await changeConfig(context.configDir, change, context.signal)
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
