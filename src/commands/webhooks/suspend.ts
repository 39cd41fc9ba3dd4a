import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { suspendedColumns } from './columns.ts'

export const suspend: CommandModule = (command, context) => {
  command
    .description('Stop deliveries to a subscription until it is resumed. Exit 6 if it is suspended already.')
    .argument('<id>', 'id of the subscription')
    .option('--reason <text>', 'why, as the subscription will show it')
    .action(async (id: string, { reason }: { readonly reason?: string }) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      const client = await context.client()
      const body = reason === undefined ? {} : { reason }
      const answer = await needingScope(client.call('webhooks.suspend', { params: { id }, body }))
      // Some services answer with nothing.
      await context.output.record(answer.id ? answer : { ...answer, id }, suspendedColumns)
    })
  examples(command, [
    'payctl webhooks suspend 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --reason "Moving the receiver"',
    'payctl webhooks resume 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
  ])
}
