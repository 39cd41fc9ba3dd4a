import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { endpointIds, requestTo } from '../requests.ts'
import type { Suite } from '../suite.ts'

const requests = endpointIds.map(requestTo)

export function rateLimitCases(suite: Suite): void {
  describe('rate limits', () => {
    suite.steered('each endpoint has its own count; past it is 429 until the window ends', async () => {
      const { api, control } = await suite.own({ rateLimit: 2 })
      const headersOf = async ([method, path]: readonly [string, string]) => {
        const { status, headers, body } = await api.request(method, path)
        return { status, headers, body }
      }
      // To the start of a window, so that none ends in the middle of the case.
      const first = await headersOf(['GET', '/api/payments/service-status'])
      await control.advanceClock(Number(first.headers['x-ratelimit-reset']) * 1000 - Date.now())

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
    })

    suite.steered('the window ends at a whole second not more than a minute away', async () => {
      const { api, control } = await suite.own({})
      const reset = Number((await api.get('/api/user')).headers['x-ratelimit-reset'])
      expect(Number.isInteger(reset)).toBe(true)

      await control.advanceClock(60_000)

      expect(Number((await api.get('/api/user')).headers['x-ratelimit-reset'])).toBe(reset + 60)
    })

    suite.steered('each token has its own count, and a refused token none', async () => {
      const { api, control } = await suite.own({ rateLimit: 2 })
      const token = await control.mint(['read-user'])
      for (let n = 0; n < 5; n++) expect((await api.get('/api/user', { token: 'wrong' })).status).toBe(401)

      for (let n = 0; n < 3; n++) await api.get('/api/user')

      expect((await api.get('/api/user')).status).toBe(429)
      const other = await api.get('/api/user', { token })
      expect(Number(other.headers['x-ratelimit-remaining'])).toBe(1)
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
