import { InvalidArgumentError } from 'commander'
import { keyLifeFlag } from '../../cli/arguments.ts'
import type { CommandRecord, Input } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { generatedPrefix } from '../../journal/intent.ts'
import { parseColumnMap } from '../../payments/batch_columns.ts'
import { batchIdFault, batchIdForm } from '../../payments/order.ts'
import { decimalMarks } from '../../values/amount.ts'
import { printsRows, sendingFlags } from './batch_options.ts'

function batchId(text: string): string {
  const fault = batchIdFault(text)
  if (fault === undefined) return text
  throw new InvalidArgumentError(
    fault === 'form'
      ? `Give ${batchIdForm}`
      : `Names that begin with ${generatedPrefix} are made by payctl: leave --batch-id out to go on with one.`,
  )
}

const details = `
A file is .xlsx, or CSV with comma, semicolon, tab or |. One called retry is
written ./retry. The amount is in major units: 1500.25. The column reference is
your own text, repeated in the result; with name, a row is refused if another
holds the account or phone. Other columns are repeated in the result.

A row is known by its from, to, amount and description, rows that are equal by
their number. What was sent is not sent again, however often the file is run. A
row in doubt is looked for in the history, and if it is not there, sent again
with its own key. If the key is older than --key-life, payctl asks; with --yes
it does not send the row and exits with 10.`

const batchFlags = {
  '--from <account>': {
    about:
      'account to debit in rows that name none\nits IBAN, id, last digits or currency, or a payee’s name, where the account is yours',
    of: 'account',
  },
  '--map <columns>': {
    about: 'headings of the file: to=Teléfono,amount=Monto\naccents and case do not matter',
    parse: (text: string) => parseColumnMap(text),
  },
  '--sheet <name>': { about: 'sheet of an .xlsx file (default: the first in use)' },
  '--decimal <mark>': {
    about: 'decimal mark of the amounts\nif the file leaves it open',
    choices: decimalMarks,
  },
  '--rejects-file <file>': {
    about: 'write refused rows to this file, with reasons\na new .csv or .xlsx with the original rows',
    of: 'file',
    aliases: ['--rejects'],
  },
  '--force': { about: 'replace the file that --rejects-file names' },
  '--batch-id <name>': {
    about: 'a row sent under this name is not sent again: 2026-11\nto pay the same rows again on purpose, give another',
    parse: batchId,
  },
  '--skip-sent': { about: 'leave out rows that were sent from another file\nthis is that file, corrected' },
  '--check-payees': { about: 'look every payee up before anything is sent' },
  ...sendingFlags,
  ...keyLifeFlag,
  '-y, --yes': { about: 'do not ask, whatever the summary warns of' },
  '--dry-run': { about: 'check everything, and send nothing' },
} as const satisfies CommandRecord['flags']

export type BatchFlags = Input<Record<never, never>, typeof batchFlags>

export const batch = command({
  summary: 'Send the payments of a spreadsheet or CSV file',
  about:
    'Send the payments of a spreadsheet or CSV file, all checked before the first one is sent. Columns by name, in any ' +
    'order: to, amount, from, and if you like description, currency, reference and name (of the holder). Run again, ' +
    'killed or twice at once, it sends nothing again that was sent.',
  args: { '<file>': { about: '.xlsx or any CSV; - for stdin', of: 'file' } },
  flags: batchFlags,
  prints: {
    '': printsRows,
    '--dry-run': object(async () => (await import('../schema/payment_shapes.ts')).batchSummary),
  },
  columns: async () => (await import('./batch_results.ts')).resultLayout(),
  unsorted: true,
  details,
  examples: [
    'payctl payments batch payroll.csv',
    'payctl payments batch nomina.xlsx --map to=Teléfono,amount=Monto --from CRC --rejects-file bad.xlsx',
    'payctl payments batch payroll.csv --batch-id 2026-11 --yes --wait --output-file result.csv',
    'payctl payments batch refunds.csv --from CRC --dry-run --json',
    'cat payroll.csv | payctl payments batch - --yes --output ndjson',
  ],
  fewExamples: 3,
  async run({ file, ...flags }, context) {
    const { payFile } = await import('./pay_file.ts')
    await payFile(file, flags, context)
  },
  commands: { retry: async () => (await import('./batch_retry.ts')).batchRetry },
})
