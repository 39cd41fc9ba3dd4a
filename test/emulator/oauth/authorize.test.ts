import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../support/any_character.ts'
import { full } from '../../support/full.ts'
import { callback, redirectOf, startOAuthApp } from './oauth_app.ts'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe('the consent page', () => {
  test('is HTML that loads nothing, runs nothing, is in nobody’s frame and stays in no cache', async () => {
    const response = await (await startOAuthApp()).page()

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    expect(response.headers.get('set-cookie')).toBeNull()
    const policy = response.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self' http: https:; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(await response.text()).not.toMatch(/<script|\son\w+=|\sstyle=|\ssrc=|<link|url\(|@import/i)
  })

  test('offers the seeded users, and of the scopes those that are asked for', async () => {
    const page = await (await (await startOAuthApp()).page({ scope: 'read-user send-payments' })).text()

    expect([...page.matchAll(/type="radio" name="user" value="([^"]+)"/g)].map((match) => match[1])).toEqual([
      '01900000-0000-7000-8000-000000000001',
      '01900000-0000-7000-8000-000000000002',
    ])
    expect(scopesOn(page)).toEqual(['read-user', 'send-payments'])
  })

  test.each([undefined, '', ' '])('scope %j asks for all that the client may have', async (scope) => {
    const app = await startOAuthApp()
    const { client_id } = await app.register({ scopes: ['read-user', 'read-accounts'] })

    expect(scopesOn(await (await app.page({ client_id, scope })).text())).toEqual(['read-user', 'read-accounts'])
  })
})

const scopesOn = (page: string) => [...page.matchAll(/name="grant" value="([^"]+)"/g)].map((match) => match[1])

describe('an unknown client or redirect is a page, never a redirect', () => {
  test.each([
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
    ['two clients', { client_id: ['payctl', 'payctl'] }],
    ['no redirect', { redirect_uri: undefined }],
    ['an empty redirect', { redirect_uri: '' }],
    ['two redirects', { redirect_uri: [callback, callback] }],
    ['another host', { redirect_uri: 'https://evil.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1/callback/more' }],
    ['no path', { redirect_uri: 'http://127.0.0.1' }],
    ['a path that only means the same', { redirect_uri: 'http://127.0.0.1/x/../callback' }],
    ['another query', { redirect_uri: 'http://127.0.0.1/callback?a=1' }],
    ['a fragment', { redirect_uri: 'http://127.0.0.1/callback#here' }],
    ['another scheme', { redirect_uri: 'https://127.0.0.1/callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['another loopback address', { redirect_uri: 'http://127.0.0.2/callback' }],
    ['credentials that look like a port', { redirect_uri: 'http://127.0.0.1:80@evil.example/callback' }],
    ['a host that begins the same', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['a port too high', { redirect_uri: 'http://127.0.0.1:65536/callback' }],
    ['a line break that URLs forgive', { redirect_uri: 'http://127.0.0.1/call\r\nback' }],
    ['a header after a line break', { redirect_uri: 'http://127.0.0.1/callback\r\nSet-Cookie: a=b' }],
    ['a space before it', { redirect_uri: ' http://127.0.0.1/callback' }],
  ])('%s', async (_, query) => {
    const app = await startOAuthApp()
    for (const response of [await app.page(query), await app.decide(query)]) {
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(await response.text()).not.toContain('evil.example')
    }
  })

  test('a registered URI outside loopback must match exactly', async () => {
    const app = await startOAuthApp()
    const { client_id } = await app.register({ redirect_uris: ['https://app.example/back?tenant=7'] })

    expect((await app.page({ client_id, redirect_uri: 'https://app.example/back?tenant=7' })).status).toBe(200)
    for (const redirect_uri of [
      'https://app.example:443/back?tenant=7',
      'https://app.example:8443/back?tenant=7',
      'https://app.example/back?tenant=70',
      'https://app.example/back',
      'https://APP.example/back?tenant=7',
    ]) {
      expect((await app.page({ client_id, redirect_uri })).status, redirect_uri).toBe(400)
    }
  })

  test('a redirect registered by another client will not do', async () => {
    const app = await startOAuthApp()
    await app.register({ redirect_uris: ['https://app.example/back'] })

    expect((await app.page({ redirect_uri: 'https://app.example/back' })).status).toBe(400)
  })
})

test.each([
  'http://127.0.0.1/callback',
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1:65535/callback',
  'http://[::1]:8080/callback',
  'http://localhost:3000/callback',
])('a loopback redirect may be on any port: %s', async (redirect_uri) => {
  const app = await startOAuthApp()

  const location = (await app.decide({ redirect_uri })).headers.get('location')

  expect(location).toMatch(/\?code=[\w-]{43}&state=xyz$/)
  expect(location?.startsWith(`${redirect_uri}?`)).toBe(true)
})

describe('what else is wrong with a request goes back to the client', () => {
  test.each([
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['two response types', { response_type: ['code', 'code'] }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a hybrid flow', { response_type: 'code token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'read-user read-minds' }, 'invalid_scope'],
    ['the name of a method of all objects', { scope: 'constructor' }, 'invalid_scope'],
    ['two scopes parameters', { scope: ['read-user', 'read-accounts'] }, 'invalid_request'],
    ['a plain challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge: challenge }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    [
      'a challenge that is not a SHA-256',
      { code_challenge: 'short', code_challenge_method: 'S256' },
      'invalid_request',
    ],
    ['two challenges', { code_challenge: [challenge, challenge], code_challenge_method: 'S256' }, 'invalid_request'],
  ])('%s', async (_, query, error) => {
    const app = await startOAuthApp()
    for (const response of [await app.page(query), await app.decide(query)]) {
      expect(response.status).toBe(303)
      expect(response.headers.get('location')?.startsWith(`${callback}?`)).toBe(true)
      expect(Object.fromEntries(redirectOf(response))).toEqual({
        error,
        error_description: expect.stringMatching(/^[ -~]+$/),
        state: 'xyz',
      })
    }
  })

  test('a scope the client may not ask for', async () => {
    const app = await startOAuthApp()
    const { client_id } = await app.register({ scopes: ['read-user'] })

    expect(redirectOf(await app.page({ client_id, scope: 'send-payments' })).get('error')).toBe('invalid_scope')
  })

  test('without a state there is none in the answer', async () => {
    const query = redirectOf(await (await startOAuthApp()).page({ state: undefined, response_type: 'token' }))

    expect(query.has('state')).toBe(false)
  })

  test('two states are not a state', async () => {
    const query = redirectOf(await (await startOAuthApp()).page({ state: ['a', 'b'] }))

    expect(Object.fromEntries(query)).toMatchObject({ error: 'invalid_request' })
    expect(query.has('state')).toBe(false)
  })
})

test('a query that was registered stays, and one in other letters reaches the client encoded', async () => {
  const app = await startOAuthApp()
  const { client_id } = await app.register({
    redirect_uris: ['https://app.example/back?tenant=7', 'https://app.example/señal✓'],
  })

  const kept = await app.decide({ client_id, redirect_uri: 'https://app.example/back?tenant=7' })
  const encoded = await app.decide({ client_id, redirect_uri: 'https://app.example/señal✓' })

  expect(kept.headers.get('location')).toMatch(/^https:\/\/app\.example\/back\?tenant=7&code=[\w-]{43}&state=xyz$/)
  expect(encoded.headers.get('location')).toMatch(/^https:\/\/app\.example\/se%C3%B1al%E2%9C%93\?code=/)
})

test('any state comes back unchanged, with a code or an error, and adds no header and no parameter', async () => {
  const app = await startOAuthApp({ rateLimit: null })
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 200 }), async (state) => {
      for (const response of [
        await app.decide({ state }),
        await app.decide({ state }, { decision: 'deny' }),
        await app.page({ state, scope: 'none' }),
      ]) {
        const query = redirectOf(response)
        expect(query.get('state')).toBe(state.toWellFormed())
        expect(
          [...query.keys()].filter((name) => !['code', 'error', 'error_description', 'state'].includes(name)),
        ).toEqual([])
        expect(response.headers.get('set-cookie')).toBeNull()
      }
    }),
    {
      numRuns: full ? 60 : 8,
      examples: [['a\r\nSet-Cookie: x=y'], ['&code=forged#'], ['"><script>'], ['\0'], ['%0d%0a'], ['+ +']],
    },
  )
})

