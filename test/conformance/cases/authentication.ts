import { describe, expect, test } from 'vitest'
import { allScopes, type Scope } from '../../../src/contract/index.ts'
import { admittedTo } from '../documented.ts'
import { endpointIds, requestTo } from '../requests.ts'
import type { Suite } from '../suite.ts'

const guarded = endpointIds.flatMap((id) => {
  const scopes = admittedTo(id)
  return scopes === 'anybody' ? [] : [[...requestTo(id), ...scopes] as const]
})

export function authenticationCases(suite: Suite): void {
  describe('authentication', () => {
    test.each(guarded)('%s %s answers 401 without a token', async (method, path) => {
      const answer = await suite.api.request(method, path, { token: null })

      expect(answer.status).toBe(401)
      expect(answer.body.errors).toEqual({ error: 'invalid_token', message: expect.stringMatching(/\w/) })
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    })

    test.each([
      ['a token nobody was given', 'Bearer no-such-token'],
      ['an empty token', 'Bearer '],
      ['no scheme', 'payctl-demo-token'],
      ['another scheme', 'Basic cGF5Y3RsOnBheWN0bA=='],
      ['two tokens', 'Bearer payctl-demo-token payctl-demo-token'],
      ['a token in quotes', 'Bearer "payctl-demo-token"'],
      ['a very long token', `Bearer ${'x'.repeat(4000)}`],
      ['SQL for a token', "Bearer ' OR '1'='1"],
    ])('%s gets 401', async (_, authorization) => {
      const answer = await suite.api.get('/api/user', { token: null, headers: { Authorization: authorization } })

      expect(answer.status).toBe(401)
      expect(answer.body.errors.error).toBe('invalid_token')
    })

    test('the scheme is taken in any case', async () => {
      const headers = { Authorization: `bEaReR ${suite.world.token}` }

      expect((await suite.api.get('/api/user', { token: null, headers })).status).toBe(200)
    })

    test('a bad token is reported before a bad body, key or id', async () => {
      const bad = { token: 'no-such-token' }

      expect((await suite.api.post('/api/payments', '{', bad)).status).toBe(401)
      expect((await suite.api.get('/api/payments/nonsense', bad)).status).toBe(401)
    })

    suite.steered('a token with an expiry time expires by the world’s clock', async () => {
      const token = await suite.control.mint(allScopes, { expiresIn: 3600 })
      expect((await suite.api.get('/api/user', { token })).status).toBe(200)

      await suite.control.advanceClock(3_600_000)

      const answer = await suite.api.get('/api/user', { token })
      expect(answer.status).toBe(401)
      expect(answer.body.errors).toEqual({ error: 'invalid_token', message: 'The access token has expired.' })
    })

    suite.steered.each(guarded)(
      '%s %s answers 403 to a token with all scopes except its own',
      async (method, path, ...scopes) => {
        const token = await suite.control.mint(allScopes.filter((scope) => !scopes.includes(scope)))

        const answer = await suite.api.request(method, path, { token })

        expect(answer.status).toBe(403)
        expect(answer.body.errors).toEqual({ scope: [`The ${scopes.join(' or ')} scope is required.`] })
      },
    )

    suite.steered.each(guarded)(
      '%s %s accepts a token with one of its scopes and no other token',
      async (method, path, ...scopes) => {
        for (const scope of scopes as Scope[]) {
          const answer = await suite.api.request(method, path, { token: await suite.control.mint([scope]) })
          expect([401, 403]).not.toContain(answer.status)
        }
      },
    )

    suite.within('no endpoint accepts a token without scopes', async () => {
      const token = suite.inside.mintBare()

      for (const [method, path] of guarded) {
        expect((await suite.api.request(method, path, { token })).status).toBe(403)
      }
    })
  })
}
