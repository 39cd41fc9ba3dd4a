import { notLoggedIn } from '../../auth/refusals.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { renewalOf, storedCredentials } from '../../cli/stored_token.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { statusColumns, statusOf } from '../login/outcome.ts'

export const refresh: CommandModule = (command, context) => {
  command.description('Renew the login now. Commands do so by themselves when it is due.').action(() => renew(context))
  examples(command, ['payctl auth refresh', 'payctl auth refresh --profile prod'])
}

async function renew(context: Context): Promise<void> {
  const target = await context.target()
  const { profile } = target
  if (target.token !== undefined) throw nothingToRenew('The token is given by flag or environment', profile)
  const credentials = await storedCredentials(context)
  if (!credentials) throw notLoggedIn(profile)
  if (credentials.refresh_token === undefined) throw nothingToRenew('This login has no refresh token', profile)
  const { renewCredentials } = await import('../../auth/renewal.ts')
  const fresh = await renewCredentials(credentials, { ...renewalOf(context), profile, forced: true })
  await context.output.record(statusOf(fresh, profile, context), statusColumns)
}

const nothingToRenew = (why: string, profile: string): UsageError =>
  new UsageError(`${why}: there is nothing to renew.`, {
    kind: 'log_in',
    profile,
    words: 'To log in for a token that renews itself',
  })
