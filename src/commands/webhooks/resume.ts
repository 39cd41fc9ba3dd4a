import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { resumedColumns } from './columns.ts'

export const resume: CommandModule = (command, context) => {
  command
    .description('Take deliveries to a suspended subscription up again. Exit 6 if it is not suspended.')
    .argument('<id>', 'id of the subscription')
    .action(async (id: string) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      const client = await context.client()
      const answer = await needingScope(client.call('webhooks.resume', { params: { id } }))
      // Some services answer with nothing.
      await context.output.record(answer.id ? answer : { ...answer, id }, resumedColumns)
    })
  examples(command, ['payctl webhooks resume 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c'])
}
