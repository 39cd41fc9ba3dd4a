import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callback, credentials, startOAuthApp } from './oauth_app.ts'

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const pkce = { code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' }
const minute = 60_000

const refused = (error: string) => ({ status: 400, body: { error, message: expect.stringMatching(/\.$/) } })

describe('a code', () => {
  test('gets an access token only once', async () => {
    const app = await startOAuthApp()

    const { status, headers, body } = await app.exchange(await app.code())

    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'read-user read-accounts manage-accounts send-payments manage-webhooks',
    })
    expect(await app.asked(body.access_token)).toMatchObject({ status: 200 })
  })

  test('that comes again ends all tokens that came of it', async () => {
    const app = await startOAuthApp()
    const code = await app.code()
    const first = (await app.exchange(code)).body
    const second = (await app.refresh(first.refresh_token)).body

    expect(await app.exchange(code)).toMatchObject(refused('invalid_grant'))

    for (const { access_token } of [first, second]) {
      expect(await app.asked(access_token)).toEqual({ status: 401, why: 'The access token was revoked.' })
    }
    expect(await app.refresh(second.refresh_token)).toMatchObject(refused('invalid_grant'))
    expect(await app.asked((await app.signIn()).access_token)).toMatchObject({ status: 200 })
  })

  test('that comes again is known long after', async () => {
    const app = await startOAuthApp()
    const code = await app.code()
    const { refresh_token } = (await app.exchange(code)).body
    await app.emulator.control.advanceClock(60 * minute)

    await app.exchange(code)

    expect(await app.refresh(refresh_token)).toMatchObject(refused('invalid_grant'))
  })

  test('brought by many at once serves one', async () => {
    const app = await startOAuthApp()
    const code = await app.code()

    const answers = await Promise.all(Array.from({ length: 20 }, () => app.exchange(code)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
    const winner = answers.find(({ status }) => status === 200)
    expect(await app.asked(winner?.body.access_token)).toMatchObject({ status: 401 })
  })

  test('is valid for ten minutes of the world’s clock', async () => {
    const app = await startOAuthApp()
    const [early, late] = [await app.code(), await app.code()]

    await app.emulator.control.advanceClock(10 * minute - 5000)
    expect((await app.exchange(early)).status).toBe(200)
    await app.emulator.control.advanceClock(5000)
    expect(await app.exchange(late)).toMatchObject(refused('invalid_grant'))
  })

  test.each([
    ['unknown', { code: 'x' }],
    ['a refresh token', { code: 'refresh_token' }],
    ['for another redirect', { redirect_uri: 'http://127.0.0.1:49153/callback' }],
    ['for a redirect that goes on', { redirect_uri: `${callback}/more` }],
    ['with a verifier nobody announced', { code_verifier: verifier }],
  ])('%s is invalid_grant, and the code stays good', async (_, changes: Record<string, string>) => {
    const app = await startOAuthApp()
    const code = await app.code()

    expect(await app.exchange(code, changes)).toMatchObject(refused('invalid_grant'))
    expect((await app.exchange(code)).status).toBe(200)
  })

  test('of another client is invalid_grant, and can’t be used up by it', async () => {
    const app = await startOAuthApp()
    const code = await app.code()
    const other = await app.register()

    expect(await app.exchange(code, other)).toMatchObject(refused('invalid_grant'))
    const { access_token } = (await app.exchange(code)).body
    expect(await app.exchange(code, other)).toMatchObject(refused('invalid_grant'))
    expect(await app.asked(access_token)).toMatchObject({ status: 200 })
  })
})

describe('PKCE', () => {
  test('the verifier of the challenge is accepted', async () => {
    const app = await startOAuthApp()

    expect((await app.exchange(await app.code(pkce), { code_verifier: verifier })).status).toBe(200)
  })

  test.each([
    ['missing', undefined],
    ['wrong', verifier.replace('d', 'e')],
    ['the challenge itself', pkce.code_challenge],
    ['too short', 'short'],
    ['too long', 'x'.repeat(129)],
    ['of characters it can’t have', `${verifier} `],
  ])('a verifier that is %s is invalid_grant', async (_, code_verifier) => {
    const app = await startOAuthApp()

    expect(await app.exchange(await app.code(pkce), { code_verifier })).toMatchObject(refused('invalid_grant'))
  })
})

test('a verifier too short to be a secret is refused even if it fits', async () => {
  const app = await startOAuthApp()
  const challenge = { ...pkce, code_challenge: hash('sha256', 'short', 'base64url') }

  expect(await app.exchange(await app.code(challenge), { code_verifier: 'short' })).toMatchObject(
    refused('invalid_grant'),
  )
})

describe('the scope of an exchange', () => {
  test('may be less than was granted', async () => {
    const app = await startOAuthApp()

    const { body } = await app.exchange(await app.code(), { scope: 'send-payments read-user' })

    expect(body.scope).toBe('read-user send-payments')
  })

  test.each(['read-accounts', 'read-user send-payments', 'read-minds'])(
    'may not be %s when only read-user was',
    async (scope) => {
      const app = await startOAuthApp()
      const code = await app.code({}, { grant: ['read-user'] })

      expect(await app.exchange(code, { scope })).toMatchObject(refused('invalid_scope'))
      expect((await app.exchange(code)).body.scope).toBe('read-user')
    },
  )
})

describe('an access token', () => {
  test('lives for an hour of the world’s clock, or as long as the request says', async () => {
    const app = await startOAuthApp()
    const short = await startOAuthApp({ tokenTtl: 60 })
    const [{ access_token }, brief] = [await app.signIn(), await short.signIn()]

    expect(brief.expires_in).toBe(60)
    await app.emulator.control.advanceClock(59 * minute)
    expect(await app.asked(access_token)).toMatchObject({ status: 200 })
    await app.emulator.control.advanceClock(minute)
    expect(await app.asked(access_token)).toEqual({ status: 401, why: 'The access token has expired.' })
    await short.emulator.control.advanceClock(minute)
    expect(await short.asked(brief.access_token)).toMatchObject({ status: 401 })
  })

  test('missing or invalid is invalid_token', async () => {
    const app = await startOAuthApp()
    for (const token of ['', 'nonsense', await app.code()]) {
      expect((await app.asked(token)).status).toBe(401)
    }
  })
})

test('a code and a token end at their very millisecond', async () => {
  const app = await startOAuthApp()
  await app.freeze()
  const [early, late] = [await app.code(), await app.code()]

  await app.emulator.control.advanceClock(10 * minute - 1)
  const { access_token } = (await app.exchange(early)).body
  await app.emulator.control.advanceClock(1)
  expect(await app.exchange(late)).toMatchObject(refused('invalid_grant'))

  await app.emulator.control.advanceClock(60 * minute - 2)
  expect((await app.asked(access_token)).status).toBe(200)
  await app.emulator.control.advanceClock(1)
  expect((await app.asked(access_token)).status).toBe(401)
})

test('the redirect has to be named again', async () => {
  const app = await startOAuthApp()
  const code = await app.code()

  expect(await app.exchange(code, { redirect_uri: undefined })).toMatchObject(refused('invalid_request'))
  expect(
    (await app.token({ ...credentials, grant_type: 'authorization_code', redirect_uri: callback, code })).status,
  ).toBe(200)
})
