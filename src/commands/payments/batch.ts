import { InvalidArgumentError, Option } from 'commander'
import { keyLifeOption } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { details, examples } from '../../cli/examples.ts'
import { parseColumnMap } from '../../payments/batch_columns.ts'
import { batchIdFault, batchIdForm, madeUpPrefix } from '../../payments/order.ts'
import { decimalMarks } from '../../values/amount.ts'
import { sendingOptions } from './batch_options.ts'
import type { BatchFlags } from './pay_file.ts'

function batchId(text: string): string {
  const fault = batchIdFault(text)
  if (fault === undefined) return text
  throw new InvalidArgumentError(
    fault === 'form'
      ? `Give ${batchIdForm}`
      : `Names that begin with ${madeUpPrefix} are made by payctl: leave --batch-id out to go on with one.`,
  )
}

const notes = `
A file is .xlsx, or CSV with comma, semicolon, tab or |. One called retry is
written ./retry. The amount is in major units: 1500.25. The column reference is
your own text, repeated in the result; with name, a row is refused if another
holds the account or phone. Other columns are kept and repeated in the result.

A row is known by its from, to, amount and description, rows that are equal by
their number. What was sent is not sent again, however often the file is run. A
row in doubt is looked for in the history, and if it is not there, sent again
with its own key. If the key is older than --key-life, payctl asks; with --yes
it does not send the row and exits with 10.`

export const batch: CommandModule = (command, context) => {
  command
    .description(
      'Send the payments of a spreadsheet or CSV file, all checked before the first one leaves. Columns by name, in any ' +
        'order: to, amount, description, from, and if you like currency, reference and name (of the holder). Run again, ' +
        'killed or twice at once, it sends nothing again that was sent.',
    )
    .argument('<file>', '.xlsx or any CSV; - for stdin')
    .option(
      '--from <account>',
      'account to debit in rows that name none\nits IBAN, id, last digits or currency, or a payee’s name, where the account is yours',
    )
    .option(
      '--map <columns>',
      'headings of the file: to=Teléfono,amount=Monto\naccents and case do not matter',
      parseColumnMap,
    )
    .option('--sheet <name>', 'sheet of an .xlsx file (default: the first in use)')
    .addOption(
      new Option('--decimal <mark>', 'what stands before the decimals\nwhere the file does not tell').choices(
        decimalMarks,
      ),
    )
    .option(
      '--rejects <file>',
      'write refused rows to this file, with reasons\na new .csv or .xlsx, the rows as they were',
    )
    .option('--force', 'replace the file that --rejects names')
    .option(
      '--batch-id <name>',
      'a row sent under this name is not sent again: 2026-11\nto pay the same rows again on purpose, give another',
      batchId,
    )
    .option('--skip-sent', 'leave out rows that were sent from another file\nthis is that file, corrected')
    .option('--check-payees', 'look every payee up before anything is sent')
  sendingOptions(command, context)
    .addOption(keyLifeOption())
    .option('-y, --yes', 'do not ask, whatever the summary warns of')
    .option('--dry-run', 'check everything, and send nothing')
    .action(async (file: string, flags: BatchFlags) => {
      const { payFile } = await import('./pay_file.ts')
      await payFile(file, flags, context)
    })
  details(command, notes)
  examples(
    command,
    [
      'payctl payments batch payroll.csv',
      'payctl payments batch nomina.xlsx --map to=Teléfono,amount=Monto --from CRC --rejects bad.xlsx',
      'payctl payments batch payroll.csv --batch-id 2026-11 --yes --wait --result result.csv',
      'payctl payments batch refunds.csv --from CRC --dry-run --json',
      'cat payroll.csv | payctl payments batch - --yes --output ndjson',
    ],
    3,
  )
  return {
    retry: {
      summary: 'Send the rows of a batch again that were refused or failed',
      usage: '<batch>',
      load: async () => (await import('./batch_retry.ts')).batchRetry,
    },
  }
}
