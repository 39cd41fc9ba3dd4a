import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { exits } from '../../errors/exit_codes.ts'
import type { Finding } from './finding.ts'

export const doctor: CommandModule = (command, context) => {
  command
    .description(
      'Check what payctl depends on, from this machine up to the token, and say what to do about each fault. Changes ' +
        'nothing, shows no secret, and works without network. Exit 0 when no check fails (a warning is no failure), ' +
        'else the code that a command would end with for the first that does: what comes first has to be mended first.',
    )
    .action(async () => {
      const { examine } = await import('./examine.ts')
      const findings = await examine(context)
      await print(findings, context)
      const failure = findings.find(({ status }) => status === 'fail')
      if (failure?.exit) context.exitWith(exits[failure.exit].code)
    })
  listOptions(command, async () => (await import('./finding.ts')).columns, context)
  examples(command, ['payctl doctor', 'payctl --emulator doctor', 'payctl doctor --json'])
}

async function print(findings: readonly Finding[], context: Context): Promise<void> {
  const { report } = await import('./finding.ts')
  await report(findings, context)
}
