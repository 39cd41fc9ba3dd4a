import { notLoggedIn } from '../../auth/refusals.ts'
import { command } from '../../cli/command.ts'
import { renewalOptions, storedCredentials } from '../../cli/connection.ts'
import { object } from '../../cli/prints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { statusColumns, statusOf } from '../login/outcome.ts'

export const refresh = command({
  summary: 'Renew the login now',
  about: 'Renew the login now. Commands do so by themselves when it is due.',
  prints: object(async () => (await import('../schema/machine_shapes.ts')).login),
  examples: ['payctl auth refresh', 'payctl auth refresh --profile prod'],
  async run(_, context) {
    const { profile, token } = await context.target()
    if (token !== undefined) throw nothingToRenew('The token is given by flag or environment', profile)
    const credentials = await storedCredentials(context)
    if (!credentials) throw notLoggedIn(profile)
    if (credentials.refresh_token === undefined) throw nothingToRenew('This login has no refresh token', profile)
    const { renewCredentials } = await import('../../auth/renewal.ts')
    const fresh = await renewCredentials(credentials, { ...renewalOptions(context), profile, forced: true })
    await context.output.record(statusOf(fresh, profile, context), statusColumns)
  },
})

const nothingToRenew = (why: string, profile: string): UsageError =>
  new UsageError(`${why}: there is nothing to renew.`, {
    kind: 'log_in',
    profile,
    words: 'To log in for a token that renews itself',
  })
