import type { Credentials } from '../../auth/credentials.ts'
import type { ClientIdentity } from '../../auth/token_endpoint.ts'
import type { Context } from '../../cli/command.ts'
import { askForLogin } from '../../cli/prompts.ts'
import { secretFromFile, secretFromInput } from '../../cli/secret_input.ts'
import { isSameUrl } from '../../config/base_url.ts'
import type { Target } from '../../config/target.ts'
import type { LogIn } from '../../errors/next_step.ts'
import type { Environment } from '../../run/invocation.ts'
import type { LoginFlags } from '../login.ts'

/** A secret in the file `-` comes on stdin. */
type IdentityFlags = Pick<LoginFlags, 'clientId' | 'clientSecretFile'>

interface Known {
  readonly target: Target
  /** Client id and secret of the last login with this profile. */
  readonly last: Credentials | undefined
  /** The command to suggest after an unanswered question. */
  readonly again: LogIn
}

/** The OAuth client id and secret: given, known from the last login, or asked for. */
export async function clientIdentity(context: Context, flags: IdentityFlags, known: Known): Promise<ClientIdentity> {
  const { target, again } = known
  const last = known.last && isSameUrl(known.last.auth_url, target.authUrl) ? known.last : undefined
  const client_id =
    flags.clientId ??
    target.settings.clientId ??
    last?.client_id ??
    (await askForLogin(context, { message: 'Client id', again }))
  const client_secret =
    (await givenSecret(context, flags, target)) ??
    emulatorsSecret(target, client_id) ??
    (last?.client_id === client_id ? last.client_secret : undefined) ??
    (await askForLogin(context, { message: `Secret of client ${client_id}`, hidden: true, again }))
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
  const why = globals.profile === undefined ? foreignHome(env, target) : '--profile outranks the environment as a whole'
  if (why === undefined) return secret
  output.note(`PAYCTL_CLIENT_SECRET is not used: ${why}.`)
  return undefined
}

/** Why a secret of the environment belongs to another OAuth server, if it does. */
function foreignHome(
  { PAYCTL_BASE_URL: base, PAYCTL_AUTH_URL: auth }: Environment,
  target: Target,
): string | undefined {
  if (base !== undefined && !isSameUrl(base, target.baseUrl)) return `PAYCTL_BASE_URL says that it belongs to ${base}`
  if (auth !== undefined && !isSameUrl(auth, target.authUrl)) return `PAYCTL_AUTH_URL says that it belongs to ${auth}`
  return undefined
}

const emulatorsSecret = ({ emulator }: Target, clientId: string): string | undefined =>
  emulator?.client_id === clientId ? emulator.client_secret : undefined
