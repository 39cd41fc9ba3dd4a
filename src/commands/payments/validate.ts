import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { validationColumns } from './columns.ts'
import { completeFlags, type GivenFlags, parseOrder, paymentFlags } from './payment_flags.ts'

export const validate: CommandModule = (command, context) => {
  paymentFlags(command)
    .description(
      'Have the service check a payment and tell its channel and fee. Sends nothing. At a terminal it asks for what is missing.',
    )
    .action(async (flags: GivenFlags) => {
      const { body, key } = parseOrder(await completeFlags(flags, context))
      const client = await context.client()
      const request = { headers: { 'X-Idempotency-Key': key }, body }
      await context.output.record(await client.call('payments.validate', request), validationColumns)
    })
  examples(command, [
    'payctl payments validate --from 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --to 8888-1234 --amount 1500.25',
    'payctl payments validate --from 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --to CR05015202001026284066 --amount 10 --json',
  ])
}
