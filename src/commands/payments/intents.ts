import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { intentColumns } from './intent_columns.ts'

export const intents: CommandModule = (command, context) => {
  command
    .description(
      'List the payments that this machine was asked to send, newest first, and what is known of each: prepared ' +
        '(nothing left this machine), sent (in flight, or cut off), unknown (the answer was lost), settled, rejected.',
    )
    .option('--unsettled', 'only those that are prepared, sent or unknown')
    .action(async ({ unsettled }: { readonly unsettled?: boolean }) => {
      const { openJournal } = await import('../../journal/open.ts')
      const journal = openJournal(context.stateDir)
      try {
        const found = unsettled ? journal.unsettled() : journal.all()
        await context.output.list(found, intentColumns(context.output.format))
      } finally {
        journal.close()
      }
    })
  examples(command, ['payctl payments intents', 'payctl payments intents --unsettled --json'])
}
