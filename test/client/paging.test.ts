import { describe, expect, test } from 'vitest'
import { errorOf, failure, type Reply, rig, type Stub, startStub, success } from './stub.ts'

const accounts = (...ids: readonly number[]) => ids.map((id) => ({ id: `a${id}` }))

/** A page as the service gives it; `fields` replace its own, undefined removes them. */
const page = (number: number, data: unknown, fields: Readonly<Record<string, unknown>> = {}): Reply => [
  200,
  success({ current_page: number, data, last_page: 3, next_page_url: number < 3 ? 'next' : null, ...fields }),
]

const open = { last_page: undefined, next_page_url: undefined }

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
  test('items of all pages, in turn', async () => {
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
    const stub = await startStub(page(2, accounts(3)), page(3, accounts(5)))
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
    const stub = await startStub(page(1, accounts(3, 2)), page(2, accounts(2, 1), { last_page: 2 }))

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
      [page(1, accounts(1), { last_page: undefined }), page(3, accounts(2), { last_page: undefined })],
      2,
    ],
    [
      'no next_page_url',
      [page(1, accounts(1), { next_page_url: undefined }), page(3, accounts(2), { next_page_url: undefined })],
      2,
    ],
    [
      'neither: an empty page is the end',
      [page(1, accounts(1), open), page(2, accounts(2), open), page(3, [], open)],
      3,
    ],
    ['the same page again and again', [page(1, accounts(1), open)], 2],
    ['pages going back', [page(5, accounts(1), open), page(4, accounts(2), open)], 2],
    ['no current_page', [page(1, accounts(1), { current_page: undefined })], 1],
    ['page 0', [page(0, accounts(1))], 1],
    ['a page number that is text', [page(1, accounts(1), { current_page: '1' }), page(3, accounts(2))], 2],
    ['a null in place of next_page_url', [page(1, accounts(1), { next_page_url: null })], 1],
    ['an empty page in the middle', [page(1, accounts(1)), page(2, [])], 2],
  ] satisfies [string, Reply[], number][])('%s', async (_, replies, requests) => {
    const stub = await startStub(...replies)

    const ids = await idsAt(stub)

    expect(ids[0]).toBe('a1')
    expect(new Set(ids).size).toBe(ids.length)
    expect(stub.received.length).toBe(requests)
  })

  test.each([null, [], {}, { data: {} }])('no list at all: %j', async (data) => {
    const stub = await startStub([200, success(data)])

    expect(await errorOf(idsAt(stub))).toMatchObject({ name: 'ContractError' })
  })
})
