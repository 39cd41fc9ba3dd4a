import { command } from '../../cli/command.ts'
import { array, nothing } from '../../cli/prints.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import { columnsOf, field } from '../../output/columns.ts'
import { listRowOf, type PayeeListRow, writePayeeList } from '../../payees/payee_list.ts'
import { payeesSaid } from '../../payments/counted.ts'
import { requireWritable } from '../../sheets/output_file.ts'
import { say } from '../../words/text.ts'

const columns = columnsOf<PayeeListRow>(
  { ...field('name'), uncut: true },
  { ...field('to'), uncut: true },
  'holder',
  'note',
)

export const exportList = command({
  summary: 'Write the payees to a spreadsheet',
  about: 'Write the payees of this service to a spreadsheet that payctl payees import reads, or print them.',
  flags: {
    '--output-file <path>': {
      about: 'file to write: .xlsx or CSV, by the ending of its name (default: stdout)',
      of: 'file',
    },
    '--force': { about: 'replace an existing file' },
  },
  prints: {
    '': array(async () => (await import('../schema/machine_shapes.ts')).listedPayee),
    '--output-file': nothing,
  },
  columns,
  examples: ['payctl payees export -o csv', 'payctl payees export --output-file payees.xlsx'],
  async run({ outputFile, force }, context) {
    const target = outputFile === undefined ? undefined : { path: outputFile, force: force === true }
    if (target) requireWritable(target)
    const { all } = await savedPayees(context)
    const rows = [...all].sort((one, other) => one.name.localeCompare(other.name)).map(listRowOf)
    if (!target) {
      await context.output.list(rows, columns, { none: 'No payees.' })
      return
    }
    await writePayeeList(target, rows)
    context.output.note(say`Wrote ${payeesSaid(rows.length)} to ${target.path}.`)
  },
})
