import type { WebhookSubscription } from '../../contract/index.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { listColumns } from './columns.ts'

export const list: CommandModule = (command, context) => {
  command
    .description(
      'List your webhook subscriptions, from all pages where the service has pages. Values of headers are masked, ' +
        'as they can be secrets; --json, ndjson and yaml print them as the service sends them.',
    )
    .option('--show-headers', 'show the values of headers')
    .action(async ({ showHeaders }: { readonly showHeaders?: boolean }) => {
      const { subscriptionsOf } = await import('./subscriptions.ts')
      const found: WebhookSubscription[] = []
      for await (const subscription of subscriptionsOf(await context.client())) found.push(subscription)
      await context.output.list(found, listColumns(showHeaders))
      if (found.length === 0) context.output.note('No subscriptions. Receive events here: payctl webhooks tail')
    })
  examples(command, ['payctl webhooks list', 'payctl webhooks list --show-headers --output csv'])
}
