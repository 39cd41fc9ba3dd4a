import { cacheTime, collect, concurrencyFlag } from '../cli/arguments.ts'
import { command, type Input } from '../cli/command.ts'
import { object } from '../cli/prints.ts'

const flags = {
  '--file <path>': { about: '.xlsx, or CSV of any kind; - is stdin', of: 'file', required: true },
  '--column <name>': {
    about: 'heading of a column to look up, or its place: 3, C. May be given again',
    parse: collect,
  },
  '--sheet <name>': { about: 'sheet of an .xlsx file (default: the first that is visible)' },
  '--no-header': { about: 'the first row is no heading' },
  '--output-file <path>': {
    about: 'where to write it; .xlsx or CSV by its name (default: <name>-lookup beside it)',
    of: 'file',
  },
  '--force': { about: 'replace a file that is there; never the one that is read' },
  '--cache <duration>': {
    about: 'how long answers count in later runs, or none',
    parse: cacheTime,
    default: 86_400_000,
    defaultText: '24h',
  },
  ...concurrencyFlag('how many requests at a time, 1 to 32'),
} as const

export type FileFlags = Input<Record<never, never>, typeof flags>

export const lookup = command({
  summary: 'Add the holders to a spreadsheet of phones and IBANs',
  about: 'Give a spreadsheet back with the holders of its phones and IBANs beside them.',
  flags,
  prints: object(async () => (await import('./schema/payment_shapes.ts')).fileLookup),
  examples: [
    'payctl lookup --file customers.csv',
    'payctl lookup --file customers.csv --column Teléfono --column IBAN',
    'payctl lookup --file clientes.xlsx --sheet Marzo --output-file holders.xlsx',
  ],
  notes: `
Order, columns, blank lines, separator and encoding stay as they are. For each
column come holder, document, entity, currency, status and, where nobody was
found, the reason. A value that the file has twice is asked for once. A run
that was interrupted goes on where it stopped when you repeat it.

Exit 0: all found. 3: some not registered. 2: some are not a phone or IBAN. 12:
the service failed for some; repeat it with --force to ask for those again.`,
  async run(input, context) {
    const { lookUpSheet } = await import('./look_up_sheet.ts')
    await lookUpSheet(input, context)
  },
})
