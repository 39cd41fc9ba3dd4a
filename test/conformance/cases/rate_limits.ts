import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { allScopes } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { OAuthApi } from '../oauth_api.ts'
import { endpointIds, requestTo } from '../requests.ts'
import type { Suite } from '../suite.ts'
import type { Control, World } from '../target.ts'

const requests = endpointIds.map(requestTo)

/** Waits for the start of a window, so that no window ends in the middle of a case. */
async function toStartOfWindow(api: Api, control: Control): Promise<void> {
  const { headers } = await api.get('/api/payments/service-status')
  await control.advanceClock(Number(headers['x-ratelimit-reset']) * 1000 - (await control.now()))
}

/** An access token of the OAuth client, for the seeded user. */
async function oauthToken(world: World, { seen }: Suite): Promise<string> {
  const oauth = new OAuthApi(world, seen)
  const redirect_uri = 'http://127.0.0.1:49152/callback'
  const { id: client_id, secret: client_secret } = world.oauth?.client ?? {}
  const { redirect } = await oauth.decide(
    { client_id, redirect_uri, response_type: 'code' },
    { user: demo.user.id, grant: allScopes, decision: 'allow' },
  )
  const code = redirect?.get('code')
  return (await oauth.token({ grant_type: 'authorization_code', client_id, client_secret, redirect_uri, code })).body
    .access_token
}

export function rateLimitCases(suite: Suite): void {
  describe('rate limits', () => {
    suite.steered(
      'each endpoint has its own count, and answers 429 above the limit until the window ends',
      async () => {
        const { api, control } = await suite.own({ rateLimit: 2 })
        const headersOf = async ([method, path]: readonly [string, string]) => {
          const { status, headers, body } = await api.request(method, path)
          return { status, headers, body }
        }
        await toStartOfWindow(api, control)

        for (const request of requests) {
          const answers = [await headersOf(request), await headersOf(request), await headersOf(request)]

          expect(answers.map(({ status }) => status === 429)).toEqual([false, false, true])
          expect(answers.map(({ headers }) => Number(headers['x-ratelimit-limit']))).toEqual([2, 2, 2])
          expect(answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))).toEqual([1, 0, 0])
          expect(answers[2]?.body).toMatchObject({ message: 'Too Many Attempts.', data: null, errors: {} })
          const wait = Number(answers[2]?.headers['retry-after'])
          expect(wait).toBeGreaterThan(0)
          expect(wait).toBeLessThanOrEqual(60)
        }

        await control.advanceClock(60_000)

        for (const request of requests) expect((await headersOf(request)).status).not.toBe(429)
      },
    )

    suite.steered('the window ends at a whole second not more than a minute away', async () => {
      const { api, control } = await suite.own({})
      const reset = Number((await api.get('/api/user')).headers['x-ratelimit-reset'])
      expect(Number.isInteger(reset)).toBe(true)

      await control.advanceClock(60_000)

      expect(Number((await api.get('/api/user')).headers['x-ratelimit-reset'])).toBe(reset + 60)
    })

    suite.steered(
      'dashboard tokens are counted together; an OAuth client and another user are counted separately',
      async () => {
        const { api, control, world } = await suite.own({ rateLimit: 100 })
        await toStartOfWindow(api, control)
        const stranger = await control.stranger()
        const dashboard = [undefined, await control.mint(['read-user']), await control.mint(['read-user'])]
        const ofClient = [await oauthToken(world, suite), await oauthToken(world, suite)]
        const left = async (token: string | undefined) =>
          Number((await api.get('/api/user', token === undefined ? {} : { token })).headers['x-ratelimit-remaining'])

        expect([await left(dashboard[0]), await left(dashboard[1]), await left(dashboard[2])]).toEqual([99, 98, 97])
        expect([await left(ofClient[0]), await left(ofClient[1])]).toEqual([99, 98])
        expect(await left(stranger.token)).toBe(99)
        expect(await left(dashboard[0])).toBe(96)
      },
    )

    suite.steered(
      'refused requests are counted too: by address without a token, by client without the scope',
      async () => {
        const { api, control } = await suite.own({ rateLimit: 3 })
        await toStartOfWindow(api, control)
        const bare = await control.mint(['read-accounts'])
        const answers = async (token: string | null) => {
          const all = []
          for (let n = 0; n < 4; n++) all.push(await api.get('/api/user', { token }))
          return all
        }

        for (const [token, status] of [
          [null, 401],
          [bare, 403],
        ] as const) {
          const refused = await answers(token)
          expect(refused.map((answer) => answer.status)).toEqual([status, status, status, 429])
          expect(refused.map(({ headers }) => Number(headers['x-ratelimit-remaining']))).toEqual([2, 1, 0, 0])
          expect(Number(refused[0]?.headers['x-ratelimit-limit'])).toBe(3)
        }
        expect((await api.get('/api/user', { token: 'wrong' })).status).toBe(429)
        expect((await api.get('/api/user')).status).toBe(429)
      },
    )

    suite.steered.each([
      ['GET', '/api/nowhere', 404],
      ['DELETE', '/api/user', 405],
      ['GET', '/%zz', 400],
    ] as const)('%s %s, an unknown path, gets the headers too', async (method, path, status) => {
      const { api, control } = await suite.own({ rateLimit: 2 })
      await toStartOfWindow(api, control)
      const [first, second, third] = [
        await api.request(method, path, { token: null }),
        await api.request(method, path, { token: null }),
        await api.request(method, path, { token: null }),
      ]

      expect([first, second, third].map((answer) => answer.status)).toEqual([status, status, 429])
      expect([first, second, third].map(({ headers }) => Number(headers['x-ratelimit-remaining']))).toEqual([1, 0, 0])
    })

    suite.steered('a payment turned away is not made, and its key is still good', async () => {
      const { api, control } = await suite.own({ rateLimit: 1 })
      const accounts = (await api.get('/api/accounts')).body.data.data
      const [colones, dollars] = accounts
      const body = { source_account_id: colones.id, amount: 1, recipient_iban: dollars.iban }
      const headers = { 'X-Idempotency-Key': randomUUID() }
      await api.post('/api/payments', { ...body, amount: 0 }, { headers })

      expect((await api.post('/api/payments', body, { headers })).status).toBe(429)

      expect((await api.get('/api/payments/history')).body.data.total).toBe(0)
      await control.advanceClock(60_000)
      const again = await api.post('/api/payments', body, { headers })
      expect(again.headers['idempotent-replayed']).toBeUndefined()
    })
  })
}
