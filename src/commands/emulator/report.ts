import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { columnsOption } from '../../cli/list_options.ts'
import { controlled, steer } from '../../cli/steer.ts'
import { field, prose } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { checkNames, giveReport, type ReportFlags, reportFile } from '../emulate_report.ts'
import { checks, type Finding, findingsIn } from '../run_report.ts'

const columns: readonly Column<Finding>[] = [
  field('check', ({ check }) => check),
  field('count', ({ count }) => count),
  prose('first', ({ first }) => first[0]),
]

interface Flags {
  readonly file?: ReportFlags['report']
  readonly failOn?: ReportFlags['reportFailOn']
}

export const report: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Show what was wrong with the use of all worlds since the emulator started, also of those that have ended. --json ' +
        'has the whole report, with the use of each endpoint.',
    )
    .option('--file <file>', 'also write it to a .json, .md or .xml (JUnit) file; may be repeated', reportFile)
    .option('--fail-on <checks>', `exit 6 if one of them has findings: ${checks.join(', ')}`, checkNames)
    .action(async ({ file, failOn }: Flags) => {
      const made = await steer(command, context, (control) => control.call('control.report'))
      await context.output.list(findingsIn(made), columns, { data: made })
      const flags = { ...(file && { report: file }), ...(failOn && { reportFailOn: failOn }) }
      context.exitWith(giveReport(() => made, flags, context))
    })
  columnsOption(command, columns, context)
  examples(command, ['payctl emulator report', 'payctl emulator report --file report.md --fail-on violations,late'])
}
