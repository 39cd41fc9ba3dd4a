import { integer } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { array, object } from '../../cli/prints.ts'
import { intentStatuses } from '../../journal/intent.ts'
import { periodFlags } from '../period.ts'

const placedIntent = async () => (await import('../schema/payment_shapes.ts')).placedIntent

export const outbox = command({
  summary: 'List the payments requested on this machine',
  about:
    'List the payments requested on this machine, newest first, with the state of each: prepared (the service has not ' +
    'accepted it), sent (in flight, or cut off), unknown (the answer was lost), rejected, or settled. For a settled ' +
    'payment, a table shows its status as last read. A terminal shows the newest 100, without those of ended worlds of ' +
    'emulators; other output has all. An amount without a currency is in the account’s currency, which the service ' +
    'has not reported yet.',
  args: { '[intent]': { about: 'show only this intent: id, part of the id, key, or last', of: 'intent' } },
  flags: {
    ...periodFlags,
    '--status <status>': { about: 'only payments in this state', choices: intentStatuses },
    '--unsettled': { about: 'only payments that are prepared, sent or unknown' },
    '--batch <name>': { about: 'only payments of this batch: name, part of the name, or last' },
    '--limit <n>': { about: 'maximum number', parse: integer({ min: 1 }) },
    '--all': { about: 'all intents, even on a terminal, and even those of ended worlds' },
  },
  prints: { '': array(placedIntent), '<id>': object(placedIntent) },
  columns: async () => (await import('./list_intents.ts')).intentLayout,
  examples: [
    'payctl payments outbox',
    'payctl payments outbox --unsettled --json',
    'payctl payments outbox --batch 2026-11 --status rejected --output csv',
    'payctl payments outbox int_4k7qz2m9x1ab',
  ],
  async run({ intent, ...flags }, context) {
    const [{ listIntents, showIntent }, { intentId }] = await Promise.all([
      import('./list_intents.ts'),
      import('./short_id.ts'),
    ])
    await (intent === undefined ? listIntents(flags, context) : showIntent(await intentId(intent, context), context))
  },
})
