import { demo } from '../../emulator/seed.ts'
import { forgetCredentials, storeCredentials } from '../../src/auth/credentials_file.ts'
import { expiry, requestToken } from '../../src/auth/token_endpoint.ts'
import { consent, redirectUri } from './browser.ts'
import { type Place, userIds } from './places.ts'
import type { Told } from './told.ts'

/** As after a consent in the browser: the code has come to payctl, which exchanges it. */
export async function logIn(
  { journal, user }: Place,
  { folder, baseUrl }: { readonly folder: string; readonly baseUrl: string },
): Promise<void> {
  const authUrl = baseUrl
  const redirect_uri = redirectUri
  const code = await consent(userIds[user], authUrl)
  if (code === undefined) return
  const identity = { client_id: demo.clientId, client_secret: demo.clientSecret }
  const start = Date.now()
  const grant = await requestToken(
    { grant_type: 'authorization_code', ...identity, redirect_uri, code, code_verifier: undefined as never },
    { authUrl, signal: new AbortController().signal, retries: 3 },
  )
  await storeCredentials(folder, journal, {
    ...{ kind: 'oauth', base_url: authUrl, auth_url: authUrl, access_token: grant.accessToken, ...identity },
    ...(grant.refreshToken !== undefined && { refresh_token: grant.refreshToken }),
    ...expiry(grant, start),
  })
}

export async function logOut({ journal }: Place, folder: string, tell: (told: Told) => void): Promise<void> {
  await forgetCredentials(folder, journal)
  tell({ what: 'logged out' })
}
