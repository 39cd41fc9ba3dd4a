import { concurrencyFlag, keyLifeFlag } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { array, object } from '../../cli/prints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { Columns } from '../../output/output.ts'
import { outputFileFlag } from './batch_reports.ts'

export const resume = command({
  summary: 'Find the outcome of a payment whose answer was lost',
  about:
    'Find out what happened to a payment whose answer was lost: reads the history, and if the payment is not there, ' +
    'repeats the request with the same key. A key that the service may have forgotten is repeated only after a yes. ' +
    'Without an intent: all payments that are sent or unknown. A payment that the service has not accepted must be ' +
    'named, alone or by its batch, and is sent only after a yes. Only the user who sent a payment can resume it.',
  args: {
    '[intent]': { about: 'id of the intent, at least five characters of the id, the key, or last', of: 'intent' },
  },
  flags: {
    '--batch <name>': {
      about:
        'finish this batch: rows that are prepared, sent or unknown\nname of the batch, or last; at a terminal, part of the name',
    },
    '--output-file <file>': {
      ...outputFileFlag['--output-file <file>'],
      about: 'with --batch, write the rows to this file',
    },
    ...concurrencyFlag('rows of a batch in progress at a time'),
    '--sent-by <user>': {
      about: 'email or id of the sender, if payctl did not record the sender: you must be the sender',
    },
    ...keyLifeFlag,
    '-y, --yes': { about: 'also send payments that the service has not accepted, without asking' },
  },
  prints: {
    '': array(async () => (await import('../schema/payment_shapes.ts')).resumedPayment),
    '<id>': object(async () => (await import('../schema/payment_shapes.ts')).sentPayment),
  },
  columns: ({ intent, batch }) => layoutOf(intent, batch),
  unsorted: true,
  examples: [
    'payctl payments resume int_4k7qz2m9x1ab',
    'payctl payments resume',
    'payctl payments resume --batch 2026-11 --yes',
  ],
  async run({ intent, batch, concurrency, outputFile, ...flags }, context) {
    if (batch !== undefined) {
      if (intent !== undefined) {
        throw new UsageError('An intent and --batch name two things to resume.', 'Give one of them')
      }
      const { resumeRows } = await import('./send_rows.ts')
      return resumeRows({ batch, concurrency, outputFile, ...flags }, context)
    }
    if (outputFile !== undefined)
      throw new UsageError('--output-file is only for the rows of a batch.', 'Add --batch <name>')
    const [{ resumeAll, resumeOne }, { intentId }] = await Promise.all([
      import('./resume_intents.ts'),
      import('./short_id.ts'),
    ])
    await (intent === undefined
      ? resumeAll(flags, context)
      : resumeOne(await intentId(intent, context), flags, context))
  },
})

/** Meanings of columns whose fields in JSON are those of the payment. */
const inBothForms: Readonly<Record<string, { readonly meaning: string }>> = {
  id: { meaning: 'Id of the intent; in JSON, id of the payment' },
  status: { meaning: 'Status of the intent; in JSON, status of the payment' },
}

/** Columns of the printed rows. */
async function layoutOf(intent: string | undefined, batch: string | undefined): Promise<Columns<never>> {
  if (intent !== undefined) throw new UsageError('--columns chooses columns of a list, but this is one payment.')
  if (batch === undefined) {
    const { intentLayout } = await import('./list_intents.ts')
    const columns = intentLayout.columns.map((column) => ({ ...column, ...inBothForms[column.name] }))
    return { ...intentLayout, columns }
  }
  const schema = async () => (await import('../schema/payment_shapes.ts')).resultRow
  return { ...(await import('./batch_results.ts')).resultLayout(), schema }
}
