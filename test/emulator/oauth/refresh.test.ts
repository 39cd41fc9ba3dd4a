import { describe, expect, test } from 'vitest'
import { startRig } from './rig.ts'

const refused = (error: string) => ({ status: 400, body: { error, message: expect.stringMatching(/\.$/) } })

describe('a refresh token', () => {
  test('gives another pair; the tokens of before stay what they were', async () => {
    const rig = await startRig()
    const first = await rig.signIn()

    const { status, body } = await rig.refresh(first.refresh_token)

    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: first.scope,
    })
    expect(body.refresh_token).not.toBe(first.refresh_token)
    for (const { access_token } of [first, body]) expect(await rig.asked(access_token)).toMatchObject({ status: 200 })
  })

  test('outlives the access token', async () => {
    const rig = await startRig()
    const first = await rig.signIn()
    await rig.emulator.control.advanceClock(30 * 24 * 60 * 60 * 1000)

    const { body } = await rig.refresh(first.refresh_token)

    expect(await rig.asked(first.access_token)).toMatchObject({ status: 401 })
    expect(await rig.asked(body.access_token)).toMatchObject({ status: 200 })
  })

  test('that was used ends its family, and no other', async () => {
    const rig = await startRig()
    const [first, bystander] = [await rig.signIn(), await rig.signIn()]
    const second = (await rig.refresh(first.refresh_token)).body
    const third = (await rig.refresh(second.refresh_token)).body

    expect(await rig.refresh(first.refresh_token)).toMatchObject(refused('invalid_grant'))

    for (const { access_token } of [first, second, third]) {
      expect(await rig.asked(access_token)).toEqual({ status: 401, why: 'The access token was revoked.' })
    }
    expect(await rig.refresh(third.refresh_token)).toMatchObject(refused('invalid_grant'))
    expect((await rig.refresh(bystander.refresh_token)).status).toBe(200)
    expect(await rig.asked(rig.emulator.token)).toMatchObject({ status: 200 })
  })

  test('brought by many at once serves one', async () => {
    const rig = await startRig()
    const { refresh_token } = await rig.signIn()

    const answers = await Promise.all(Array.from({ length: 20 }, () => rig.refresh(refresh_token)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(19)
  })

  test('unknown, of another kind or of another client is invalid_grant and ends nothing', async () => {
    const rig = await startRig()
    const { access_token, refresh_token } = await rig.signIn()
    const other = await rig.register()

    for (const secret of ['x', '', access_token, await rig.code()]) {
      expect(await rig.refresh(secret)).toMatchObject(refused('invalid_grant'))
    }
    expect(await rig.refresh(refresh_token, other)).toMatchObject(refused('invalid_grant'))
    expect((await rig.refresh(refresh_token)).status).toBe(200)
  })

  test('missing is invalid_request', async () => {
    expect(await (await startRig()).token({ grant_type: 'refresh_token' })).toMatchObject({ status: 401 })
    const rig = await startRig()
    expect(await rig.refresh('x', { refresh_token: null })).toMatchObject(refused('invalid_request'))
  })
})

describe('the scope of a refresh', () => {
  test('may be less, for that one token', async () => {
    const rig = await startRig()
    const first = await rig.signIn({}, { grant: ['read-user', 'read-accounts'] })

    const less = (await rig.refresh(first.refresh_token, { scope: 'read-accounts' })).body
    const all = (await rig.refresh(less.refresh_token)).body

    expect(less.scope).toBe('read-accounts')
    expect(await rig.asked(less.access_token)).toMatchObject({ status: 403 })
    expect(all.scope).toBe('read-user read-accounts')
  })

  test('may not be more, and asking does not use the token up', async () => {
    const rig = await startRig()
    const { refresh_token } = await rig.signIn({}, { grant: ['read-user'] })

    expect(await rig.refresh(refresh_token, { scope: 'read-user send-payments' })).toMatchObject(
      refused('invalid_scope'),
    )
    expect((await rig.refresh(refresh_token)).status).toBe(200)
  })
})
