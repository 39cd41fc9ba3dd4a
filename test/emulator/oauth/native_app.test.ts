import { hash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../src/contract/index.ts'
import { credentials, type OAuthApp, redirectOf, startOAuthApp } from './oauth_app.ts'

const redirect_uri = 'com.example.wallet:/callback'

/** Values that a native app generates for each login. */
function proofKey() {
  const code_verifier = randomBytes(32).toString('base64url')
  return { code_verifier, code_challenge: hash('sha256', code_verifier, 'base64url'), code_challenge_method: 'S256' }
}

async function startNativeApp() {
  const app = await startOAuthApp()
  await app.register({ client_id: 'wallet', name: 'Mi Billetera', public: true, redirect_uris: [redirect_uri] })
  return app
}

/** Logs in up to the code; returns the redirect with the code, and the key that redeems the code. */
async function signedIn(app: OAuthApp, uri = redirect_uri) {
  const { code_verifier, ...challenge } = proofKey()
  const response = await app.decide({ client_id: 'wallet', redirect_uri: uri, ...challenge })
  return { location: response.headers.get('location') ?? '', code_verifier }
}

const redeem = (app: OAuthApp, location: string, changes: Record<string, unknown>) =>
  app.token({
    grant_type: 'authorization_code',
    client_id: 'wallet',
    redirect_uri,
    code: new URL(location).searchParams.get('code'),
    ...changes,
  })

describe('a native app', () => {
  test('gets the redirect at its own scheme, and exchanges the code and refreshes without a secret', async () => {
    const app = await startNativeApp()
    const { location, code_verifier } = await signedIn(app)
    expect(location).toMatch(/^com\.example\.wallet:\/callback\?code=[\w-]{43}&state=xyz$/)

    const { status, body } = await redeem(app, location, { code_verifier })
    expect(status).toBe(200)
    expect(await app.asked(body.access_token)).toMatchObject({ status: 200 })
    const renewed = await app.token({
      grant_type: 'refresh_token',
      client_id: 'wallet',
      refresh_token: body.refresh_token,
    })
    expect(await app.asked(renewed.body.access_token)).toMatchObject({ status: 200 })
  })

  test('is named on the consent page, which lets the browser go to its scheme', async () => {
    const app = await startNativeApp()
    const { code_verifier: _, ...challenge } = proofKey()
    const page = await app.page({ client_id: 'wallet', redirect_uri, ...challenge })
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' http: https: com.example.wallet:;",
    )
    const text = await page.text()
    expect(text).toContain('<bdi>Mi Billetera</bdi> asks for access')
    expect(text).toContain('<strong>com.example.wallet:</strong>')
  })

  test.each([
    ['another path', 'com.example.wallet:/other'],
    ['more slashes', 'com.example.wallet:///callback'],
    ['another scheme', 'com.example.wallets:/callback'],
    ['capitals', 'com.example.WALLET:/callback'],
  ])('is not answered at %s', async (_, uri) => {
    const app = await startNativeApp()
    const response = await app.decide({ client_id: 'wallet', redirect_uri: uri, ...proofKey() })
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({
      status: 400,
      location: null,
    })
  })

  test('must send a code challenge and its verifier', async () => {
    const app = await startNativeApp()
    const without = await app.decide({ client_id: 'wallet', redirect_uri })
    expect(redirectOf(without).get('error')).toBe('invalid_request')

    const { location } = await signedIn(app)
    for (const changes of [{}, { code_verifier: proofKey().code_verifier }]) {
      expect((await redeem(app, location, changes)).body.error).toBe('invalid_grant')
    }
  })

  test('is refused if it sends a secret, as is a client that omits its secret', async () => {
    const app = await startNativeApp()
    const { location, code_verifier } = await signedIn(app)
    for (const client_secret of ['', 'guessed', credentials.client_secret]) {
      expect(await redeem(app, location, { code_verifier, client_secret })).toMatchObject({ status: 401 })
    }
    const answer = await app.exchange(await app.code(), { client_secret: undefined })
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('may have a loopback redirect on any port', async () => {
    const app = await startOAuthApp()
    await app.register({ client_id: 'wallet', public: true, redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]/cb'] })
    for (const uri of ['http://127.0.0.1:49200/cb', 'http://[::1]:1/cb']) {
      const { location, code_verifier } = await signedIn(app, uri)
      expect(await redeem(app, location, { redirect_uri: uri, code_verifier })).toMatchObject({ status: 200 })
    }
  })
})

describe('clients that are named at the start', () => {
  const shop = { id: 'shop', name: 'La Tienda', secret: 'shop-secret', redirectUris: ['https://shop.example/callback'] }
  const link = { client_id: 'shop', redirect_uri: 'https://shop.example/callback' }
  const secret = { client_id: 'shop', client_secret: 'shop-secret', redirect_uri: link.redirect_uri }

  test('can sign users in with their fixed secret, in every world, also after a reset', async () => {
    const app = await startOAuthApp({ oauthClients: [shop] })
    const { emulator } = app
    await using world = await emulator.world({ from: { seed: 'empty' } })
    await emulator.control.clients.remove({ client_id: 'shop' })
    expect((await app.page(link)).status).toBe(400)
    await emulator.control.reset()
    for (const { authUrl } of [emulator, world]) {
      const there = Object.assign(Object.create(app), { emulator: { ...emulator, authUrl } }) as OAuthApp
      expect(await there.exchange(await there.code(link), secret)).toMatchObject({ status: 200 })
    }
  })

  test.each([
    [[{ ...shop, id: 'payctl' }]],
    [[{ ...shop, id: 'a b' }]],
    [[shop, shop]],
    [[{ ...shop, redirectUris: [] }]],
    [[{ ...shop, redirectUris: ['javascript:alert(1)'] }]],
    [[{ ...shop, redirectUris: ['http://[/'] }]],
    [[{ ...shop, secret: '' }]],
    [[{ ...shop, uris: [] }]],
  ])('%j are refused', async (oauthClients) => {
    await expect(startOAuthApp({ oauthClients })).rejects.toThrow(/The option oauthClients takes/)
  })

  test('need strong secrets where other machines reach them', async () => {
    const secrets = { token: 'A-token-of-our-own-0123456789', controlToken: 'A-control-token-0123456789' }
    const start = startOAuthApp({ host: '0.0.0.0', ...secrets, oauthClients: [shop] })
    await expect(start).rejects.toThrow(/the secret of the OAuth client shop has fewer than 20 characters/)
  })
})

test('a browser app exchanges its code through its development server, which passes its origin on', async () => {
  const app = await startOAuthApp()
  const uri = 'http://localhost:5173/callback'
  await app.register({ client_id: 'wallet', public: true, redirect_uris: ['http://localhost/callback'] })
  const { location, code_verifier } = await signedIn(app, uri)
  const code = new URL(location).searchParams.get('code')
  const exchange = { grant_type: 'authorization_code', client_id: 'wallet', redirect_uri: uri, code, code_verifier }
  const browser = { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }

  const { status, headers, body } = await app.token(exchange, browser)
  const user = await fetch(`${app.emulator.baseUrl}${endpoints['user.get'].path}`, {
    headers: { authorization: `Bearer ${body.access_token}`, ...browser },
  })

  expect([status, user.status]).toEqual([200, 200])
  // Without the development server, the browser would keep the answer from the app.
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

describe('a client that is removed', () => {
  test('loses all tokens that users gave it, and no others', async () => {
    const app = await startOAuthApp()
    const other = await app.register({ client_id: 'other' })
    const own = await app.signIn()
    const given = await app.exchange(await app.code({ client_id: 'other' }), other)
    await app.emulator.control.clients.remove({ client_id: 'other' })
    expect(await app.asked(given.body.access_token)).toMatchObject({ status: 401 })
    expect(await app.asked(own.access_token)).toMatchObject({ status: 200 })
    expect((await app.page({ client_id: 'other' })).status).toBe(400)
    expect(await app.refresh(given.body.refresh_token, other)).toMatchObject({ status: 401 })
  })

  test('does not leave its requests in the log, or its tokens’ ids, to the next client', async () => {
    const app = await startOAuthApp()
    const { control } = app.emulator
    const other = await app.register({ client_id: 'other' })
    const given = await app.exchange(await app.code({ client_id: 'other' }), other)
    await app.asked(given.body.access_token)
    const ids = (await control.tokens.list()).map(({ id }) => id)
    await control.clients.remove({ client_id: 'other' })
    await app.register({ client_id: 'next' })
    const { data } = await control.requests.list({ endpoint: 'user.get' })
    expect(data.map(({ client }) => client)).toEqual([''])
    expect(ids).not.toContain((await control.tokens.mint()).id)
  })

  test('can’t be the emulator’s own client', async () => {
    const { emulator } = await startOAuthApp()
    const refusal = emulator.control.clients.remove({ client_id: 'payctl' })
    await expect(refusal).rejects.toMatchObject({ status: 409, message: 'This client is the emulator’s own' })
  })
})
