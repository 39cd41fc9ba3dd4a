import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { rateColumns } from './columns.ts'

export const rates: CommandModule = (command, context) => {
  command.description('Show what the service pays (bid) and takes (ask) for a dollar, in colones.').action(async () => {
    const client = await context.client()
    await context.output.record(await client.call('fx.rates'), rateColumns)
  })
  examples(command, ['payctl fx rates', 'payctl fx rates --json'])
}
