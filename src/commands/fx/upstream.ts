import { CliError } from '../../errors/cli_error.ts'
import { quoted } from '../../errors/quoted.ts'
import { ApiError } from '../../errors/service_errors.ts'
import type { CommandModule, Context } from '../context.ts'
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
      const rate = await client.call('fx.upstream', { params: { provider } }).catch(async (error) => {
        throw error instanceof ApiError && error.status === 404
          ? await unknownProvider(provider, error, context)
          : error
      })
      await context.output.record(rate, rateColumns)
    })
  examples(command, ['payctl fx upstream', 'payctl fx upstream --provider bccr --json'])
}

/** The path has the provider's name in it: there is nothing under another. */
async function unknownProvider(provider: string, cause: ApiError, context: Context): Promise<CliError> {
  const { profile } = await context.target()
  const name = profile === 'emulator' ? '<profile>' : quoted(profile)
  return new CliError(
    'not_found',
    `${cause.message} This service may not call its rate provider ${provider}.`,
    `Set the provider's name: payctl profiles set ${name} --fx-provider <name>. For one run: --provider <name>`,
    { cause },
  )
}
