import { describe, expect, test } from 'vitest'
import { errorOf, failure, type Reply, rig, type Stub, startStub, success } from '../support/stub.ts'

const accounts = (...ids: readonly number[]) => ids.map((id) => ({ id: `a${id}` }))

/**
 * A page of a list, as the service sends it. `fields` replace members of the page; a field that is undefined removes
 * the member.
 */
const page = (number: number, data: unknown, fields: Readonly<Record<string, unknown>> = {}): Reply => [
  200,
  success({ current_page: number, data, last_page: 3, next_page_url: number < 3 ? 'next' : null, ...fields }),
]

const open = { last_page: undefined, next_page_url: undefined }
const noUrl = { next_page_url: undefined }
const end = { next_page_url: null }

const idsAt = async (stub: Stub): Promise<(string | null | undefined)[]> => {
  const ids: (string | null | undefined)[] = []
  for await (const { id } of rig(stub.url).client.items('accounts.list', { query: { per_page: 2 } })) ids.push(id)
  return ids
}

const urls = ({ received }: Stub) => received.map(({ url }) => url)

describe('the list of subscriptions, whose shape the interface does not show', () => {
  const hooks = [{ id: 's1' }, { id: 's2' }]

  test('a plain array is one page', async () => {
    const stub = await startStub([200, success(hooks)])
    const { client } = rig(stub.url)
    const ids: (string | null | undefined)[] = []

    for await (const { id } of client.items('webhooks.list')) ids.push(id)

    expect(ids).toEqual(['s1', 's2'])
    expect(urls(stub)).toEqual(['/api/webhooks/subscriptions'])
    expect(await client.call('webhooks.list')).toMatchObject({ data: hooks, total: 2, current_page: 1, last_page: 1 })
  })

  test('pages are read like those of the other lists', async () => {
    const stub = await startStub(page(1, hooks), page(2, [{ id: 's3' }]), page(3, []))
    const ids: (string | null | undefined)[] = []

    for await (const { id } of rig(stub.url).client.items('webhooks.list', { query: { per_page: 2 } })) ids.push(id)

    expect(ids).toEqual(['s1', 's2', 's3'])
  })
})

