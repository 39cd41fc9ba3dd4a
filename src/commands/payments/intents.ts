import { Option } from 'commander'
import { integer } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { intentStatuses } from '../../journal/intent.ts'
import { addPeriod } from '../period.ts'
import type { IntentFlags } from './list_intents.ts'

export const intents: CommandModule = (command, context) => {
  addPeriod(command)
    .description(
      'List the payments that this machine was asked to send, newest first, and what is known of each: prepared ' +
        '(the service has not taken it), sent (in flight, or cut off), unknown (the answer was lost), settled, rejected. ' +
        'On a terminal the newest 100, elsewhere all. An amount without a currency is in that of the account, which the ' +
        'service has not told yet.',
    )
    .argument('[intent]', 'show this one only: its id, a part of it, or last')
    .addOption(new Option('--status <status>', 'only those in this state').choices(intentStatuses))
    .option('--unsettled', 'only those that are prepared, sent or unknown')
    .option('--batch <name>', 'only those of this batch')
    .option('--limit <n>', 'at most so many', integer({ min: 1 }))
    .option('--all', 'all of them, on a terminal too')
    .action(async (id: string | undefined, flags: IntentFlags) => {
      const [{ listIntents, showIntent }, { intentId }] = await Promise.all([
        import('./list_intents.ts'),
        import('./short_id.ts'),
      ])
      await (id === undefined ? listIntents(flags, context) : showIntent(await intentId(id, context), context))
    })
  listOptions(command, async () => (await import('./list_intents.ts')).intentLayout, context)
  examples(command, [
    'payctl payments intents',
    'payctl payments intents --unsettled --json',
    'payctl payments intents --batch 2026-11 --status rejected --output csv',
    'payctl payments intents int_4k7qz2m9x1ab',
  ])
}
