import { existsSync } from 'node:fs'
import { command } from '../../cli/command.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { printsRows, sendingFlags } from './batch_options.ts'

export const batchRetry = command({
  summary: 'Send the rows of a batch again that were refused or failed',
  about:
    'Send the rows of a batch again that certainly paid nobody: those that the service refused, and those whose payment ' +
    'failed, each as a new payment. Shows every reason first and asks once. A row is sent again once, however often ' +
    'this is run. Rows in doubt are left alone (payctl payments resume), and so are rows that a later payment may have ' +
    'replaced.',
  args: { '[batch]': { about: 'its name, as shown at its end and by payctl payments intents' } },
  flags: {
    '--failed': { about: 'which rows: those that were refused or failed' },
    ...sendingFlags,
    '-y, --yes': { about: 'do not ask' },
  },
  prints: printsRows,
  columns: async () => (await import('./batch_results.ts')).resultLayout(),
  unsorted: true,
  examples: [
    'payctl payments batch retry 2026-11 --failed',
    'payctl payments batch retry b_4894795374a2 --failed --yes --wait',
  ],
  async run({ batch, failed, ...flags }, context) {
    if (batch === undefined) throw noBatch()
    if (!failed) throw new UsageError('Which rows are to be sent again is not said. Nothing was sent.', 'Add --failed')
    const { retryRows } = await import('./send_rows.ts')
    await retryRows(batch, flags, context)
  },
})

const noBatch = (): UsageError =>
  new UsageError(
    'The name of the batch is missing. Nothing was sent.',
    existsSync('retry') ? toRun(['payments', 'batch', './retry'], 'For the file retry') : { kind: 'list_batches' },
  )
