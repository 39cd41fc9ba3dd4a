import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callback, credentials, startRig } from './rig.ts'

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const pkce = { code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' }
const minute = 60_000

const refused = (error: string) => ({ status: 400, body: { error, message: expect.stringMatching(/\.$/) } })

describe('a code', () => {
  test('buys an access token once', async () => {
    const rig = await startRig()

    const { status, headers, body } = await rig.exchange(await rig.code())

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
    expect(await rig.asked(body.access_token)).toMatchObject({ status: 200 })
  })

  test('that comes again ends all tokens that came of it', async () => {
    const rig = await startRig()
    const code = await rig.code()
    const first = (await rig.exchange(code)).body
    const second = (await rig.refresh(first.refresh_token)).body

    expect(await rig.exchange(code)).toMatchObject(refused('invalid_grant'))

    for (const { access_token } of [first, second]) {
      expect(await rig.asked(access_token)).toEqual({ status: 401, why: 'The access token was revoked.' })
    }
    expect(await rig.refresh(second.refresh_token)).toMatchObject(refused('invalid_grant'))
    expect(await rig.asked((await rig.signIn()).access_token)).toMatchObject({ status: 200 })
  })

  test('that comes again is known long after', async () => {
    const rig = await startRig()
    const code = await rig.code()
    const { refresh_token } = (await rig.exchange(code)).body
    await rig.emulator.control.advanceClock(60 * minute)

    await rig.exchange(code)

    expect(await rig.refresh(refresh_token)).toMatchObject(refused('invalid_grant'))
  })

  test('brought by many at once serves one', async () => {
    const rig = await startRig()
    const code = await rig.code()

    const answers = await Promise.all(Array.from({ length: 20 }, () => rig.exchange(code)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
    const winner = answers.find(({ status }) => status === 200)
    expect(await rig.asked(winner?.body.access_token)).toMatchObject({ status: 401 })
  })

  test('lives for ten minutes of the world’s clock', async () => {
    const rig = await startRig()
    const [early, late] = [await rig.code(), await rig.code()]

    await rig.emulator.control.advanceClock(10 * minute - 5000)
    expect((await rig.exchange(early)).status).toBe(200)
    await rig.emulator.control.advanceClock(5000)
    expect(await rig.exchange(late)).toMatchObject(refused('invalid_grant'))
  })

  test.each([
    ['unknown', { code: 'x' }],
    ['a refresh token', { code: 'refresh_token' }],
    ['for another redirect', { redirect_uri: 'http://127.0.0.1:49153/callback' }],
    ['with a verifier nobody announced', { code_verifier: verifier }],
  ])('%s is invalid_grant, and the code stays good', async (_, changes: Record<string, string>) => {
    const rig = await startRig()
    const code = await rig.code()

    expect(await rig.exchange(code, changes)).toMatchObject(refused('invalid_grant'))
    expect((await rig.exchange(code)).status).toBe(200)
  })

  test('of another client is invalid_grant, and can’t be used up by it', async () => {
    const rig = await startRig()
    const code = await rig.code()
    const other = await rig.register()

    expect(await rig.exchange(code, other)).toMatchObject(refused('invalid_grant'))
    const { access_token } = (await rig.exchange(code)).body
    expect(await rig.exchange(code, other)).toMatchObject(refused('invalid_grant'))
    expect(await rig.asked(access_token)).toMatchObject({ status: 200 })
  })
})

describe('PKCE', () => {
  test('the verifier of the challenge is taken', async () => {
    const rig = await startRig()

    expect((await rig.exchange(await rig.code(pkce), { code_verifier: verifier })).status).toBe(200)
  })

  test.each([
    ['missing', undefined],
    ['wrong', verifier.replace('d', 'e')],
    ['the challenge itself', pkce.code_challenge],
    ['too short', 'short'],
    ['too long', 'x'.repeat(129)],
    ['of characters it can’t have', `${verifier} `],
  ])('a verifier that is %s is invalid_grant', async (_, code_verifier) => {
    const rig = await startRig()

    expect(await rig.exchange(await rig.code(pkce), { code_verifier })).toMatchObject(refused('invalid_grant'))
  })
})

test('a verifier too short to be a secret is no good even where it fits', async () => {
  const rig = await startRig()
  const challenge = { ...pkce, code_challenge: hash('sha256', 'short', 'base64url') }

  expect(await rig.exchange(await rig.code(challenge), { code_verifier: 'short' })).toMatchObject(
    refused('invalid_grant'),
  )
})

describe('the scope of an exchange', () => {
  test('may be less than was granted', async () => {
    const rig = await startRig()

    const { body } = await rig.exchange(await rig.code(), { scope: 'send-payments read-user' })

    expect(body.scope).toBe('read-user send-payments')
  })

  test.each(['read-accounts', 'read-user send-payments', 'read-minds'])(
    'may not be %s when only read-user was',
    async (scope) => {
      const rig = await startRig()
      const code = await rig.code({}, { grant: ['read-user'] })

      expect(await rig.exchange(code, { scope })).toMatchObject(refused('invalid_scope'))
      expect((await rig.exchange(code)).body.scope).toBe('read-user')
    },
  )
})

describe('an access token', () => {
  test('lives for an hour of the world’s clock, or as long as it is told to', async () => {
    const rig = await startRig()
    const short = await startRig({ tokenTtl: 60 })
    const [{ access_token }, brief] = [await rig.signIn(), await short.signIn()]

    expect(brief.expires_in).toBe(60)
    await rig.emulator.control.advanceClock(59 * minute)
    expect(await rig.asked(access_token)).toMatchObject({ status: 200 })
    await rig.emulator.control.advanceClock(minute)
    expect(await rig.asked(access_token)).toEqual({ status: 401, why: 'The access token has expired.' })
    await short.emulator.control.advanceClock(minute)
    expect(await short.asked(brief.access_token)).toMatchObject({ status: 401 })
  })

  test('missing or invalid is invalid_token', async () => {
    const rig = await startRig()
    for (const token of ['', 'nonsense', await rig.code()]) {
      expect((await rig.asked(token)).status).toBe(401)
    }
  })
})

test('the redirect has to be named again', async () => {
  const rig = await startRig()
  const code = await rig.code()

  expect(await rig.exchange(code, { redirect_uri: undefined })).toMatchObject(refused('invalid_request'))
  expect(
    (await rig.token({ ...credentials, grant_type: 'authorization_code', redirect_uri: callback, code })).status,
  ).toBe(200)
})
