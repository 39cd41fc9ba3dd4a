import type { Credentials } from '../../auth/credentials.ts'
import type { ClientIdentity } from '../../auth/token_endpoint.ts'
import type { Context } from '../../cli/command.ts'
import { askForLogin } from '../../cli/prompts.ts'
import { secretFromFile, secretFromInput } from '../../cli/secret_input.ts'
import { isSameUrl } from '../../config/base_url.ts'
import { emulatorProfile } from '../../config/profile.ts'
import type { Target } from '../../config/target.ts'
import type { LogIn } from '../../errors/next_step.ts'
import { asText, type Said, say } from '../../words/text.ts'
import type { LoginFlags } from '../login.ts'

type IdentityFlags = Pick<LoginFlags, 'clientId' | 'clientSecretFile'>

/**
 * Finds the OAuth client id and secret: in flags and environment, at the emulator, in the last login, or by asking the
 * user. `lastLogin`: last login of this profile; `again`: command to suggest after an unanswered question.
 */
export async function clientIdentity(
  context: Context,
  flags: IdentityFlags,
  {
    target,
    lastLogin,
    again,
  }: { readonly target: Target; readonly lastLogin: Credentials | undefined; readonly again: LogIn },
): Promise<ClientIdentity> {
  const last = lastLogin && isSameUrl(lastLogin.auth_url, target.authUrl) ? lastLogin : undefined
  const client_id =
    flags.clientId ??
    target.settings.clientId ??
    last?.client_id ??
    (await askForLogin(context, { message: 'Client id', again }))
  const client_secret =
    (await givenSecret(context, flags, target)) ??
    (target.emulator?.client_id === client_id ? target.emulator.client_secret : undefined) ??
    (last?.client_id === client_id ? last.client_secret : undefined) ??
    (await askForLogin(context, { message: say`Secret of client ${client_id}`, hidden: true, again }))
  return { client_id, client_secret }
}

const secretName = 'The client secret'

async function givenSecret(context: Context, flags: IdentityFlags, target: Target): Promise<string | undefined> {
  const { env, globals, output } = context
  const { clientSecretFile: file } = flags
  if (file !== undefined) {
    return file === '-' ? await secretFromInput(context, secretName) : await secretFromFile(file, secretName)
  }
  const { PAYCTL_CLIENT_SECRET: secret } = env
  if (secret === undefined || globals.emulator) return undefined
  const why =
    globals.profile === undefined ? foreignHome(context, target) : 'with --profile, payctl ignores the environment'
  if (why === undefined) return secret
  output.note(say`PAYCTL_CLIENT_SECRET is not used: ${asText(why)}.`)
  return undefined
}

/** Reason why a secret from the environment belongs to another OAuth server; undefined if it does not. */
function foreignHome({ env, globals }: Context, target: Target): Said | undefined {
  const { PAYCTL_BASE_URL: base, PAYCTL_AUTH_URL: auth } = env
  if (target.profile === emulatorProfile && base === undefined && globals.baseUrl === undefined)
    return say`it is sent only to an emulator that PAYCTL_BASE_URL or --base-url names`
  if (base !== undefined && !isSameUrl(base, target.baseUrl))
    return say`PAYCTL_BASE_URL says that the secret belongs to ${base}`
  if (auth !== undefined && !isSameUrl(auth, target.authUrl))
    return say`PAYCTL_AUTH_URL says that the secret belongs to ${auth}`
  return undefined
}
