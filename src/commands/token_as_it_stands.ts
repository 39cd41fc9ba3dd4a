import { type Credentials, hasExpired } from '../auth/credentials.ts'
import { readCredentials } from '../auth/credentials_file.ts'
import { isOfEmulator } from '../auth/stored_access.ts'
import { checkedUrl, isSameUrl } from '../config/base_url.ts'
import type { Context } from './context.ts'

export interface Standing {
  /** What a request could carry now: given, of the login, or the running emulator's. */
  readonly token: string | undefined
  /** The login, where it is what the run would use. */
  readonly credentials?: Credentials | undefined
}

/** For a look that must leave everything as it is: no login is renewed, and no file mode mended. */
export async function tokenAsItStands(context: Context): Promise<Standing> {
  const target = await context.target()
  if (target.token !== undefined) return { token: target.token }
  const credentials = await readCredentials(context.configDir, target.profile)
  if (!credentials || !isOfEmulator(credentials, target)) return { token: target.emulator?.token }
  if (!isSameUrl(credentials.base_url, target.baseUrl) || hasExpired(credentials, Date.now()))
    return { token: undefined, credentials }
  checkedUrl(target.baseUrl, 'The base URL', credentials.access_token)
  return { token: credentials.access_token, credentials }
}
