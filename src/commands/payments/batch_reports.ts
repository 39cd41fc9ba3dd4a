import { type CommandRecord, command, type Input } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'

// Commands that read the batches of this machine's journal.

export const outputFileFlag = {
  '--output-file <file>': {
    about: 'write the rows to this file, not to stdout\n.csv, .tsv, .json, .ndjson or .xlsx',
    of: 'file',
    aliases: ['--result'],
  },
} as const

/**
 * Meaning of `--lang` in a command that writes receipts. A receipt is for the payee, so the user's locale does not
 * decide its language.
 */
export const languageOfReceipts = { '--lang': 'language of receipts (default: es), notes and errors' } as const

export const batchList = command({
  summary: 'List the batches of this machine, newest first',
  about:
    'List the batches of this machine, newest first, with the number of rows by outcome. Outcomes are as last read: ' +
    'the command does not ask the service. (To pay a file that is called list, write ./list.)',
  prints: array(async () => (await import('../schema/batch_shapes.ts')).batch),
  columns: async () => (await import('./print_batches.ts')).batchLayout,
  examples: ['payctl payments batch list', 'payctl payments batch list --json', 'payctl payments batch list -o csv'],
  run: async (_, context) => (await import('./print_batches.ts')).listBatches(context),
})

const showFlags = {
  ...outputFileFlag,
  '--receipts <folder>': {
    about: 'write a receipt for each completed row into this folder\neach receipt is a page for a browser',
    of: 'file',
  },
  '--force': { about: 'replace receipts in the folder' },
} as const satisfies CommandRecord['flags']

export type ShowFlags = Input<Record<never, never>, typeof showFlags>

export const batchShow = command({
  summary: 'Show a batch: its sums, and the outcome of each row',
  about:
    'Show a batch: its sums by outcome, and its rows in the order of the file, with holder, fee, references and ' +
    'outcome as of today. If the service does not answer, or the batch belongs to another user or world, the rows are ' +
    'as last read. (To pay a file that is called show, write ./show.)',
  args: { '[batch]': { about: 'name of the batch, part of the name, or last (the default)' } },
  flags: showFlags,
  globals: languageOfReceipts,
  prints: array(async () => (await import('../schema/batch_shapes.ts')).batchRow),
  columns: async () => (await import('./print_batches.ts')).rowLayout([]),
  unsorted: true,
  examples: [
    'payctl payments batch show',
    'payctl payments batch show 2026-11 --json',
    'payctl payments batch show last --output-file result.csv',
    'payctl payments batch show 2026-11 --receipts comprobantes',
  ],
  run: async ({ batch = 'last', ...flags }, context) => {
    await (await import('./print_batches.ts')).showBatch(batch, flags, context)
  },
})
