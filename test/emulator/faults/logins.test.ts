import { describe, expect, it, onTestFinished } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { type FaultBody, type OAuthEndpoint, oauthEndpoints, tokenErrors } from '../../../src/contract/index.ts'
import { startEmulator } from '../../../src/testing/index.ts'
import { OAuthApp, redirectOf } from '../oauth/oauth_app.ts'

async function start() {
  const emulator = await startEmulator({ settle: 'manual' })
  onTestFinished(() => emulator.close())
  const { faults, requests } = emulator.control
  return { app: new OAuthApp(emulator), faults, requests }
}

describe('a login', () => {
  it.each(Object.entries(tokenErrors).map(([error, status]) => ['oauth.token', error, status] as const))(
    'fails at %s with %s if a rule says so, and uses up no code or token',
    async (endpoint, error, status) => {
      const { app, faults, requests } = await start()
      const code = await app.code()
      await faults.add({ endpoint, error } as FaultBody)
      expect(await app.exchange(code)).toMatchObject({
        status,
        body: { error, message: expect.stringContaining('is set to refuse') },
      })
      expect(await app.exchange(code)).toMatchObject({ status: 200 })
      expect((await requests.list({ endpoint })).data.map(({ fault }) => fault)).toEqual([null, error])
    },
  )

  it.each(
    (['oauth.authorize', 'oauth.decide'] as const).flatMap((id) =>
      (oauthEndpoints[id] as OAuthEndpoint).redirects.map((error) => [id, error] as const),
    ),
  )('of %s goes back to the client with %s', async (endpoint, error) => {
    const { app, faults } = await start()
    await faults.add({ endpoint, error })
    const answer = endpoint === 'oauth.authorize' ? await app.page() : await app.decide()
    expect(answer.status).toBe(303)
    expect(Object.fromEntries(redirectOf(answer))).toMatchObject({ error, state: 'xyz' })
    expect(await app.code()).toBeTruthy()
  })

  it.each([429, 500, 503])('is refused with %i, and its refresh token works afterwards', async (status) => {
    const { app, faults } = await start()
    const { refresh_token } = await app.signIn()
    await faults.add({ path: '/oauth/*', status, times: 3, ...(status === 503 && { retry_after: 7 }) })
    const answer = await app.refresh(refresh_token)
    expect(answer).toMatchObject({ status, body: { success: false } })
    expect(answer.headers.get('retry-after')).toBe({ 429: '1', 500: null, 503: '7' }[status])
    expect([(await app.page()).status, (await app.decide()).status]).toEqual([status, status])
    expect(await app.refresh(refresh_token)).toMatchObject({ status: 200 })
  })

  it('is done although its answer is lost: the refresh token is used up', async () => {
    const { app, faults } = await start()
    const { refresh_token } = await app.signIn()
    await faults.add({ endpoint: 'oauth.token', fault: 'lose_answer' })
    await expect(app.refresh(refresh_token)).rejects.toThrow()
    expect(await app.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

    await faults.add({ endpoint: 'oauth.decide', fault: 'lose_answer' })
    await expect(app.decide()).rejects.toThrow()
  })

  it('comes late, broken or not at all', async () => {
    const { app, faults } = await start()
    await faults.add({ endpoint: 'oauth.token', delay_ms: 30 })
    const { refresh_token } = await app.signIn()
    expect((await faults.list({ which: 'all' }))[0]).toMatchObject({ fired: 1 })
    await faults.add({ endpoint: 'oauth.token', fault: 'reset' })
    await expect(app.refresh(refresh_token)).rejects.toThrow()
    await faults.add({ endpoint: 'oauth.token', fault: 'malformed' })
    await expect(app.refresh(refresh_token)).rejects.toThrow(SyntaxError)
    await faults.add({ endpoint: 'oauth.authorize', fault: 'content_type' })
    expect((await app.page()).status).toBe(200)
  })

  it('is affected by a rule only if the rule names it', async () => {
    const { app, faults } = await start()
    for (const rule of [{ status: 429 }, { method: 'POST', status: 500 }, { path: '/**', fault: 'reset' }] as const) {
      await faults.add({ ...rule, times: null })
    }
    expect(await app.signIn()).toMatchObject({ token_type: 'Bearer' })
    expect((await faults.list()).map(({ matched }) => matched)).toEqual([0, 0, 0])
  })

  it.each([
    [
      { endpoint: 'oauth.token', error: 'access_denied' },
      'oauth.token does not answer access_denied; its errors are invalid_client',
    ],
    [{ endpoint: 'oauth.token', status: 404 }, 'oauth.token does not answer 404; its errors are 429, 500, 503'],
    [{ endpoint: 'user.get', error: 'invalid_grant' }, 'user.get does not answer invalid_grant'],
    [
      { endpoint: 'oauth.token', error: 'invalid_grant', status: 503 },
      'A rule with an error can’t have a status or a fault',
    ],
    [{ error: 'invalid_grant' }, 'No endpoint answers invalid_grant'],
    [{ event: 'payment.created', error: 'invalid_grant' }, 'A delivery can have'],
  ] as const)('has no rule %j', async (rule, message) => {
    const { faults } = await start()
    await expect(faults.add(rule as FaultBody)).rejects.toThrow(message)
  })
})

describe('a rule that is removed', () => {
  it('fires no more, and the others go on', async () => {
    const { app, faults } = await start()
    const rules = [503, 500, 429].map((status) => ({ endpoint: 'oauth.token', status, times: null }) as const)
    for (const rule of rules) await faults.add(rule)
    const refused = async () => (await app.token({ client_id: demo.clientId })).status
    expect(await refused()).toBe(503)
    expect(await faults.remove({ id: '1' })).toMatchObject({ id: 1, status: 503, fired: 1 })
    expect(await refused()).toBe(500)
    await expect(faults.remove({ id: '1' })).rejects.toThrow('The rule does not exist, or has ended')
    expect((await faults.list({ which: 'all' })).map(({ id }) => id)).toEqual([1, 2, 3])
    expect((await faults.clear()).map(({ id }) => id)).toEqual([2, 3])
  })
})
