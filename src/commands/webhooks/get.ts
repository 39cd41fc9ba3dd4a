import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { subscriptionColumns } from './columns.ts'

export const get: CommandModule = (command, context) => {
  command
    .description('Show one webhook subscription. Values of its headers are masked but for --json, ndjson and yaml.')
    .argument('<id>', 'id of the subscription')
    .option('--show-headers', 'show the values of headers')
    .action(async (id: string, { showHeaders }: { readonly showHeaders?: boolean }) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      const client = await context.client()
      const subscription = await needingScope(client.call('webhooks.get', { params: { id } }))
      await context.output.record(subscription, subscriptionColumns(showHeaders))
    })
  examples(command, [
    'payctl webhooks get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl webhooks get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --json',
  ])
}
