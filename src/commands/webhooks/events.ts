import { eventNames, eventSummaries } from '../../contract/event_names.ts'
import { field } from '../../output/columns.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'

export const events: CommandModule = (command, context) => {
  command.description('List the events that can be subscribed to. Asks nobody.').action(() =>
    context.output.list(
      eventNames.map((event) => ({ event, meaning: eventSummaries[event] })),
      [field('event', ({ event }) => event), field('meaning', ({ meaning }) => meaning)],
    ),
  )
  examples(command, ['payctl webhooks events', 'payctl webhooks create --url https://example.com/hook --events all'])
}
