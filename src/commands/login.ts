import { type Command, Option } from 'commander'
import { duration, integer } from '../cli/arguments.ts'
import type { CommandModule, Context } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import { allScopes } from '../contract/scopes.ts'
import { CliError } from '../errors/cli_error.ts'
import type { BrowserFlags } from './login/browser.ts'
import { scopeList } from './scope_list.ts'

interface Flags extends BrowserFlags {
  readonly withToken?: boolean
}

export const login: CommandModule = (command, context) => {
  command.description(
    'Log in to the service in your browser, or with a token of its dashboard. The login is kept for the profile ' +
      'in a file that only you can read, used by every command and renewed by itself. It needs a terminal, but for ' +
      '--with-token. Exit 5: access was denied; 4: nobody answered, or client, code or token are not accepted; 7: any ' +
      'other refusal; 12: the OAuth server failed, or can’t be reached.',
  )
  addOptions(command).action((flags: Flags) => run(flags, context))
  examples(command, [
    'payctl login --base-url https://api.example.com      # the first time',
    'payctl login --scopes read-user,read-accounts',
    'payctl login --no-browser                            # over ssh',
    'payctl login --with-token < token.txt',
    'payctl login --emulator',
  ])
}

const addOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--with-token', 'take a token of the dashboard from stdin instead').conflicts([
        'scopes',
        'clientId',
        'clientSecretFile',
        'port',
        'loginTimeout',
      ]),
    )
    .option('--scopes <a,b>', `what payctl may do (default: the service's choice): ${allScopes.join(', ')}`, scopeList)
    .option('--client-id <id>', 'OAuth client (default: PAYCTL_CLIENT_ID, the profile’s, or payctl asks)')
    .option('--client-secret-file <file>', 'file with its secret, - for stdin (default: PAYCTL_CLIENT_SECRET, or asks)')
    .option('--no-browser', 'open none: print the address, and take what it ends at when it is pasted')
    .option(
      '--port <n>',
      'port of this machine where the answer arrives, for a client that registered one (default: any)',
      integer({ min: 1, max: 65_535 }),
    )
    .option('--login-timeout <duration>', 'how long to wait for you: 90s, 10m (default: 5m)', duration)

async function run(flags: Flags, context: Context): Promise<void> {
  if (!flags.withToken) requirePerson(flags, context)
  const { loginTarget } = await import('./login/target.ts')
  const login = await loginTarget(context)
  const credentials = flags.withToken
    ? await (await import('./login/dashboard_token.ts')).loginWithToken(login, context)
    : await (await import('./login/browser.ts')).loginByPage(login, flags, context)
  const { statusColumns, statusOf } = await import('./login/outcome.ts')
  const { output, globals, env } = context
  output.note(credentials.user ? `Logged in as ${credentials.user.name} (${credentials.user.email}).` : 'Logged in.')
  await output.record(statusOf(credentials, login.target.profile, context), statusColumns)
  const outranking = globals.token !== undefined ? '--token' : env.PAYCTL_TOKEN && 'PAYCTL_TOKEN'
  if (outranking) output.note(`${outranking} is given too, and outranks this login.`)
}

/** A secret that comes on stdin takes the place of a terminal there. */
function requirePerson({ clientSecretFile }: Flags, { interactive, io, globals }: Context): void {
  const isThere = clientSecretFile === '-' ? io.stderr.isTTY === true && globals.mayAsk !== false : interactive
  if (isThere) return
  throw new CliError('unauthenticated', 'Logging in in a browser needs a person at a terminal, and there is none.', {
    kind: 'log_in',
    flags: ['--with-token'],
    words: 'Set PAYCTL_TOKEN, or give a token of the dashboard on stdin (< token.txt)',
  })
}
