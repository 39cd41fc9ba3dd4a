import { Option } from 'commander'
import { cacheTime, collect, concurrency } from '../cli/arguments.ts'
import type { CommandModule } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'

export interface FileFlags {
  readonly file: string
  readonly column?: readonly string[]
  readonly sheet?: string
  /** False with --no-header. */
  readonly header: boolean
  readonly outputFile?: string
  readonly force?: boolean
  /** Milliseconds. */
  readonly cache: number
  readonly concurrency: number
}

export const lookup: CommandModule = (command, context) => {
  command
    .description('Give a spreadsheet back with the holders of its phones and IBANs beside them.')
    .requiredOption('--file <path>', '.xlsx, or CSV of any kind; - is stdin')
    .option('--column <name>', 'heading of a column to look up, or its place: 3, C. May be given again', collect)
    .option('--sheet <name>', 'sheet of an .xlsx file (default: the first that is visible)')
    .option('--no-header', 'the first row is no heading')
    .option('--output-file <path>', 'where to write it; .xlsx or CSV by its name (default: <name>-lookup beside it)')
    .option('--force', 'replace a file that is there; never the one that is read')
    .addOption(
      new Option('--cache <duration>', 'how long answers count in later runs, or none')
        .argParser(cacheTime)
        .default(86_400_000, '24h'),
    )
    .addOption(concurrency('how many requests at a time, 1 to 32'))
    .addHelpText('after', notes)
    .action(async (flags: FileFlags) => {
      const { lookUpSheet } = await import('./look_up_sheet.ts')
      await lookUpSheet(flags, context)
    })
  examples(command, [
    'payctl lookup --file customers.csv',
    'payctl lookup --file customers.csv --column Teléfono --column IBAN',
    'payctl lookup --file clientes.xlsx --sheet Marzo --output-file holders.xlsx',
  ])
}

const notes = `
Order, columns, blank lines, separator and encoding stay as they are. For each
column come holder, document, entity, currency, status and, where nobody was
found, the reason. A value that stands there twice is asked for once. A run
that was interrupted goes on where it stopped when you repeat it.

Exit 0: all found. 3: some not registered. 2: some are no phone or IBAN. 12:
the service failed for some; repeat it with --force to ask for those again.`
