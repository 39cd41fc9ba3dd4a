import type { CommandModule } from '../context.ts'
import { providerName } from '../emulate_values.ts'
import { examples } from '../examples.ts'
import { rateColumns } from './columns.ts'

export const upstream: CommandModule = (command, context) => {
  command
    .description(
      'Show the rates as their provider reports them, without the service’s spread. The provider’s name is part of the ' +
        'request: it comes from --provider, PAYCTL_FX_PROVIDER, the profile, or is upstream.',
    )
    .option('--provider <name>', 'name of the provider at this service', providerName)
    .action(async (flags: { readonly provider?: string }) => {
      const { settings } = await context.target()
      const provider = flags.provider ?? settings.fxProvider
      const client = await context.client()
      await context.output.record(await client.call('fx.upstream', { params: { provider } }), rateColumns)
    })
  examples(command, ['payctl fx upstream', 'payctl fx upstream --provider bccr --json'])
}
