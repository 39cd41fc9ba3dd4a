import { type Credentials, hasExpired } from '../auth/credentials.ts'
import { readCredentials } from '../auth/credentials_file.ts'
import { checkedUrl, isSameUrl } from '../config/base_url.ts'
import { announcedEmulators } from '../config/running_emulators.ts'
import type { Context } from './context.ts'
import { givenToken } from './given_token.ts'

export interface Standing {
  /** What a request could carry now: given, of the login, or the running emulator's. */
  readonly token: string | undefined
  /** The login, where it is what the run would use. */
  readonly credentials?: Credentials | undefined
}

/** For a look that must leave everything as it is: no login is renewed, and no file mode mended. */
export async function tokenAsItStands(context: Context): Promise<Standing> {
  const target = await context.target()
  const given = givenToken(target, context)
  if (given !== undefined) return { token: given }
  const credentials = await readCredentials(context.configDir, target.profile)
  if (!credentials || !(await isOfRunningEmulator(credentials, context.stateDir))) return { token: target.token }
  if (!isSameUrl(credentials.base_url, target.baseUrl) || hasExpired(credentials, Date.now()))
    return { token: undefined, credentials }
  checkedUrl(target.baseUrl, 'The base URL', credentials.access_token)
  return { token: credentials.access_token, credentials }
}

async function isOfRunningEmulator({ emulator_pid, base_url }: Credentials, stateDir: string): Promise<boolean> {
  if (emulator_pid === undefined) return true
  const { running } = announcedEmulators(stateDir)
  return running.some((emulator) => emulator.pid === emulator_pid && emulator.base_url === base_url)
}
