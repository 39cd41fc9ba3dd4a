import { command } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { array } from '../../cli/prints.ts'
import { emulatorProfile } from '../../config/profile.ts'
import { toRun } from '../../errors/next_step.ts'

export const limits = command({
  summary: 'Show and set limits of profiles',
  about:
    'Show the limits of profiles, and how much of them is used today. Limits apply to send, batch, resume and api, and to ' +
    'every profile and flag that leads to the same service with the same user. Anybody may tighten limits; only a ' +
    'person at a terminal can loosen limits. Limits protect against mistakes, and against scripts and agents that ' +
    'have only this command line, but not against anyone who can change payctl’s files or read its tokens. Limits do ' +
    'not apply to programs that use the library.',
  prints: array(async () => (await import('../schema/machine_shapes.ts')).limit),
  columns: async () => (await import('./rows.ts')).layout,
  examples: ['payctl limits', 'payctl limits --profile prod --json', 'payctl limits set --per-day 2000000 CRC'],
  async run(_, { configDir, stateDir, globals, output, translate }) {
    const [{ readLimits }, { layout, payeesIfReadable, rowsOf }] = await Promise.all([
      import('../../limits/limits_file.ts'),
      import('./rows.ts'),
    ])
    const named = globals.emulator ? emulatorProfile : globals.profile
    const profiles = readLimits(configDir).profiles.filter(({ profile }) => named === undefined || profile === named)
    const saved = payeesIfReadable(configDir)
    await output.list(rowsOf(profiles, { stateDir, saved }), layout, {
      none: withHint(
        'No limits.',
        toRun(['limits', 'set', '--per-day', '2000000', 'CRC'], 'Set some'),
        globals,
        translate,
      ),
    })
  },
  commands: {
    set: async () => (await import('./set.ts')).set,
    remove: async () => (await import('./set.ts')).remove,
    recount: async () => (await import('./set.ts')).recount,
  },
})
