import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { createClient } from '../../src/client/index.ts'
import { HistorySearch } from '../../src/payments/history.ts'
import { pageOf, paymentOf, startService } from '../commands/payments/service.ts'
import { full } from '../support/full.ts'

const second = 1_000

/** A service with payments of these times, in milliseconds. Its history lists them in this order, three on a page. */
async function historyOf(times: () => readonly number[]) {
  const service = await startService()
  service.before = ({ query }) => {
    const page = Number(query.page ?? 1)
    const all = times().map((time) => ({
      ...paymentOf({ key: 'k', body: { amount: 1 } }),
      created_at: new Date(time).toISOString(),
    }))
    return [200, pageOf(all.slice((page - 1) * 3, page * 3), page, Math.max(1, Math.ceil(all.length / 3)))]
  }
  const client: Client = createClient({ baseUrl: service.url, token: 't' })
  onTestFinished(() => client.close())
  const search = async (period: { since?: number; until?: number }) => {
    const history = new HistorySearch({ client, query: {}, fits: () => true, period, perPage: 3 })
    const found: number[] = []
    for await (const { created_at } of history) found.push(Date.parse(created_at ?? ''))
    return { found, reading: history.reading }
  }
  return { service, search }
}

describe('a search of the history', () => {
  it.each(['newest first', 'oldest first', 'none'] as const)(
    'finds what is in the period, in a history ordered %s',
    async (order) => {
      let times: readonly number[] = []
      const { search } = await historyOf(() => times)
      const time = fc.integer({ min: 0, max: 100 }).map((minutes) => minutes * 60 * second)
      const period = fc.record({ since: time, until: time }, { requiredKeys: [] })
      // Services may list payments out of order by some seconds: here by up to 20 s.
      const delay = fc.integer({ min: 0, max: 20 * second })
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(time, delay), { maxLength: 20 }), period, async (payments, wanted) => {
          const sign = order === 'oldest first' ? 1 : -1
          const sorted = order === 'none' ? payments : payments.toSorted(([one], [other]) => sign * (one - other))
          times = sorted.map(([at, late]) => at + late)
          const { since = -1, until = Number.POSITIVE_INFINITY } = wanted
          const expected = times.filter((at) => at >= since && at < until)
          // Pages without an order can look as if all payments had the same time; the search may then end early.
          const { found, reading } = await search(wanted)
          if (order !== 'none' || reading.endedBy === 'end') expect(found).toEqual(expected)
        }),
        { numRuns: full ? 60 : 20 },
      )
    },
  )

  const hours = Array.from({ length: 30 }, (_, hour) => hour * 3_600 * second)

  it('reads no further than the beginning of the period where the newest come first', async () => {
    const { service, search } = await historyOf(() => hours.toReversed())
    const { found, reading } = await search({ since: hours[25] ?? 0 })
    expect(found).toHaveLength(5)
    expect(reading).toMatchObject({ read: 6, endedBy: 'period', order: 'newest first' })
    expect(service.received).toHaveLength(2)
  })

  it('reads no further than the end of the period where the oldest come first', async () => {
    const { service, search } = await historyOf(() => hours)
    const { found, reading } = await search({ since: hours[1] ?? 0, until: hours[4] ?? 0 })
    expect(found).toHaveLength(3)
    expect(reading).toMatchObject({ read: 6, endedBy: 'period', order: 'oldest first' })
    expect(service.received).toHaveLength(2)
  })

  it('reads on if the payments of a page are too close together to show an order', async () => {
    const { search } = await historyOf(() => [360_001, 360_000, 360_000, 480_000])
    const { found, reading } = await search({ since: 480_000 })
    expect(found).toEqual([480_000])
    expect(reading).toMatchObject({ read: 4, endedBy: 'end', order: 'oldest first' })
  })

  it('reads all where a payment stands out of order', async () => {
    const times = [...hours.slice(0, 1), ...hours.slice(1).toReversed()]
    const { search } = await historyOf(() => times)
    const { found, reading } = await search({ since: hours[25] ?? 0 })
    expect(found).toHaveLength(5)
    expect(reading).toMatchObject({ read: 30, endedBy: 'end', order: 'none' })
  })

  it('counts a payment once that a new one has pushed onto the next page', async () => {
    let times = hours.slice(0, 6).toReversed()
    const { service, search } = await historyOf(() => times)
    const ids = new Map<number, string>()
    const before = service.before
    service.before = (request, response) => {
      const answer = before(request, response)
      const [, page] = answer as [number, { data: { id: string; created_at: string }[] }]
      for (const payment of page.data) {
        const at = Date.parse(payment.created_at)
        payment.id = ids.get(at) ?? payment.id
        ids.set(at, payment.id)
      }
      times = [...(times.length === 6 ? [hours[6] ?? 0] : []), ...times]
      return answer
    }
    const { found, reading } = await search({})
    expect(found).toEqual(hours.slice(0, 6).toReversed())
    expect(reading).toMatchObject({ read: 6, found: 6 })
  })
})
