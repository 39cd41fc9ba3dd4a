import { command } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'
import { exits } from '../../errors/exit_codes.ts'

export const doctor = command({
  summary: 'Check what payctl depends on, and say what to do',
  about:
    'Check what payctl depends on, from this machine up to the token, and say what to do about each fault. Changes ' +
    'nothing, shows no secret, and works without a network. Exit 0 when no check fails (a warning is not a failure). ' +
    'Otherwise the exit code is that of the first failed check: correct that one first.',
  prints: array(async () => (await import('../schema/machine_shapes.ts')).finding),
  columns: async () => (await import('./finding.ts')).columns,
  examples: ['payctl doctor', 'payctl --emulator doctor', 'payctl doctor --json'],
  async run(_, context) {
    const [{ examine }, { report }] = await Promise.all([import('./examine.ts'), import('./finding.ts')])
    const findings = await examine(context)
    await report(findings, context)
    const failure = findings.find(({ status }) => status === 'fail')
    if (failure?.exit) context.exitWith(exits[failure.exit].code)
  },
})
