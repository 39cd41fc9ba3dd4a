import type { CommandModule, Context } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import type { ExchangeRate } from '../client/received.ts'
import { emulatorProfile } from '../config/profile.ts'
import { CliError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { ApiError } from '../errors/service_errors.ts'
import { field, time } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import { providerName } from './emulate/values.ts'

export const fx: CommandModule = (command, context) => {
  command
    .description('Exchange rates, in colones for a dollar: what the service pays (bid) and takes (ask).')
    .usage('[options] [command]')
    .action(() => printRates(context))
  examples(command, ['payctl fx', 'payctl fx upstream --json'])
  return {
    rates: {
      summary: 'What the service pays and takes for a dollar',
      load: () => rates,
    },
    upstream: {
      summary: 'The same rates as their provider reports them, without the service’s spread',
      load: () => upstream,
    },
  }
}

/** Rates are not money: their numbers are shown unchanged. */
const rateColumns: readonly Column<ExchangeRate>[] = [
  field('bid', ({ bid }) => bid),
  field('ask', ({ ask }) => ask),
  time('last_updated_utc', (rate) => rate.last_updated_utc),
  field('source', ({ source }) => source),
]

const rates: CommandModule = (command, context) => {
  command
    .description('Show what the service pays (bid) and takes (ask) for a dollar, in colones. The same as payctl fx.')
    .action(() => printRates(context))
  examples(command, ['payctl fx rates', 'payctl fx rates --json'])
}

async function printRates(context: Context): Promise<void> {
  const client = await context.client()
  await context.output.record(await client.call('fx.rates'), rateColumns)
}

const upstream: CommandModule = (command, context) => {
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

/** The provider's name is part of the path, so a wrong name is a 404. */
async function unknownProvider(provider: string, cause: ApiError, context: Context): Promise<CliError> {
  const { profile } = await context.target()
  const name = profile === emulatorProfile ? '<profile>' : profile
  return new CliError(
    'not_found',
    `${cause.message} This service may not call its rate provider ${provider}.`,
    toRun(
      ['profiles', 'set', name, '--fx-provider', '<name>'],
      'Name the provider for this run with --provider <name>, or for all runs',
    ),
    { cause },
  )
}
