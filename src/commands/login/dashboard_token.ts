import type { Credentials } from '../../auth/credentials.ts'
import type { Context } from '../../cli/command.ts'
import { askForLogin } from '../../cli/prompts.ts'
import { checkedSecret, secretFromInput } from '../../cli/secret_input.ts'
import { CliError } from '../../errors/cli_error.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { foreign, say } from '../../words/text.ts'
import { keepLogin, type LoginTarget, whoIs } from './target.ts'

/** Saves a token from the service's dashboard, if the service accepts it. */
export async function loginWithToken(login: LoginTarget, context: Context): Promise<Credentials> {
  const access_token = await readToken(context, login)
  const { baseUrl, authUrl } = login.target
  const user = await whoIs(access_token, baseUrl, context).catch((error: unknown) => {
    throw isServiceAnswer(error, 401) ? refused(baseUrl, error.message) : error
  })
  const credentials: Credentials = {
    kind: 'dashboard',
    base_url: baseUrl,
    auth_url: authUrl,
    access_token,
    obtained_at: new Date().toISOString(),
    ...(user && { user }),
  }
  await keepLogin(credentials, login, context)
  return credentials
}

const name = 'The token'

async function readToken(context: Context, { target }: LoginTarget): Promise<string> {
  if (!context.interactive) return await secretFromInput(context, name)
  const again = { kind: 'log_in', profile: target.profile, flags: ['--with-token'] } as const
  return checkedSecret(await askForLogin(context, { message: 'Token from the dashboard', hidden: true, again }), name)
}

const refused = (baseUrl: string, why: string): CliError =>
  new CliError(
    'unauthenticated',
    say`${baseUrl} does not accept this token: ${foreign(why)} It was not saved.`,
    'Copy the whole token from the dashboard again, and check that it is for this service',
  )
