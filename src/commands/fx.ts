import { type Context, command } from '../cli/command.ts'
import { endpointCommand, type RowOf } from '../cli/endpoint_command.ts'
import { answer } from '../cli/prints.ts'
import { emulatorProfile } from '../config/profile.ts'
import { CliError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { ApiError } from '../errors/service_errors.ts'
import { columnsOf, time } from '../output/columns.ts'
import { providerName } from './emulate/values.ts'

/** Rates are not money: their numbers are shown unchanged. */
const columns = columnsOf<RowOf<'fx.rates'>>('bid', 'ask', time('last_updated_utc'), 'source')

export const fx = endpointCommand('fx.rates', {
  summary: 'Exchange rates, colones for a dollar',
  about: 'Exchange rates, in colones for a dollar: what the service pays (bid) and takes (ask).',
  columns,
  examples: ['payctl fx', 'payctl fx upstream --json'],
  commands: { rates: () => rates, upstream: () => upstream },
})

const rates = endpointCommand('fx.rates', {
  summary: 'What the service pays and takes for a dollar',
  about: 'Show what the service pays (bid) and takes (ask) for a dollar, in colones. The same as payctl fx.',
  columns,
  examples: ['payctl fx rates', 'payctl fx rates --json'],
})

const upstream = command({
  summary: 'The same rates as their provider reports them, without the service’s spread',
  about:
    'Show the rates as their provider reports them, without the service’s spread. The provider’s name is part of the ' +
    'request: it comes from --provider, PAYCTL_FX_PROVIDER, the profile, or is upstream.',
  flags: { '--provider <name>': { about: 'name of the provider at this service', parse: providerName } },
  prints: answer('fx.upstream'),
  examples: ['payctl fx upstream', 'payctl fx upstream --provider bccr --json'],
  async run({ provider: named }, context) {
    const { settings } = await context.target()
    const provider = named ?? settings.fxProvider
    const client = await context.client()
    const rate = await client.call('fx.upstream', { params: { provider } }).catch(async (error) => {
      throw error instanceof ApiError && error.status === 404 ? await unknownProvider(provider, error, context) : error
    })
    await context.output.record(rate, columns)
  },
})

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
