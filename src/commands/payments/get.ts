import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { uuid } from '../uuid.ts'
import { paymentColumns } from './columns.ts'

export const get: CommandModule = (command, context) => {
  command
    .description('Show one payment. Its status does not change the exit code: see payctl payments watch.')
    .argument('<id>', 'id of the payment', uuid)
    .action(async (id: string) => {
      const client = await context.client()
      await context.output.record(await client.call('payments.get', { params: { id } }), paymentColumns)
    })
  examples(command, [
    'payctl payments get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl payments get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --json',
  ])
}
