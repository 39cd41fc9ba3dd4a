import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { full } from '../support/full.ts'
import { serve } from '../support/server.ts'
import { errorOf, failure, rig, success } from '../support/stub.ts'

interface List {
  /** Newest first. */
  items: readonly { readonly id: string }[]
  /** Number of items on a page, whatever size a request names. */
  readonly pageSize: number
  /**
   * For each request, in order of arrival: delay of its answer in milliseconds, and items added after its page was
   * read.
   */
  readonly delays?: readonly number[]
  readonly added?: readonly number[]
  /** Requests admitted in each window of 50 ms. */
  readonly rateLimit?: number
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ id: `i${from + at}` })).reverse()

/** A service with this list of payments, and its observations of the requests. */
async function serviceOf(list: List) {
  const observed = { pages: [] as number[], current: 0, most: 0, refused: 0 }
  let inWindow = 0
  let windowEnd = 0
  const url = await serve(async (request, response) => {
    const now = performance.now()
    if (now > windowEnd) [windowEnd, inWindow] = [now + 50, 0]
    inWindow += 1
    if (list.rateLimit !== undefined) {
      response.setHeader('X-RateLimit-Remaining', Math.max(list.rateLimit - inWindow, 0))
      if (inWindow > list.rateLimit) {
        observed.refused += 1
        response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '1' })
        response.end(JSON.stringify(failure('Too many requests')))
        return
      }
    }
    const page = Number(new URL(request.url ?? '', url).searchParams.get('page') ?? 1)
    const number = observed.pages.push(page) - 1
    observed.current += 1
    observed.most = Math.max(observed.most, observed.current)
    const { items, pageSize } = list
    const last = Math.max(1, Math.ceil(items.length / pageSize))
    const data = items.slice((page - 1) * pageSize, page * pageSize)
    const body = {
      current_page: page,
      data,
      last_page: last,
      next_page_url: page < last ? 'more' : null,
      total: items.length,
    }
    list.items = [...numbered(list.added?.[number] ?? 0, items.length), ...items]
    await pause(list.delays?.[number] ?? 1)
    observed.current -= 1
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success(body)))
  })
  const { client, delays } = rig(url, list.rateLimit === undefined ? {} : { delay: (ms) => pause(ms / 10) })
  const ids = async (atOnce = 4) => {
    const read: string[] = []
    for await (const { id } of client.items('payments.history', { atOnce })) read.push(String(id))
    return read
  }
  return { observed, ids, delays }
}

const idsOf = (items: List['items']) => items.map(({ id }) => id)

test('later pages are requested four at once, each once, and come in order', async () => {
  const items = numbered(100)
  // Pages 2 to 5 are requested together, and the answer to page 2 takes longest.
  const { ids, observed } = await serviceOf({ items, pageSize: 10, delays: [1, 40, 30, 20, 1] })

  expect(await ids()).toEqual(idsOf(items))
  expect(observed.pages.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(observed.most).toBe(4)
})

test('no more pages are requested than the rate limit admits', async () => {
  const items = numbered(60)
  const { ids, observed } = await serviceOf({ items, pageSize: 5, rateLimit: 3 })

  expect(await ids()).toEqual(idsOf(items))
  expect(observed.most).toBeLessThanOrEqual(3)
})

test.each([{ total: undefined }, { last_page: undefined }])('one at a time where a page has no %j', async (gap) => {
  const asked: string[] = []
  let current = 0
  const url = await serve(async ({ url = '' }, response) => {
    asked.push(url)
    current += 1
    expect(current).toBe(1)
    await pause(2)
    current -= 1
    const number = asked.length
    const page = {
      current_page: number,
      data: [{ id: number }],
      total: 3,
      last_page: 3,
      next_page_url: number < 3 ? 'more' : null,
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success({ ...page, ...gap })))
  })
  const ids: unknown[] = []
  for await (const { id } of rig(url).client.items('payments.history', { atOnce: 4 })) ids.push(id)

  expect(ids.map(Number)).toEqual([1, 2, 3])
})

test('a list that grows while it is read has each item that was there once, in order', async () => {
  const counts = fc.array(fc.nat(3), { maxLength: 12 })
  const growth = fc.array(fc.oneof(fc.constant(0), fc.constant(0), fc.nat(7)), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      fc.nat(40),
      fc.integer({ min: 2, max: 9 }),
      counts,
      growth,
      async (count, pageSize, delays, added) => {
        const items = numbered(count)
        const { ids } = await serviceOf({ items, pageSize, delays, added })

        const read = await ids()

        expect(new Set(read).size).toBe(read.length)
        expect(read.filter((id) => Number(id.slice(1)) < count)).toEqual(idsOf(items))
      },
    ),
    { numRuns: full ? 300 : 60 },
  )
})

test('the fault of an early page comes after the pages before it', async () => {
  const url = await serve(({ url = '' }, response) => {
    const page = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1)
    const refused = page === 3
    const body = { current_page: page, data: [{ id: `p${page}` }], last_page: 5, next_page_url: 'more', total: 5 }
    response
      .writeHead(refused ? 401 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(refused ? failure('Unauthenticated.') : success(body)))
  })
  const ids: unknown[] = []
  const reading = async () => {
    for await (const { id } of rig(url).client.items('payments.history', { atOnce: 4 })) ids.push(id)
  }

  expect(await errorOf(reading())).toMatchObject({ status: 401 })
  expect(ids).toEqual(['p1', 'p2'])
})
