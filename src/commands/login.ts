import { duration, integer } from '../cli/arguments.ts'
import { type CommandRecord, type Context, command, type Input } from '../cli/command.ts'
import { object } from '../cli/prints.ts'
import { emulatorProfile, profileInUse } from '../config/profile.ts'
import { allScopes } from '../contract/scopes.ts'
import { CliError } from '../errors/cli_error.ts'
import { say } from '../words/text.ts'
import { scopeList } from './scope_list.ts'

const flags = {
  '--with-token': {
    about: 'log in with a token from the dashboard, read from stdin',
    conflicts: ['scopes', 'clientId', 'clientSecretFile', 'port', 'loginTimeout'],
  },
  '--scopes <a,b>': {
    about: `scopes for payctl (default: the service's choice): ${allScopes.join(', ')}`,
    parse: scopeList,
  },
  '--client-id <id>': { about: 'OAuth client (default: PAYCTL_CLIENT_ID, the profile’s, or payctl asks)' },
  '--client-secret-file <file>': {
    about: 'file with the client’s secret, - for stdin (default: PAYCTL_CLIENT_SECRET, or payctl asks)',
    of: 'file',
  },
  '--no-browser': {
    about: 'print the address instead of opening it, then ask for the address that the browser went to',
  },
  '--port <n>': {
    about: 'port of this machine where the answer arrives, for a client with a registered port (default: any)',
    parse: integer({ min: 1, max: 65_535 }),
  },
  '--login-timeout <duration>': { about: 'time limit for you to log in: 90s, 10m (default: 5m)', parse: duration },
} as const satisfies CommandRecord['flags']

export type LoginFlags = Input<Record<never, never>, typeof flags>

export const login = command({
  summary: 'Log in in your browser, or with a token',
  about:
    'Log in to the service in your browser, or with a token from its dashboard. The login is saved for the profile in ' +
    'a file that only you can read, or in the keyring (see payctl config set). Every command uses the login, and ' +
    'renews it when necessary. payctl login needs a terminal, except with --with-token. Exit 5: access was denied, or ' +
    'the client is not allowed to log in this way; 4: nobody answered, or the client, code or token was not accepted; ' +
    '7: any other refusal; 12: the OAuth server failed, or can’t be reached.',
  flags,
  prints: object(async () => (await import('./schema/machine_shapes.ts')).login),
  examples: [
    'payctl login --base-url https://api.example.com      # the first time',
    'payctl login --scopes read-user,read-accounts',
    'payctl login --no-browser                            # over ssh',
    'payctl login --with-token < token.txt',
    'payctl login --emulator',
  ],
  run: logIn,
})

async function logIn(flags: LoginFlags, context: Context): Promise<void> {
  if (!flags.withToken) requirePerson(flags, context)
  const { loginTarget } = await import('./login/target.ts')
  const login = await loginTarget(context)
  const credentials = flags.withToken
    ? await (await import('./login/dashboard_token.ts')).loginWithToken(login, context)
    : await (await import('./login/browser.ts')).loginByPage(login, flags, context)
  const { statusColumns, statusOf } = await import('./login/outcome.ts')
  const { output, globals } = context
  output.note(credentials.user ? say`Logged in as ${credentials.user.name} (${credentials.user.email}).` : 'Logged in.')
  await output.record(statusOf(credentials, login.target.profile, context), statusColumns)
  const outranking =
    globals.token !== undefined ? '--token' : isOutranked(login.target.profile, context) && 'PAYCTL_TOKEN'
  if (outranking) output.note(say`${outranking} is also set, and takes precedence over this login.`)
}

/**
 * True if PAYCTL_TOKEN takes precedence over the login in later commands: not where a flag must choose the profile, and
 * at the emulator only if PAYCTL_BASE_URL names it.
 */
function isOutranked(profile: string, { config, env }: Context): boolean {
  if (!env.PAYCTL_TOKEN || profileInUse({}, env, () => config) !== profile) return false
  return profile !== emulatorProfile || env.PAYCTL_BASE_URL !== undefined
}

/** Throws if nobody can log in with a browser. If the secret comes from stdin, only stderr must be a terminal. */
function requirePerson({ clientSecretFile }: LoginFlags, { interactive, io, globals }: Context): void {
  const isThere = clientSecretFile === '-' ? io.stderr.isTTY === true && globals.mayAsk !== false : interactive
  if (isThere) return
  throw new CliError('unauthenticated', 'Logging in with a browser needs a person at a terminal.', {
    kind: 'log_in',
    flags: ['--with-token'],
    words: 'Set PAYCTL_TOKEN, or give a token from the dashboard on stdin (< token.txt)',
  })
}
