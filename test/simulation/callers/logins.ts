import { demo } from '../../../emulator/worlds/seed.ts'
import { newAuthorization } from '../../../src/auth/authorization.ts'
import { forgetCredentials, storeCredentials } from '../../../src/auth/credentials_file.ts'
import { expiry, requestToken } from '../../../src/auth/token_endpoint.ts'
import { allScopes } from '../../../src/contract/index.ts'
import { CliError, IntentError } from '../../../src/errors/cli_error.ts'
import { type Place, userIds } from '../script/places.ts'
import { consent, redirectUri } from './browser.ts'
import type { Action, End } from './callers.ts'
import type { Told } from './told.ts'

/** Logs in after a consent in the browser: exchanges the code that payctl received. */
export async function logIn(
  { profile, user }: Place,
  { folder, baseUrl }: { readonly folder: string; readonly baseUrl: string },
): Promise<void> {
  const authUrl = baseUrl
  const { clientId } = demo
  const { url, verifier } = newAuthorization({ authUrl, clientId, redirectUri, scopes: allScopes })
  const code = await consent(userIds[user], url)
  if (code === undefined) return
  const identity = { client_id: clientId, client_secret: demo.clientSecret }
  const start = Date.now()
  const grant = await requestToken(
    { grant_type: 'authorization_code', ...identity, redirect_uri: redirectUri, code, code_verifier: verifier },
    { authUrl, signal: new AbortController().signal, retries: 3 },
  )
  await storeCredentials(folder, profile, {
    ...{ kind: 'oauth', base_url: authUrl, auth_url: authUrl, access_token: grant.accessToken, ...identity },
    ...(grant.refreshToken !== undefined && { refresh_token: grant.refreshToken }),
    ...expiry(grant, start),
    // The commands save this id too: only a process of the same user may use the login.
    login_id: `login of ${grant.accessToken}`,
    user: { id: userIds[user], name: user, email: `${user}@example.com` },
  })
}

/** True if an error of the operation asks the user to log in. */
export function isToldToLogIn({ action, told, error }: End): boolean {
  if (action.do === 'log in') return false
  const errors = [error, ...told.map((one) => ('error' in one ? one.error : undefined))]
  return errors.map(causeOf).some((cause) => cause instanceof CliError && cause.next?.kind === 'log_in')
}

const causeOf = (error: unknown): unknown => (error instanceof IntentError ? error.cause : error)

/** The login after an operation for which `isToldToLogIn` is true. */
export const loggingIn = ({ id, caller }: Action) => ({ id: id + 1000, caller, do: 'log in' }) as const

export async function logOut({ profile }: Place, folder: string, tell: (told: Told) => void): Promise<void> {
  await forgetCredentials(folder, profile)
  tell({ what: 'logged out' })
}