describe('a server as described', () => {
  test('items of all pages, in order', async () => {
    const stub = await startStub(page(1, accounts(1, 2)), page(2, accounts(3, 4)), page(3, accounts(5)))

    expect(await idsAt(stub)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
    expect(urls(stub)).toEqual([
      '/api/accounts?per_page=2',
      '/api/accounts?per_page=2&page=2',
      '/api/accounts?per_page=2&page=3',
    ])
  })

  test('a page is asked for only when it is needed', async () => {
    const stub = await startStub(page(1, accounts(1, 2)), page(2, accounts(3, 4)))

    for await (const _ of rig(stub.url).client.items('payments.history')) break

    expect(urls(stub)).toEqual(['/api/payments/history'])
  })

  test('from a page on', async () => {
    const stub = await startStub(page(2, accounts(3), { total: 5 }), page(3, accounts(5), { total: 5 }))
    const numbers: (number | null | undefined)[] = []

    for await (const { current_page } of rig(stub.url).client.pages('accounts.list', { query: { page: 2 } })) {
      numbers.push(current_page)
    }

    expect(numbers).toEqual([2, 3])
    expect(urls(stub)).toEqual(['/api/accounts?page=2', '/api/accounts?page=3'])
  })

  test('an empty list is one empty page', async () => {
    const stub = await startStub(page(1, [], { last_page: 1, next_page_url: null }))
    const pages: unknown[] = []

    for await (const { data } of rig(stub.url).client.pages('payments.history')) pages.push(data)

    expect(pages).toEqual([[]])
  })

  test('an item pushed onto the next page comes once', async () => {
    const stub = await startStub(
      page(1, accounts(3, 2)),
      page(2, accounts(2, 1), { last_page: 2, next_page_url: null }),
    )

    expect(await idsAt(stub)).toEqual(['a3', 'a2', 'a1'])
  })

  test('an error ends it', async () => {
    const stub = await startStub(page(1, accounts(1)), [401, failure('Unauthenticated.')])

    expect(await errorOf(idsAt(stub))).toMatchObject({ status: 401 })
  })
})

describe('a server that is odd', () => {
  test.each([
    [
      'no last_page',
      [page(1, accounts(1), { last_page: undefined }), page(2, accounts(2), { last_page: undefined, ...end })],
      2,
    ],
    [
      'no next_page_url',
      [page(1, accounts(1), { last_page: 2, ...noUrl }), page(2, accounts(2), { last_page: 2, ...noUrl })],
      2,
    ],
    [
      'neither: an empty page is the end',
      [page(1, accounts(1), open), page(2, accounts(2), open), page(3, [], open)],
      3,
    ],
    ['no field of a page', [page(1, accounts(1), { current_page: undefined, ...open })], 1],
    [
      'a page number that is text',
      [page(1, accounts(1), { current_page: '1' }), page(2, accounts(2), { last_page: 2, ...end })],
      2,
    ],
    [
      'a null in place of next_page_url',
      [page(1, accounts(1), { last_page: 2, ...end }), page(2, accounts(2), { last_page: 2, ...end })],
      2,
    ],
    [
      'a total that grows',
      [page(1, accounts(2, 1), { total: 2 }), page(2, accounts(1), { last_page: 2, total: 3, ...end })],
      2,
    ],
    [
      'an item that is gone before its page is read',
      [page(1, accounts(4, 3), { total: 4 }), page(2, accounts(1), { last_page: 2, total: 3, ...end })],
      2,
    ],
  ] satisfies [string, Reply[], number][])('%s: read to its end', async (_, replies, requests) => {
    const stub = await startStub(...replies)

    const ids = await idsAt(stub)

    expect(ids.length).toBeGreaterThan(0)
    expect(new Set(ids).size).toBe(ids.length)
    expect(stub.received.length).toBe(requests)
  })

  test.each([
    ['the same page again and again', [page(1, accounts(1), open)], 'page 2 was asked for, and page 1 came', 2],
    ['pages going back', [page(5, accounts(1), open)], 'page 1 was asked for, and page 5 came', 1],
    ['a page left out', [page(1, accounts(1)), page(3, accounts(2))], 'page 2 was asked for, and page 3 came', 2],
    ['page 0', [page(0, accounts(1))], 'page 1 was asked for, and page 0 came', 1],
    ['no current_page, and one page for all', [page(1, accounts(1), { current_page: undefined })], 'no new item', 11],
    ['an empty page in the middle', [page(1, accounts(1)), page(2, [])], 'page 2 is empty, and is not the last', 2],
    ['an empty first page of three', [page(1, [], end)], 'page 1 is empty, and is not the last', 1],
    [
      'a total that is more',
      [page(1, accounts(1), { last_page: 1, total: 5, ...end })],
      'its total says 5 items, but 1 came',
      1,
    ],
  ] satisfies [string, Reply[], string, number][])(
    '%s is an error that says so',
    async (_, replies, text, requests) => {
      const stub = await startStub(...replies)

      const error = await errorOf(idsAt(stub))

      expect(error).toMatchObject({ name: 'ContractError', message: expect.stringContaining(text) })
      expect(stub.received.length).toBe(requests)
    },
  )

  test('one item on ever more pages is not read for ever', async () => {
    let number = 0
    const stub = await startStub((response) => {
      number += 1
      const data = {
        current_page: number,
        data: accounts(1),
        last_page: number + 1,
        next_page_url: 'next',
        total: number,
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success(data)))
    })

    expect(await errorOf(idsAt(stub))).toMatchObject({ name: 'ContractError' })
    expect(stub.received.length).toBe(11)
  })

  test('what was read before the fault is given', async () => {
    const stub = await startStub(page(1, accounts(1)), page(1, accounts(1)))
    const ids: unknown[] = []
    const reading = async () => {
      for await (const { id } of rig(stub.url).client.items('accounts.list')) ids.push(id)
    }

    expect(await errorOf(reading())).toMatchObject({ name: 'ContractError' })
    expect(ids).toEqual(['a1'])
  })

  test.each([null, [], {}, { data: {} }])('no list at all: %j', async (data) => {
    const stub = await startStub([200, success(data)])

    expect(await errorOf(idsAt(stub))).toMatchObject({ name: 'ContractError' })
  })
})
