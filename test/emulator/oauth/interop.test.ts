import { createRequire } from 'node:module'
import * as strict from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { oauthEndpoints } from '../../../src/contract/index.ts'
import { callback, credentials, type OAuthApp, search, startOAuthApp } from './oauth_app.ts'

/** Follows the client's link and allows everything; returns the URL of the redirect to the client. */
async function followed(link: string | URL): Promise<URL> {
  const form = search({ user: demo.user.id, grant: ['read-user', 'send-payments'], decision: 'allow' })
  const response = await fetch(link, { method: 'POST', body: form, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? 'none:')
}

interface SimpleToken {
  readonly token: { readonly access_token: string; readonly refresh_token: string; readonly scope: string }
  expired(): boolean
  refresh(): Promise<SimpleToken>
}

interface SimpleClient {
  authorizeURL(request: object): string
  getToken(answer: object): Promise<SimpleToken>
}

// The package is published without types.
const { AuthorizationCode } = createRequire(import.meta.url)('simple-oauth2') as {
  AuthorizationCode: new (options: object) => SimpleClient
}

test.each([
  ['json', 'body'],
  ['form', 'body'],
  ['json', 'header'],
  ['form', 'header'],
])('simple-oauth2, %s body, secret in the %s', async (bodyFormat, authorizationMethod) => {
  const app = await startOAuthApp()
  const client = new AuthorizationCode({
    client: { id: credentials.client_id, secret: credentials.client_secret },
    auth: {
      tokenHost: app.emulator.authUrl,
      tokenPath: oauthEndpoints['oauth.token'].path,
      authorizePath: oauthEndpoints['oauth.authorize'].path,
    },
    options: { bodyFormat, authorizationMethod },
  })
  const link = client.authorizeURL({ redirect_uri: callback, scope: ['read-user', 'send-payments'], state: 'abc' })

  const called = await followed(link)
  const token = await client.getToken({ code: called.searchParams.get('code'), redirect_uri: callback })
  const renewed = await token.refresh()

  expect(called.searchParams.get('state')).toBe('abc')
  expect(token.token.scope).toBe('read-user send-payments')
  expect(token.expired()).toBe(false)
  expect(renewed.token.refresh_token).not.toBe(token.token.refresh_token)
  expect(await app.asked(renewed.token.access_token)).toMatchObject({ status: 200 })
})

describe('oauth4webapi', () => {
  const client: strict.Client = { client_id: credentials.client_id }
  const insecure = { [strict.allowInsecureRequests]: true }

  const serverOf = ({ emulator }: OAuthApp): strict.AuthorizationServer => ({
    issuer: emulator.authUrl,
    authorization_endpoint: `${emulator.authUrl}${oauthEndpoints['oauth.authorize'].path}`,
    token_endpoint: `${emulator.authUrl}${oauthEndpoints['oauth.token'].path}`,
  })

  test.each([
    ['ClientSecretPost', strict.ClientSecretPost(credentials.client_secret)],
    ['ClientSecretBasic', strict.ClientSecretBasic(credentials.client_secret)],
  ])('authorize, token and refresh with PKCE and %s', async (_, authentication) => {
    const app = await startOAuthApp()
    const server = serverOf(app)
    const verifier = strict.generateRandomCodeVerifier()
    const state = strict.generateRandomState()
    const link = app.link({
      scope: 'read-user send-payments',
      state,
      code_challenge: await strict.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })

    const called = strict.validateAuthResponse(server, client, await followed(link), state)
    const token = await strict.processAuthorizationCodeResponse(
      server,
      client,
      await strict.authorizationCodeGrantRequest(server, client, authentication, called, callback, verifier, insecure),
    )
    const renewed = await strict.processRefreshTokenResponse(
      server,
      client,
      await strict.refreshTokenGrantRequest(server, client, authentication, token.refresh_token ?? '', insecure),
    )

    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read-user send-payments' })
    expect(await app.asked(renewed.access_token)).toMatchObject({ status: 200 })
  })

  test('understands the refusals', async () => {
    const app = await startOAuthApp()
    const server = serverOf(app)
    const refused = await fetch(app.link({ scope: 'none' }), { redirect: 'manual' })
    const location = new URL(refused.headers.get('location') ?? 'none:')

    expect(() => strict.validateAuthResponse(server, client, location, 'xyz')).toThrow(
      expect.objectContaining({ error: 'invalid_scope', error_description: expect.any(String) }),
    )
    const wrong = strict.ClientSecretBasic('guess')
    const answer = await strict.refreshTokenGrantRequest(server, client, wrong, 'x', insecure)
    await expect(strict.processRefreshTokenResponse(server, client, answer)).rejects.toThrow(
      strict.WWWAuthenticateChallengeError,
    )
    const right = strict.ClientSecretPost(credentials.client_secret)
    const stale = await strict.refreshTokenGrantRequest(server, client, right, 'x', insecure)
    await expect(strict.processRefreshTokenResponse(server, client, stale)).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })
  })
})
