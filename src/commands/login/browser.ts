import type { Authorization } from '../../auth/authorization.ts'
import { loginInBrowser } from '../../auth/browser_login.ts'
import type { Credentials } from '../../auth/credentials.ts'
import { formerCredentials } from '../../auth/credentials_file.ts'
import { type ClientIdentity, expiry } from '../../auth/token_endpoint.ts'
import type { Context } from '../../cli/command.ts'
import { openBrowser } from '../../cli/open_browser.ts'
import { askForLogin } from '../../cli/prompts.ts'
import type { Target } from '../../config/target.ts'
import { allScopes } from '../../contract/scopes.ts'
import { CliError, saidBy } from '../../errors/cli_error.ts'
import type { LogIn } from '../../errors/next_step.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { asText, say } from '../../words/text.ts'
import type { LoginFlags } from '../login.ts'
import { clientIdentity } from './client_identity.ts'
import { keepLogin, type LoginTarget, whoIs } from './target.ts'

/** Time for the user to log in, in milliseconds: enough to find the device for a second factor. */
const loginTimeout = 300_000

/** Logs in on the service's page. The credentials are on disk before the browser shows success. */
export async function loginByPage(login: LoginTarget, flags: LoginFlags, context: Context): Promise<Credentials> {
  const { target } = login
  const again = (scopes?: string): LogIn => loginAgain(target, flags, scopes)
  const client = await clientIdentity(context, flags, {
    target,
    lastLogin: await formerCredentials(context.configDir, target.profile),
    again: again(),
  })
  const { signal, output } = context
  const credentials = await loginInBrowser({
    authUrl: target.authUrl,
    clientId: client.client_id,
    scopes: flags.scopes,
    port: flags.port ?? 0,
    timeout: flags.loginTimeout ?? loginTimeout,
    signal,
    show: (url) => show(url, flags, context),
    paste: flags.browser || !context.interactive ? undefined : paste(context, again()),
    note: (text) => output.note(text),
    again,
    async complete(code, authorization) {
      const made = await redeem(code, client, authorization, login, context)
      await keepLogin(made, login, context)
      return made
    },
  })
  const { scopes: granted } = credentials
  const missing = granted === undefined ? [] : (flags.scopes ?? allScopes).filter((scope) => !granted.includes(scope))
  if (missing.length > 0)
    output.note(say`Not granted: ${missing.join(', ')}. Commands that need these scopes will say so.`)
  return credentials
}

/** Prints the address even with --quiet: without it the user cannot log in. */
async function show(url: string, { browser }: LoginFlags, { io, env, output, translate }: Context): Promise<void> {
  if (!browser) {
    io.stderr.write(`${translate('Open this address in a browser:')}\n\n  ${url}\n\n`)
    return
  }
  output.note('Opening your browser to log in. Press Ctrl-C to stop waiting.')
  const opened = await openBrowser(url, env.BROWSER)
  const words = opened
    ? 'If the browser does not open, use this address:'
    : 'No browser could be started. Open this address:'
  io.stderr.write(`${translate(words)}\n\n  ${url}\n\n`)
}

const paste = (context: Context, again: LogIn) => (signal: AbortSignal) =>
  askForLogin(context, {
    message: 'Or paste here the address that the browser went to, or the code in that address:',
    again,
    signal,
  })

async function redeem(
  code: string,
  client: ClientIdentity,
  { redirectUri, verifier, scopes }: Authorization,
  { target }: LoginTarget,
  context: Context,
): Promise<Credentials> {
  const { requestToken } = await import('../../auth/token_endpoint.ts')
  const { signal, trace, proxyFor, globals } = context
  const { baseUrl, authUrl } = target
  const start = Date.now()
  const grant = await requestToken(
    { grant_type: 'authorization_code', ...client, redirect_uri: redirectUri, code, code_verifier: verifier },
    { authUrl, signal, trace, proxyFor, timeout: globals.timeout, retries: globals.retries ?? 3 },
  )
  const granted = grant.scopes === undefined ? scopes : grant.scopes
  const user = granted?.includes('read-user') === false ? undefined : await owner(grant.accessToken, baseUrl, context)
  return {
    kind: 'oauth',
    base_url: baseUrl,
    auth_url: authUrl,
    ...client,
    access_token: grant.accessToken,
    ...(grant.refreshToken !== undefined && { refresh_token: grant.refreshToken }),
    ...(granted && { scopes: granted }),
    ...(user && { user }),
    ...expiry(grant, start),
  }
}

/**
 * Looks up the user of the token; undefined if the lookup failed. The login fails only if the service refuses the token
 * itself.
 */
async function owner(token: string, baseUrl: string, context: Context): Promise<Credentials['user']> {
  try {
    return await whoIs(token, baseUrl, context)
  } catch (error) {
    if (context.signal.aborted) throw error
    if (isServiceAnswer(error, 401)) throw foreign(baseUrl)
    context.output.note(say`The user could not be looked up: ${asText(saidBy(error))}`)
    return undefined
  }
}

const foreign = (baseUrl: string): CliError =>
  new CliError(
    'unauthenticated',
    say`${baseUrl} does not accept the token of the OAuth server: not logged in.`,
    'Check that base URL and auth URL belong together',
  )

/** The command to log in again in the browser, with other scopes if given. */
export function loginAgain({ profile }: Target, flags: LoginFlags, scopes?: string): LogIn {
  const { clientId, clientSecretFile, port, browser } = flags
  const wanted = scopes ?? flags.scopes?.join(',')
  const flagsAgain = [
    ...(wanted === undefined ? [] : ['--scopes', wanted]),
    ...(clientId === undefined ? [] : ['--client-id', clientId]),
    ...(clientSecretFile === undefined ? [] : ['--client-secret-file', clientSecretFile]),
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(browser ? [] : ['--no-browser']),
  ]
  return { kind: 'log_in', profile, flags: flagsAgain }
}
