import { InvalidArgumentError, Option } from 'commander'
import { parseColumnMap } from '../../payments/batch_columns.ts'
import { batchIdFault, batchIdForm, madeUpPrefix } from '../../payments/order.ts'
import { decimalMarks } from '../../values/amount.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
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

export const batch: CommandModule = (command, context) => {
  command
    .description(
      'Send the payments of a spreadsheet or CSV file, all checked before the first one leaves. Columns by name, in any ' +
        'order: to, amount (1500.25), description, from, and if you like currency, reference (your own text, repeated in ' +
        'the result) and name (of the holder: a row is refused if another holds the account or phone). Other columns are ' +
        'kept and repeated in the result. Run again, killed or twice at once, it pays each row once: a row is known by its ' +
        'from, to, amount and description, rows that are equal by their number. To pay the same rows again on purpose, ' +
        'give --batch-id.',
    )
    .argument('<file>', '.xlsx, or CSV with comma, semicolon, tab or |; - for stdin; a file called retry: ./retry')
    .option(
      '--from <account>',
      'account to debit in rows that name none: its IBAN, id, the end of one, or its currency',
    )
    .option(
      '--map <columns>',
      'headings of the file: to=Teléfono,amount=Monto (accents and case do not matter)',
      parseColumnMap,
    )
    .option('--sheet <name>', 'sheet of an .xlsx file; else the first one with something in it')
    .addOption(
      new Option('--decimal <mark>', 'what stands before the decimals, where the file does not tell').choices(
        decimalMarks,
      ),
    )
    .option('--rejects <file>', 'write rows that are refused to a new .csv or .xlsx file, as they were, with a reason')
    .option('--force', 'replace the file that --rejects names')
    .option('--batch-id <name>', 'rows are paid once under this name, for example 2026-11', batchId)
    .option('--skip-sent', 'leave out rows that were sent from another file: this is that file, corrected')
    .option('--check-payees', 'look every payee up before anything is sent')
  sendingOptions(command, context)
    .option('-y, --yes', 'do not ask, whatever the summary warns of')
    .option('--dry-run', 'check everything, print the summary and send nothing')
    .action(async (file: string, flags: BatchFlags) => {
      const { payFile } = await import('./pay_file.ts')
      await payFile(file, flags, context)
    })
  examples(command, [
    'payctl payments batch payroll.csv',
    'payctl payments batch nomina.xlsx --map to=Teléfono,amount=Monto --from CRC --rejects bad.xlsx',
    'payctl payments batch payroll.csv --batch-id 2026-11 --yes --wait --result result.csv',
    `payctl payments batch refunds.csv --from 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --dry-run --json`,
    'cat payroll.csv | payctl payments batch - --yes --output ndjson',
  ])
  return {
    retry: {
      summary: 'Send the rows of a batch again that were refused or failed',
      usage: '<batch>',
      load: async () => (await import('./batch_retry.ts')).batchRetry,
    },
  }
}
