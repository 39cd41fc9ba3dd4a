import { describe, expect, test } from 'vitest'
import { startOAuthApp } from './oauth_app.ts'

const refused = (error: string) => ({ status: 400, body: { error, message: expect.stringMatching(/\.$/) } })

describe('a refresh token', () => {
  test('gives another pair; the tokens of before stay what they were', async () => {
    const app = await startOAuthApp()
    const first = await app.signIn()

    const { status, body } = await app.refresh(first.refresh_token)

    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: first.scope,
    })
    expect(body.refresh_token).not.toBe(first.refresh_token)
    for (const { access_token } of [first, body]) expect(await app.asked(access_token)).toMatchObject({ status: 200 })
  })

  test('outlives the access token', async () => {
    const app = await startOAuthApp()
    const first = await app.signIn()
    await app.emulator.control.advanceClock(30 * 24 * 60 * 60 * 1000)

    const { body } = await app.refresh(first.refresh_token)

    expect(await app.asked(first.access_token)).toMatchObject({ status: 401 })
    expect(await app.asked(body.access_token)).toMatchObject({ status: 200 })
  })

  test('ends its family, and no other, if it was used before', async () => {
    const app = await startOAuthApp()
    const [first, bystander] = [await app.signIn(), await app.signIn()]
    const second = (await app.refresh(first.refresh_token)).body
    const third = (await app.refresh(second.refresh_token)).body

    expect(await app.refresh(first.refresh_token)).toMatchObject(refused('invalid_grant'))

    for (const { access_token } of [first, second, third]) {
      expect(await app.asked(access_token)).toEqual({ status: 401, why: 'The access token was revoked.' })
    }
    expect(await app.refresh(third.refresh_token)).toMatchObject(refused('invalid_grant'))
    expect((await app.refresh(bystander.refresh_token)).status).toBe(200)
    expect(await app.asked(app.emulator.token)).toMatchObject({ status: 200 })
  })

  test('brought by many at once serves one', async () => {
    const app = await startOAuthApp()
    const { refresh_token } = await app.signIn()

    const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
  })

  test('unknown, of another kind or of another client is invalid_grant and ends nothing', async () => {
    const app = await startOAuthApp()
    const { access_token, refresh_token } = await app.signIn()
    const other = await app.register()

    for (const secret of ['x', '', access_token, await app.code()]) {
      expect(await app.refresh(secret)).toMatchObject(refused('invalid_grant'))
    }
    expect(await app.refresh(refresh_token, other)).toMatchObject(refused('invalid_grant'))
    expect((await app.refresh(refresh_token)).status).toBe(200)
  })

  test('missing is invalid_request', async () => {
    expect(await (await startOAuthApp()).token({ grant_type: 'refresh_token' })).toMatchObject({ status: 401 })
    const app = await startOAuthApp()
    expect(await app.refresh('x', { refresh_token: null })).toMatchObject(refused('invalid_request'))
  })
})

describe('the scope of a refresh', () => {
  test('may be less, for that one token', async () => {
    const app = await startOAuthApp()
    const first = await app.signIn({}, { grant: ['read-user', 'read-accounts'] })

    const less = (await app.refresh(first.refresh_token, { scope: 'read-accounts' })).body
    const all = (await app.refresh(less.refresh_token)).body

    expect(less.scope).toBe('read-accounts')
    expect(await app.asked(less.access_token)).toMatchObject({ status: 403 })
    expect(all.scope).toBe('read-user read-accounts')
  })

  test('may not be more, and asking does not use the token up', async () => {
    const app = await startOAuthApp()
    const { refresh_token } = await app.signIn({}, { grant: ['read-user'] })

    expect(await app.refresh(refresh_token, { scope: 'read-user send-payments' })).toMatchObject(
      refused('invalid_scope'),
    )
    expect((await app.refresh(refresh_token)).status).toBe(200)
  })
})
