import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { emulatorProfile } from '../../config/profile.ts'
import { toRun } from '../../errors/next_step.ts'

export const limits: CommandModule = (command, context) => {
  command
    .description(
      'What profiles may pay, and how much of it is used up today. Limits hold for send, batch, resume and api, and for ' +
        'every profile and flag that leads to the same service as the same user. Anybody may tighten them; only a person ' +
        'at a terminal can loosen them. They guard against slips, and against scripts and agents that have only this ' +
        'command line, not against who can change its files or read its tokens. Programs with the library have none.',
    )
    .usage('[options] [command]')
    .action(() => show(context))
  listOptions(command, async () => (await import('./rows.ts')).columns, context)
  examples(command, ['payctl limits', 'payctl limits --profile prod --json', 'payctl limits set --per-day 2000000 CRC'])
  return {
    set: {
      summary: 'Set limits of the profile in use, or tighten them',
      load: async () => (await import('./set.ts')).set,
    },
    remove: {
      summary: 'Remove limits (at a terminal)',
      load: async () => (await import('./set.ts')).remove,
    },
    'count-anew': {
      summary: 'Count from zero, in this journal (at a terminal)',
      load: async () => (await import('./set.ts')).anew,
    },
  }
}

async function show(context: Context): Promise<void> {
  const { configDir, stateDir, globals, output } = context
  const [{ readLimits }, { columns, payeesIfReadable, rowsOf }] = await Promise.all([
    import('../../limits/limits_file.ts'),
    import('./rows.ts'),
  ])
  const named = globals.emulator ? emulatorProfile : globals.profile
  const profiles = readLimits(configDir).profiles.filter(({ profile }) => named === undefined || profile === named)
  const saved = await payeesIfReadable(configDir)
  await output.list(rowsOf(profiles, { stateDir, saved }), columns, {
    none: withHint('No limits.', toRun(['limits', 'set', '--per-day', '2000000', 'CRC'], 'Set some'), globals),
  })
}
