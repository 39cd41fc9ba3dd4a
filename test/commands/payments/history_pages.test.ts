import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serve } from '../../support/server.ts'
import { success } from '../../support/stub.ts'
import { payctl } from './payctl.ts'
import { paymentOf } from './service.ts'

const payments = Array.from({ length: 10_000 }, (_, at) => ({
  ...paymentOf({ key: `k${at}`, body: { amount: 1 } }),
  created_at: new Date(Date.UTC(2026, 10, 1) - at * 60_000).toISOString(),
}))

/** A service that has these payments and counts requests. The service makes a new payment after request `newAfter`. */
async function counting({ largest = 1000, newAfter }: { largest?: number; newAfter?: number } = {}) {
  const observed = { urls: [] as string[], current: 0, most: 0 }
  let all = payments
  const url = await serve(async (request, response) => {
    observed.urls.push(request.url ?? '')
    observed.current += 1
    observed.most = Math.max(observed.most, observed.current)
    const { searchParams } = new URL(request.url ?? '', url)
    const size = Math.min(Number(searchParams.get('per_page') ?? 15), largest)
    const page = Number(searchParams.get('page') ?? 1)
    const last = Math.ceil(all.length / size)
    const data = all.slice((page - 1) * size, page * size)
    const body = {
      current_page: page,
      data,
      last_page: last,
      next_page_url: page < last ? 'more' : null,
      total: all.length,
    }
    if (observed.urls.length === newAfter) all = [{ ...paymentOf({ key: 'new', body: { amount: 1 } }) }, ...all]
    await pause(20)
    observed.current -= 1
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success(body)))
  })
  const list = async (...flags: readonly string[]) => {
    const { stdout, stderr, code } = await payctl(url).run('payments', 'history', ...flags, '-o', 'ndjson')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return stdout.match(/.+/g)?.map((line) => JSON.parse(line).id)
  }
  return { observed, list }
}

const ids = payments.map(({ id }) => id)

test('10,000 payments take ten requests, four at once', async () => {
  const { observed, list } = await counting()

  expect(await list('--all')).toEqual(ids)
  expect(observed.urls).toHaveLength(10)
  expect(observed.most).toBe(4)
})

test('a service with smaller pages is read whole', async () => {
  const { observed, list } = await counting({ largest: 300 })

  expect(await list('--all')).toEqual(ids)
  expect(observed.urls).toHaveLength(34)
})

test.each([2, 4])('a payment made after request %d loses and doubles no other', async (newAfter) => {
  const { list } = await counting({ newAfter })

  expect((await list('--all'))?.filter((id) => ids.includes(id))).toEqual(ids)
})

test('what ends early is read page by page', async () => {
  const { observed, list } = await counting()

  expect(await list('--limit', '2500')).toEqual(ids.slice(0, 2500))
  expect(await list('--since', '2026-10-31')).toBeDefined()
  expect(observed.urls).toHaveLength(3 + 2)
  expect(observed.most).toBe(1)
})
