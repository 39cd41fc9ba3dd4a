import { describe, expect } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { allScopes } from '../../../src/contract/index.ts'
import { OAuthApi } from '../oauth_api.ts'
import type { Suite } from '../suite.ts'

const callback = 'http://127.0.0.1:49152/callback'
const allowing = { user: demo.user.id, grant: allScopes, decision: 'allow' }

/** The flow that the interface describes. Details are tested in `test/emulator/oauth`. */
export function oauthCases(suite: Suite): void {
  const client = () => suite.world.oauth?.client
  const asking = () => ({ client_id: client()?.id, redirect_uri: callback, response_type: 'code', state: 'a b&c' })
  const credentials = () => ({ client_id: client()?.id, client_secret: client()?.secret })
  const oauth = () => new OAuthApi(suite.world, suite.seen)
  const codeFor = async (form: object = {}) => {
    const { redirect } = await oauth().decide(asking(), { ...allowing, ...form })
    return redirect?.get('code') ?? ''
  }
  const redeem = (code: string, changes: object = {}) =>
    oauth().token({ ...credentials(), grant_type: 'authorization_code', redirect_uri: callback, code, ...changes })
  const refresh = (refresh_token: string, changes: object = {}) =>
    oauth().token({ ...credentials(), grant_type: 'refresh_token', refresh_token, ...changes })

  describe('OAuth', () => {
    suite.steered('a code is exchanged for an access token, which the API accepts', async () => {
      expect((await oauth().page(asking())).status).toBe(200)
      const { redirect } = await oauth().decide(asking(), allowing)
      expect(redirect?.get('state')).toBe('a b&c')

      const { status, body } = await redeem(redirect?.get('code') ?? '')

      expect(status).toBe(200)
      expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: allScopes.join(' ') })
      expect((await suite.api.get('/api/user', { token: body.access_token })).status).toBe(200)
    })

    suite.steered('a refresh token buys another access token', async () => {
      const { refresh_token } = (await redeem(await codeFor())).body

      const { status, body } = await refresh(refresh_token)

      expect(status).toBe(200)
      expect((await suite.api.get('/api/user', { token: body.access_token })).status).toBe(200)
    })

    suite.steered('a scope that was not granted cannot be obtained', async () => {
      const { body } = await redeem(await codeFor({ grant: ['read-user'] }))

      expect(body.scope).toBe('read-user')
      expect((await suite.api.get('/api/user', { token: body.access_token })).status).toBe(200)
      expect((await suite.api.get('/api/accounts', { token: body.access_token })).status).toBe(403)
    })

    suite.steered('an access token lives for an hour', async () => {
      const { api, control, world } = await suite.own()
      const own = new OAuthApi(world, suite.seen)
      const { redirect } = await own.decide(asking(), allowing)
      const code = redirect?.get('code')
      const body = { ...credentials(), grant_type: 'authorization_code', redirect_uri: callback, code }
      const token = (await own.token(body)).body.access_token

      await control.advanceClock(3_599_000)
      expect((await api.get('/api/user', { token })).status).toBe(200)
      await control.advanceClock(2000)

      expect((await api.get('/api/user', { token })).body.errors.error).toBe('invalid_token')
    })

    suite.steered.each([
      [
        'a code twice',
        'invalid_grant',
        async () => {
          const code = await codeFor()
          await redeem(code)
          return redeem(code)
        },
      ],
      ['a code nobody issued', 'invalid_grant', () => redeem('nonsense')],
      [
        'another redirect_uri',
        'invalid_grant',
        async () => redeem(await codeFor(), { redirect_uri: 'http://localhost/callback' }),
      ],
      ['a refresh token nobody issued', 'invalid_grant', () => refresh('nonsense')],
      ['a client nobody registered', 'invalid_client', async () => redeem(await codeFor(), { client_id: 'nobody' })],
      ['a wrong secret', 'invalid_client', async () => redeem(await codeFor(), { client_secret: 'wrong' })],
      ['no secret', 'invalid_client', () => refresh('nonsense', { client_secret: undefined })],
      [
        'more scopes than were granted',
        'invalid_scope',
        async () => redeem(await codeFor({ grant: ['read-user'] }), { scope: 'read-user send-payments' }),
      ],
      ['no code', 'invalid_request', () => redeem('', { code: undefined })],
      ['a body that is not JSON', 'invalid_request', () => oauth().token('{')],
      ['another grant', 'unsupported_grant_type', () => oauth().token({ ...credentials(), grant_type: 'password' })],
    ] as const)('%s gets %s', async (_, code, ask) => {
      const { body } = await ask()

      expect(body.error).toBe(code)
      expect(body.message).toMatch(/\w/)
    })

    suite.steered.each([
      ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['a scope there is not', { scope: 'read-minds' }, 'invalid_scope'],
    ] as const)('%s is told to the client', async (_, change, error) => {
      for (const ask of [oauth().page, (query: object) => oauth().decide({ ...query }, allowing)]) {
        const { redirect } = await ask({ ...asking(), ...change })
        expect(redirect?.get('error')).toBe(error)
        expect(redirect?.get('state')).toBe('a b&c')
      }
    })

    suite.steered.each([
      ['denying', { decision: 'deny' }],
      ['granting nothing', { grant: [] }],
    ])('%s gets access_denied', async (_, change) => {
      const { redirect } = await oauth().decide(asking(), { ...allowing, ...change })

      expect(redirect?.get('error')).toBe('access_denied')
      expect(redirect?.get('code')).toBeNull()
    })

    suite.steered.each([
      ['a client nobody registered', { client_id: 'nobody' }],
      ['no client', { client_id: undefined }],
      ['a redirect_uri that is not registered', { redirect_uri: 'https://evil.example/callback' }],
      ['no redirect_uri', { redirect_uri: undefined }],
    ])('%s is shown on a page, without a redirect', async (_, change) => {
      for (const answer of [
        await oauth().page({ ...asking(), ...change }),
        await oauth().decide({ ...asking(), ...change }, allowing),
      ]) {
        expect(answer.status).toBe(400)
        expect(answer.redirect).toBeNull()
      }
    })

    suite.misnamed('a name that points at this machine is 421, a form of another page 403', async () => {
      const rebound = await oauth().page(asking(), { Host: 'evil.example' })
      const foreign = await oauth().decide(asking(), allowing, { Origin: 'https://evil.example' })

      expect([rebound.status, foreign.status]).toEqual([421, 403])
      expect([rebound.redirect, foreign.redirect]).toEqual([null, null])
    })
  })
}
