import { type Credentials, canRenew, hasExpired } from '../auth/credentials.ts'
import { readCredentials } from '../auth/credentials_file.ts'
import { notLoggedIn } from '../auth/refusals.ts'
import { type Context, command } from '../cli/command.ts'
import { renewalOptions, storedCredentials, storedToken } from '../cli/connection.ts'
import { withHint } from '../cli/next_step.ts'
import { object } from '../cli/prints.ts'
import { profileInUse } from '../config/profile.ts'
import type { Target } from '../config/target.ts'
import { UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { columnsOf } from '../output/columns.ts'
import { say, Text } from '../words/text.ts'
import { givenStatus, statusColumns, statusOf } from './login/outcome.ts'

export const auth = command({
  summary: 'Show, print and renew the login',
  about: 'Show the login, print its token, and renew it.',
  examples: ['payctl auth status', 'payctl auth token'],
  commands: {
    status: () => status,
    token: () => token,
    refresh: () => refresh,
  },
})

const status = command({
  summary: 'Show the user, service, scopes and expiry of the login',
  about:
    'Show the user, service, scopes and expiry of the login. Makes no request. Exit code 4 if nobody is logged in, ' +
    'the login has ended, or the service has refused to renew it.',
  prints: object(async () => (await import('./schema/machine_shapes.ts')).login),
  examples: [
    'payctl auth status',
    'payctl auth status --json',
    'payctl auth status --profile prod || payctl login --profile prod',
  ],
  run: (_, context) => show(context),
})

async function show(context: Context): Promise<void> {
  const { globals, output, translate } = context
  const target = await targetOf(context)
  if (target.token !== undefined) {
    const source = globals.token === undefined ? 'PAYCTL_TOKEN' : '--token'
    return output.record(givenStatus(target, source), statusColumns)
  }
  const credentials = await storedCredentials(context)
  if (!credentials) {
    if (!target.emulator) throw notLoggedIn(target.profile)
    return output.record(givenStatus(target, 'emulator'), statusColumns)
  }
  await output.record(statusOf(credentials, target.profile, context), statusColumns)
  const end = endOf(credentials)
  if (end === undefined) return
  output.note(withHint(end, { kind: 'log_in', profile: target.profile, words: 'Log in again' }, globals, translate))
  context.exitWith(exits.unauthenticated.code)
}

/**
 * Reason why the login does not work; undefined if it works. A refused renewal usually means that the service has ended
 * the login.
 */
function endOf(credentials: Credentials): string | undefined {
  if (canRenew(credentials)) return undefined
  if (hasExpired(credentials, Date.now())) return 'The login has ended.'
  return credentials.renewal_refused_at === undefined ? undefined : 'The service has refused to renew the login.'
}

/** The target. If nothing names a target and no login is saved, the error says that the user is not logged in. */
async function targetOf(context: Context): Promise<Target> {
  try {
    return await context.target()
  } catch (error) {
    if (!(error instanceof UsageError) || context.globals.profile !== undefined) throw error
    const profile = profileInUse(context.globals, context.env, () => context.config)
    throw (await readCredentials(context.configDir, profile)) ? error : notLoggedIn(profile)
  }
}

interface Printed {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly base_url: string
}

const columns = columnsOf<Printed>('access_token', 'token_type', 'base_url')

const token = command({
  summary: 'Print the access token, for other tools',
  about:
    'Print only the access token, on one line. Renews the token first if it is about to expire. Anybody who reads it ' +
    'can use it: keep it out of files, logs and the arguments of commands.',
  prints: object(async () => (await import('./schema/machine_shapes.ts')).accessToken),
  examples: ['PAYCTL_TOKEN=$(payctl auth token) ./nightly.sh', 'payctl auth token --json'],
  async run(_, context) {
    const target = await context.target()
    const access_token = target.token ?? (await (await storedToken(context)).token())
    const { output } = context
    if (output.format === 'table' || output.format === 'tsv') return output.line(access_token)
    await output.record({ access_token, token_type: 'Bearer', base_url: target.baseUrl }, columns)
  },
})

const refresh = command({
  summary: 'Renew the login now',
  about: 'Renew the login now. Other commands renew the login automatically when necessary.',
  prints: object(async () => (await import('./schema/machine_shapes.ts')).login),
  examples: ['payctl auth refresh', 'payctl auth refresh --profile prod'],
  async run(_, context) {
    const { profile, token } = await context.target()
    if (token !== undefined) throw nothingToRenew('The token comes from a flag or the environment', profile)
    const credentials = await storedCredentials(context)
    if (!credentials) throw notLoggedIn(profile)
    if (credentials.refresh_token === undefined) throw nothingToRenew('This login has no refresh token', profile)
    const { renewCredentials } = await import('../auth/renewal.ts')
    const fresh = await renewCredentials(credentials, { ...renewalOptions(context), profile, forced: true })
    await context.output.record(statusOf(fresh, profile, context), statusColumns)
  },
})

const nothingToRenew = (why: string, profile: string): UsageError =>
  new UsageError(say`${new Text(why)}: nothing to renew.`, {
    kind: 'log_in',
    profile,
    words: 'To get a token that payctl can renew',
  })
