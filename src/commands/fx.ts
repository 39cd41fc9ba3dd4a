import { type Context, command } from '../cli/command.ts'
import { endpointCommand, type RowOf } from '../cli/endpoint_command.ts'
import { answer } from '../cli/prints.ts'
import { emulatorProfile } from '../config/profile.ts'
import { CliError, saidBy } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { ApiError } from '../errors/service_errors.ts'
import { columnsOf, time } from '../output/columns.ts'
import { asText, say } from '../words/text.ts'
import { providerName } from './emulate/values.ts'

/** Rates are not money: their numbers are printed unchanged. */
const columns = columnsOf<RowOf<'fx.rates'>>(
  'bid',
  'ask',
  { ...time('last_updated_utc'), heading: 'last updated, local time' },
  'source',
)

export const fx = endpointCommand('fx.rates', {
  summary: 'Show exchange rates, in colones per dollar',
  about: 'Show exchange rates, in colones per dollar: the service buys dollars at the bid and sells them at the ask.',
  columns,
  examples: ['payctl fx', 'payctl fx upstream --json'],
  commands: { rates: () => rates, upstream: () => upstream },
})

const rates = endpointCommand('fx.rates', {
  summary: 'Show the rates of the service',
  about:
    'Show the rates of the service, in colones per dollar: the service buys dollars at the bid and sells them at the ask. Same as payctl fx.',
  columns,
  examples: ['payctl fx rates', 'payctl fx rates --json'],
})

const upstream = command({
  summary: 'Show the rates of the provider, without the service’s spread',
  about:
    'Show the rates of the provider, without the service’s spread. The name of the provider is part of the ' +
    'request: it comes from --provider, PAYCTL_FX_PROVIDER or the profile. Default: upstream.',
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
    say`${asText(saidBy(cause))} This service’s rate provider may have a name other than ${provider}.`,
    toRun(
      ['profiles', 'set', name, '--fx-provider', '<name>'],
      'Name the provider for this run with --provider <name>. For all runs',
    ),
    { cause },
  )
}
