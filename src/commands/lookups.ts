import { cacheTime, collect, concurrencyFlag } from '../cli/arguments.ts'
import { type Context, command, type Input } from '../cli/command.ts'
import { array, object } from '../cli/prints.ts'
import type { Lookup } from '../lookups/lookups.ts'

const lookupFlags = {
  '--file <path>': { about: 'file of values, one a line; # begins a comment', of: 'file' },
  ...concurrencyFlag('requests at a time, 1 to 32'),
} as const

export type LookupFlags = Input<Record<never, never>, typeof lookupFlags>

const lists = `
A single value as argument is shown in full. Several values, and the lines of -
(stdin), a pipe or --file, get a row each, in order. A value that is not found
or not valid has that as its status, with the reason.

Exit 0: all found. 3: some not found. 2: some not valid, whatever the others.
Any other failure ends the run with its own code, after the rows before it.`

async function lookUp(key: Lookup['key'], texts: readonly string[] = [], flags: LookupFlags, context: Context) {
  const { lookUpValues } = await import('./look_up_values.ts')
  await lookUpValues(key, { texts, ...flags }, context)
}

const columnsFor = (key: Lookup['key']) => async () => (await import('./look_up_values.ts')).lookupLayout(key)

export const phone = command({
  summary: 'Show the holder of a phone number (SINPE Móvil)',
  about: 'Show the holder of a phone number, and the bank that receives SINPE Móvil payments to it.',
  args: {
    '[number...]': { about: 'phone numbers, with or without spaces, dashes and +506; or names of saved payees' },
  },
  flags: lookupFlags,
  prints: array(async () => (await import('./schema/payment_shapes.ts')).phoneRow),
  columns: columnsFor('phone_number'),
  notes: lists,
  examples: [
    'payctl phone 8888-7777',
    "payctl phone '+506 8888 7777'",
    'payctl phone 88887777 61234567 --json',
    'payctl phone --file numbers.txt --output csv > holders.csv',
    'cut -d, -f2 customers.csv | payctl phone',
  ],
  run: ({ number: numbers, ...flags }, context) => lookUp('phone_number', numbers, flags, context),
})

export const iban = command({
  summary: 'Show the holder of an IBAN',
  about: 'Show the holder of an IBAN, and the entity.',
  args: { '[iban...]': { about: 'IBANs, in quotes if they have spaces; or names of saved payees' } },
  flags: lookupFlags,
  prints: array(async () => (await import('./schema/payment_shapes.ts')).ibanRow),
  columns: columnsFor('iban'),
  notes: lists,
  examples: [
    'payctl iban CR05015202001026284066',
    "payctl iban 'CR05 0152 0200 1026 2840 66' --json",
    'payctl iban --file ibans.txt --output csv > holders.csv',
    'cat ibans.txt | payctl iban - --output ndjson',
  ],
  run: ({ iban: ibans, ...flags }, context) => lookUp('iban', ibans, flags, context),
})

const sheetFlags = {
  '--file <path>': { about: 'spreadsheet: .xlsx, or CSV of any kind; - is stdin', of: 'file', required: true },
  '--column <name>': {
    about: 'heading of a column to look up, or its position: 3, C. Repeatable',
    parse: collect,
  },
  '--sheet <name>': { about: 'sheet of an .xlsx file (default: the first visible one)' },
  '--no-header': { about: 'the first row is not a heading' },
  '--output-file <path>': {
    about: 'file to write, .xlsx or CSV by its name (default: <name>-lookup beside the source)',
    of: 'file',
  },
  '--force': { about: 'replace an existing file; never the source' },
  '--cache <duration>': {
    about: 'lifetime of answers for later runs, or none',
    parse: cacheTime,
    default: 86_400_000,
    defaultText: '24h',
  },
  ...concurrencyFlag('requests at a time, 1 to 32'),
} as const

export type SheetFlags = Input<Record<never, never>, typeof sheetFlags>

export const lookup = command({
  summary: 'Add the holders to a spreadsheet of phones and IBANs',
  about: 'Write a copy of a spreadsheet with the holders of its phones and IBANs in new columns.',
  flags: sheetFlags,
  prints: object(async () => (await import('./schema/payment_shapes.ts')).fileLookup),
  examples: [
    'payctl lookup --file customers.csv',
    'payctl lookup --file customers.csv --column Teléfono --column IBAN',
    'payctl lookup --file clientes.xlsx --sheet Marzo --output-file holders.xlsx',
  ],
  notes: `
Order, columns, blank lines, separator and encoding do not change. Each column
gets holder, document, entity, currency, status and, if nobody was found, the
reason. Repeated values are looked up once. An interrupted run goes on where it
stopped when you repeat it.

Exit 0: all found. 3: some not registered. 2: some are not a phone or IBAN. 12:
the service failed for some; repeat with --force to look those up again.`,
  async run(input, context) {
    const { lookUpSheet } = await import('./look_up_sheet.ts')
    await lookUpSheet(input, context)
  },
})
