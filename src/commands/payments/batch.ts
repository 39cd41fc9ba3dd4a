import { existsSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { concurrencyFlag, duration, keyLifeFlag } from '../../cli/arguments.ts'
import type { CommandRecord, Input } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { array, object } from '../../cli/prints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { parseColumnMap } from '../../payments/batch_columns.ts'
import { batchIdFault, batchIdForm, checkDescription, generatedPrefix } from '../../payments/order.ts'
import { decimalMarks } from '../../values/amount.ts'
import { batchList, batchShow, outputFileFlag } from './batch_reports.ts'

/** Rows of a batch and their results. */
const printsRows = array(async () => (await import('../schema/payment_shapes.ts')).resultRow)

/** Flags of every command that sends the rows of a batch. */
const sendingFlags = {
  ...concurrencyFlag('payments in progress at a time'),
  ...outputFileFlag,
  '--wait': { about: 'wait until the payments have ended\nexit 8 if one failed, 9 if one is still in progress' },
  '--wait-timeout <duration>': {
    about: 'time after sending; implies --wait',
    parse: duration,
    default: 300_000,
    defaultText: '5m',
    implies: { wait: true },
  },
} as const

function batchId(text: string): string {
  const fault = batchIdFault(text)
  if (fault === undefined) return text
  throw new InvalidArgumentError(
    fault === 'form'
      ? `Give ${batchIdForm}`
      : `Names that begin with ${generatedPrefix} are made by payctl: leave --batch-id out to continue one.`,
  )
}

const batchFlags = {
  '--from <account>': {
    about:
      'account to debit in rows that name no account\nits IBAN, id, last digits or currency, or a payee’s name, if the account is yours',
    of: 'account',
  },
  '--description <text>': {
    about: 'description for rows without a description\n15 to 255 characters',
    parse: (text: string) => checkDescription(text, '--description'),
  },
  '--map <columns>': {
    about: 'headings of the file: to=Teléfono,amount=Monto\naccents and case do not matter',
    parse: (text: string) => parseColumnMap(text),
  },
  '--sheet <name>': { about: 'sheet of an .xlsx file (default: first used sheet)' },
  '--decimal <mark>': {
    about: 'decimal mark of the amounts\nif the file does not show it',
    choices: decimalMarks,
  },
  '--rejects-file <file>': {
    about: 'write refused rows to this file, with reasons\na new .csv or .xlsx with the original rows',
    of: 'file',
    aliases: ['--rejects'],
  },
  '--force': { about: 'replace the file that --rejects-file names' },
  '--batch-id <name>': {
    about:
      'a row sent under this name is not sent again\nfor example 2026-11; give another name to pay the same rows again on purpose',
    parse: batchId,
  },
  '--skip-sent': { about: 'leave out rows that were sent from another file\nfor a corrected version of that file' },
  '--check-payees': { about: 'look up every payee before anything is sent' },
  '--no-check-new': { about: 'at a terminal, do not look up new payees' },
  ...sendingFlags,
  ...keyLifeFlag,
  '-y, --yes': { about: 'do not ask, even if the summary has warnings' },
  '--dry-run': { about: 'check everything, and send nothing' },
} as const satisfies CommandRecord['flags']

export type BatchFlags = Input<Record<never, never>, typeof batchFlags>

const details = `
A file is .xlsx, or CSV with comma, semicolon, tab or |. If the file is called
list, show or retry, write ./list. The amount is in major units: 1500.25. The
column reference is your own text, repeated in the result. With the columns name
and document (or cédula), a row is refused if somebody else holds the account or
phone, and payctl asks about a partial match. A date (fecha) must be today's
date in Costa Rica. A row TOTAL below the payments must equal the sum of the
payments. Other columns are repeated in the result. payctl asks once about other
headings at a terminal, and remembers them.

A row is identified by its from, to, amount and description, and equal rows are
also numbered. No row is sent twice, however often the file is run. payctl looks
for a row in doubt in the history, and sends it again with its own key if it is
not there. If the key is older than --key-life, payctl asks; with --yes it does
not send the row and exits with 10.`

const retry = command({
  summary: 'Send the refused and failed rows of a batch again',
  about:
    'Send the rows of a batch again that certainly paid nobody: those that the service refused, and those whose payment ' +
    'failed, each as a new payment. Shows every reason first and asks once. A row is sent again once, however often ' +
    'this is run. It skips rows in doubt (payctl payments resume), and rows that a later payment may have ' +
    'replaced.',
  args: {
    '[batch]': {
      about:
        'name of the batch, or last; at a terminal, part of the name\ndefault: the last batch, or the only batch with such rows\npayctl payments batch list shows the names',
    },
  },
  flags: {
    '--failed': { about: 'rows that were refused or failed: the default', hidden: true },
    ...sendingFlags,
    '-y, --yes': { about: 'do not ask' },
  },
  prints: printsRows,
  columns: async () => (await import('./batch_results.ts')).resultLayout(),
  unsorted: true,
  examples: [
    'payctl payments batch retry',
    'payctl payments batch retry 2026-11',
    'payctl payments batch retry b_4894795374a2 --yes --wait',
  ],
  async run({ batch, failed: _, ...flags }, context) {
    if (batch === undefined && existsSync('retry')) throw retryIsFile()
    const { retryRows } = await import('./send_rows.ts')
    await retryRows(batch, flags, context)
  },
})

const retryIsFile = (): UsageError =>
  new UsageError(
    'A file named retry exists here, and the name of the batch is missing. Nothing was sent.',
    toRun(['payments', 'batch', './retry'], 'For the file retry'),
  )

export const batch = command({
  summary: 'Send the payments of a spreadsheet or CSV file',
  about:
    'Send the payments of a spreadsheet or CSV file, all checked before the first one is sent. Columns by name, in any ' +
    'order: to, amount, from, and optionally description, currency, reference, date, name and document (of the holder). After a kill, ' +
    'or in two runs at once, no row is sent twice.',
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
  fewExamples: 2,
  async run({ file, ...flags }, context) {
    const { payFile } = await import('./pay_file.ts')
    await payFile(file, flags, context)
  },
  commands: { list: async () => batchList, show: async () => batchShow, retry: async () => retry },
})