describe('where a browser stands, whatever goes wrong is a page', () => {
  const body = '{"user":'
  const json = { 'content-type': 'application/json' }
  test.each([
    ['a body that is not JSON', 400, { method: 'POST', headers: json, body }],
    ['a body that is not a string', 400, { method: 'POST', headers: json, body: new Uint8Array([0xff, 0xfe, 0]) }],
    ['another media type', 415, { method: 'POST', headers: { 'content-type': 'text/plain' }, body }],
    ['a form with files', 415, { method: 'POST', body: new FormData() }],
    ['a body over 1 MiB', 413, { method: 'POST', headers: json, body: ' '.repeat(1024 * 1024 + 1) }],
    ['a webhook', 421, { method: 'POST', headers: { ...json, 'x-webhook-id': 'whd_1' }, body: '{}' }],
    ['another method', 405, { method: 'PUT' }],
    ['and another', 405, { method: 'OPTIONS' }],
  ])('%s gets %i', async (_, status, init) => {
    const app = await startOAuthApp()

    const response = await fetch(app.link(), { redirect: 'manual', ...init })

    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('location')).toBeNull()
    expect(await response.text()).toContain('Nothing was granted.')
    if (status === 405) expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  test('one request too many is, too, and says when the next is taken', async () => {
    const app = await startOAuthApp({ rateLimit: 1, clock: '2040-01-05T12:00:00Z' })
    for (const page of [() => app.page(), () => app.decide()]) {
      await page()

      const response = await page()

      expect(response.status).toBe(429)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    }
  })

  test('the token endpoint, where programs stand, answers JSON', async () => {
    const app = await startOAuthApp()
    for (const type of ['application/json', 'text/plain']) {
      const response = await fetch(app.tokenUrl, { method: 'POST', headers: { 'content-type': type }, body })

      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })
})
