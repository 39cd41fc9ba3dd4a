import { concurrencyFlag, duration } from '../../cli/arguments.ts'
import { array } from '../../cli/prints.ts'

/** Rows of a batch and their results. */
export const printsRows = array(async () => (await import('../schema/payment_shapes.ts')).resultRow)

/** Flags of every command that sends the rows of a batch. */
export const sendingFlags = {
  ...concurrencyFlag('payments under way at a time'),
  '--output-file <file>': {
    about: 'write the rows to this file, not to stdout\n.csv, .tsv, .json, .ndjson or .xlsx',
    of: 'file',
    aliases: ['--result'],
  },
  '--wait': { about: 'until the payments have ended\nexit 8 if one ended badly, 9 if one is still in progress' },
  '--wait-timeout <duration>': {
    about: 'time after sending; implies --wait',
    parse: duration,
    default: 300_000,
    defaultText: '5m',
    implies: { wait: true },
  },
} as const
