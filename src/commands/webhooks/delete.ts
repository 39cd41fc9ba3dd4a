import { UsageError } from '../../errors/cli_error.ts'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { deletedColumns } from './columns.ts'

export const remove: CommandModule = (command, context) => {
  command
    .description('Remove a webhook subscription for good, after asking. What it still had to deliver is lost.')
    .argument('<id>', 'id of the subscription')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, { yes }: { readonly yes?: boolean }) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      if (!yes) await ask(id, context)
      const client = await context.client()
      await context.output.record(
        await needingScope(client.call('webhooks.delete', { params: { id } })),
        deletedColumns,
      )
    })
  examples(command, [
    'payctl webhooks delete 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl webhooks delete 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --yes',
  ])
}

async function ask(id: string, context: Context): Promise<void> {
  if (!context.interactive) {
    throw new UsageError('Nobody can be asked whether to remove the subscription.', 'Add --yes to remove it.')
  }
  const [{ requireYes }, { needingScope }] = await Promise.all([
    import('../prompts/confirm.ts'),
    import('../../webhooks/subscriptions.ts'),
  ])
  const client = await context.client()
  const { url, events } = await needingScope(client.call('webhooks.get', { params: { id } }))
  const question = `Remove the subscription of ${url} to ${[events].flat().join(', ')}?`
  await requireYes(question, context, 'nothing was removed')
}
