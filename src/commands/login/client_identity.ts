import type { Credentials } from '../../auth/credentials.ts'
import type { ClientIdentity } from '../../auth/token_endpoint.ts'
import { isSameUrl } from '../../config/base_url.ts'
import { emulatorProfile } from '../../config/profile.ts'
import { runningEmulators } from '../../config/running_emulators.ts'
import type { Context, Target } from '../context.ts'
import { ask } from './ask.ts'
import { secretFromFile, secretFromInput } from './secret_input.ts'

export interface IdentityFlags {
  readonly clientId?: string
  /** `-` for stdin. */
  readonly clientSecretFile?: string
}

interface Known {
  readonly target: Target
  /** Of the last login under this profile. */
  readonly last: Credentials | undefined
}

/** Which OAuth client payctl is here, and its secret: as given, as known, or as the user types them. */
export async function clientIdentity(context: Context, flags: IdentityFlags, known: Known): Promise<ClientIdentity> {
  const { target } = known
  const last = known.last && isSameUrl(known.last.auth_url, target.authUrl) ? known.last : undefined
  const client_id =
    flags.clientId ?? target.settings.clientId ?? last?.client_id ?? (await ask(context, { message: 'Client id' }))
  const client_secret =
    (await givenSecret(context, flags)) ??
    (await emulatorsSecret(context, target, client_id)) ??
    (last?.client_id === client_id ? last.client_secret : undefined) ??
    (await ask(context, { message: `Secret of client ${client_id}`, hidden: true }))
  return { client_id, client_secret }
}

const secretName = 'The client secret'

async function givenSecret(context: Context, flags: IdentityFlags): Promise<string | undefined> {
  const { env, globals, output } = context
  const { clientSecretFile: file } = flags
  if (file !== undefined) {
    return file === '-' ? await secretFromInput(context, secretName) : await secretFromFile(file, secretName)
  }
  const { PAYCTL_CLIENT_SECRET: secret } = env
  if (secret === undefined || (globals.profile === undefined && !globals.emulator)) return secret
  if (!globals.emulator) output.note('PAYCTL_CLIENT_SECRET is not used: --profile outranks the environment as a whole.')
  return undefined
}

async function emulatorsSecret(
  { stateDir }: Context,
  { profile, baseUrl }: Target,
  clientId: string,
): Promise<string | undefined> {
  if (profile !== emulatorProfile) return undefined
  const running = runningEmulators(stateDir)
  return running.find(({ base_url, client_id }) => base_url === baseUrl && client_id === clientId)?.client_secret
}
