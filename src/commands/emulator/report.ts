import { command } from '../../cli/command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { columnsOf, prose } from '../../output/columns.ts'
import { giveReport } from '../emulate/report.ts'
import { checkNames, checks, reportFile } from '../emulate/report_flags.ts'
import { type Finding, findingsIn } from '../run_report.ts'

const columns = columnsOf<Finding>(
  'check',
  'count',
  prose('first', ({ first }: Finding) => first[0]),
)

export const report = command({
  summary: 'Show findings about the use of all worlds',
  about:
    'Show findings about the use of all worlds since the emulator started, including ended worlds. --json ' +
    'prints the whole report, with the use of each endpoint.',
  flags: {
    ...controlFlags,
    '--file <file>': {
      about: 'also write the report to a .json, .md or .xml (JUnit) file; may be repeated',
      of: 'file',
      parse: reportFile,
    },
    '--fail-on <checks>': {
      about: `exit 6 if one of these checks has findings: ${checks.join(', ')}`,
      parse: checkNames,
    },
  },
  prints: answer('control.report'),
  columns,
  unsorted: true,
  examples: ['payctl emulator report', 'payctl emulator report --file report.md --fail-on violations,late'],
  async run({ file, failOn, ...steering }, context) {
    const made = await steer(steering, context, (control) => control.call('control.report'))
    await context.output.list(findingsIn(made), columns, { data: made })
    context.exitWith(giveReport(() => made, { report: file, reportFailOn: failOn }, context).code)
  },
})
