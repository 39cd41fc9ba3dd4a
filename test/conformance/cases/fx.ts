import { describe, expect, test } from 'vitest'
import type { ExchangeRate } from '../../../src/contract/index.ts'
import type { Suite } from '../suite.ts'

const rates = '/api/fx/rates'
const upstream = '/api/fx/upstream-rates'
const hour = 3_600_000

export function fxCases(suite: Suite): void {
  describe('exchange rates', () => {
    test('are what the service pays for a dollar and what it takes, from when and whom', async () => {
      const { status, body } = await suite.api.get(rates)

      expect(status).toBe(200)
      expect(body.data.bid).toBeGreaterThan(0)
      expect(body.data.ask).toBeGreaterThan(body.data.bid)
      expect(body.data.last_updated_utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
      expect(new URL(body.data.source).protocol).toMatch(/^https?:$/)
    })

    suite.steered('the service buys below the upstream rate and sells above it, by 0.4 % each', async () => {
      const [ours, theirs] = [(await suite.api.get(rates)).body.data, (await suite.api.get(upstream)).body.data]

      expect(ours.bid).toBeCloseTo(theirs.bid * 0.996, 1)
      expect(ours.ask).toBeCloseTo(theirs.ask * 1.004, 1)
      expect(ours.last_updated_utc).toBe(theirs.last_updated_utc)
    })

    suite.steered('rates that were set are returned unchanged, and the spread is added', async () => {
      const { api, control } = await suite.own()

      await control.setRates({ bid: 500, ask: 510 })

      expect((await api.get(upstream)).body.data).toMatchObject({ bid: 500, ask: 510 })
      expect((await api.get(rates)).body.data).toMatchObject({ bid: 498, ask: 512.04 })
    })

    suite.steered('rates change every hour around 500 and 510, equally in every world', async () => {
      const worlds = [await suite.own(), await suite.own()] as const
      const started = Date.parse('2027-01-01T00:00:00Z')
      const days: ExchangeRate[][] = []
      for (const { api, control } of worlds) {
        await control.advanceClock(started + hour / 2 - (await control.now()))
        const day: ExchangeRate[] = []
        for (let n = 0; n < 24; n++) {
          day.push((await api.get(upstream)).body.data)
          await control.advanceClock(hour)
        }
        days.push(day)
      }

      const [first = [], second] = days
      expect(second).toEqual(first)
      for (const { bid, ask } of first) {
        expect(Math.abs(bid - 500)).toBeLessThanOrEqual(5)
        expect(Math.abs(ask - 510)).toBeLessThanOrEqual(5)
      }
      expect(new Set(first.map(({ bid }) => bid)).size).toBeGreaterThan(6)
      expect(first.map(({ last_updated_utc }) => Date.parse(last_updated_utc))).toEqual(
        first.map((_, at) => started + at * hour),
      )
    })

    suite.steered('unavailable rates get 503, each with its own message, until they are back', async () => {
      const { api, control } = await suite.own()
      await control.setRates({ offline: true })

      for (const [path, name] of [
        [rates, 'Exchange'],
        [upstream, 'Upstream exchange'],
      ] as const) {
        const { status, body } = await api.get(path)
        expect(status).toBe(503)
        expect(body.message).toBe(`${name} rates are currently unavailable`)
        expect(body).toMatchObject({ success: false, data: null, errors: expect.any(Object) })
      }

      await control.setRates({ offline: false })
      expect((await api.get(rates)).status).toBe(200)
      expect((await api.get(upstream)).status).toBe(200)
    })

    test('the upstream provider is named in the message', async () => {
      expect((await suite.api.get(rates)).body.message).toBe('Exchange rates retrieved successfully')
      expect((await suite.api.get(upstream)).body.message).toBe('Upstream exchange rates retrieved successfully')
    })

    suite.steered('get 404 for an unknown provider', async () => {
      const { status, body } = await suite.api.get('/api/fx/somebody_else-rates')

      expect(status).toBe(404)
      expect(body).toMatchObject({ success: false, data: null, errors: {} })
    })

    suite.steered.each(['UPSTREAM', 'up%20stream', '%00', '..%2f', 'x'.repeat(65)])(
      'get 422 for the invalid provider name %s',
      async (provider) => {
        const { status, body } = await suite.api.get(`/api/fx/${provider}-rates`)

        expect(status).toBe(422)
        expect(Object.keys(body.errors)).toEqual(['provider'])
      },
    )
  })
}
