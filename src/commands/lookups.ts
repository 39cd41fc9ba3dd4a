import { cacheTime, collect, concurrencyFlag } from '../cli/arguments.ts'
import { type Context, command, type Input } from '../cli/command.ts'
import { array, object } from '../cli/prints.ts'
import type { KindOfValues } from '../lookups/lookups.ts'

const valueFlags = {
  '--file <path>': { about: 'file of values, one per line; # begins a comment', of: 'file' },
  ...concurrencyFlag('requests at a time, 1 to 32'),
} as const

export type ValueFlags = Input<Record<never, never>, typeof valueFlags>

const lists = `
A single value that is given as an argument is shown in full. Several values,
and the lines of - (stdin), a pipe or --file, get a row each, in order. The
status says if a value was not found or is not valid, and the reason follows.
The words of one value need no quotes: 8888 7777.

Exit 0: all found. 3: some not found. 2: at least one is not valid, whether or
not others were found. Any other failure ends the run with the exit code of that
failure, after the rows before it.`

async function lookUp(kind: KindOfValues, texts: readonly string[] = [], flags: ValueFlags, context: Context) {
  const { lookUpValues } = await import('./look_up_values.ts')
  await lookUpValues(kind, { texts, ...flags }, context)
}

const columnsFor = (kind: KindOfValues) => async () => (await import('./look_up_values.ts')).lookupLayout(kind)

export const phone = command({
  summary: 'Show the holder of a phone number (SINPE Móvil)',
  about: 'Show the holder of a phone number, and the bank that receives SINPE Móvil payments to it.',
  args: {
    '[number...]': { about: 'phone numbers, with or without spaces, dashes and +506; or names of saved payees' },
  },
  flags: valueFlags,
  prints: array(async () => (await import('./schema/payment_shapes.ts')).phoneRow),
  columns: columnsFor('phone'),
  notes: lists,
  examples: [
    'payctl phone 8888-7777',
    'payctl phone +506 8888 7777',
    'payctl phone 88887777 61234567 --json',
    'payctl phone --file numbers.txt --output csv > holders.csv',
    'cut -d, -f2 customers.csv | payctl phone',
  ],
  run: ({ number: numbers, ...flags }, context) => lookUp('phone', numbers, flags, context),
})

export const iban = command({
  summary: 'Show the holder of an IBAN',
  about: 'Show the holder of an IBAN, and the entity of the account.',
  args: { '[iban...]': { about: 'IBANs, with or without spaces; or names of saved payees' } },
  flags: valueFlags,
  prints: array(async () => (await import('./schema/payment_shapes.ts')).ibanRow),
  columns: columnsFor('iban'),
  notes: lists,
  examples: [
    'payctl iban CR05015202001026284066',
    'payctl iban CR05 0152 0200 1026 2840 66 --json',
    'payctl iban --file ibans.txt --output csv > holders.csv',
    'cat ibans.txt | payctl iban - --output ndjson',
  ],
  run: ({ iban: ibans, ...flags }, context) => lookUp('iban', ibans, flags, context),
})

const lookupFlags = {
  '--file <path>': { about: 'spreadsheet: .xlsx, or CSV of any kind; - is stdin', of: 'file' },
  '--column <name>': {
    about: 'heading of a column to look up, or its position: 3, C. Repeatable',
    parse: collect,
  },
  '--name <column>': {
    about: 'column of names to compare with the holders',
  },
  '--document <column>': {
    about: 'column of identity documents to compare with the holders',
  },
  '--sheet <name>': { about: 'sheet of an .xlsx file (default: the first visible sheet)' },
  '--no-header': { about: 'the first row is not a heading' },
  '--output-file <path>': {
    about: 'file to write: .xlsx or CSV, by the ending of its name (default: <name>-lookup, next to the source)',
    of: 'file',
  },
  '--force': { about: 'replace an existing file; never the source' },
  '--cache <duration>': {
    about: 'time for which answers are saved for later runs, or none',
    parse: cacheTime,
    default: 86_400_000,
    defaultText: '24h',
  },
  ...concurrencyFlag('requests at a time, 1 to 32'),
} as const

export type LookupFlags = Input<Record<never, never>, typeof lookupFlags>

export const lookup = command({
  summary: 'Show the holders of phones and IBANs, typed or in a spreadsheet',
  about:
    'Show the holders of phones and IBANs, or write a copy of a spreadsheet with the holders of its phones and IBANs ' +
    'in new columns. Without arguments, at a terminal, payctl asks for one value after another.',
  args: {
    '[what...]': { about: 'phones and IBANs, with or without spaces; names of saved payees; or one file', of: 'file' },
  },
  flags: lookupFlags,
  prints: {
    '': array(async () => (await import('./schema/payment_shapes.ts')).lookupRow),
    '<file>': object(async () => (await import('./schema/payment_shapes.ts')).fileLookup),
  },
  columns: columnsFor('any'),
  examples: [
    'payctl lookup 8700 0001',
    'payctl lookup customers.csv --column Teléfono --column IBAN',
    'payctl lookup clientes.xlsx --sheet Marzo --name Nombre --document Cédula',
    'payctl lookup CR05 0152 0200 1026 2840 66 8888-7777 --json',
    'payctl lookup --file clientes.xlsx --output-file holders.xlsx',
  ],
  fewExamples: 3,
  notes: `
Order, columns, blank lines, separator and encoding do not change. For each
column looked up, the copy has holder, document, entity, currency, status and
reason; with --name and --document also the match (yes, partly, no) and the
difference. If you repeat an interrupted run, it continues where it stopped.

Exit 0: all found. 2: some are not a phone or IBAN. 3: some are not registered.
6: some names or documents differ. 12: the service failed for some values;
repeat with --force to look those up again.`,
  async run({ what, ...flags }, context) {
    const { lookUpAny } = await import('./look_up_any.ts')
    await lookUpAny(what, flags, context)
  },
})
