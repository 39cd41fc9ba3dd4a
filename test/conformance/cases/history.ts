import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { laravelPage } from '../../emulator/domain/laravel_paginator.ts'
import type { Answer } from '../api.ts'
import { ibanOf, open, paid, phoneOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

const subscriptions = '/api/webhooks/subscriptions'
const lists = ['/api/accounts', '/api/payments/history', subscriptions]

/** A page without its items, with only the queries of its URLs. */
function frame({ body }: Answer) {
  const { data, links, path, ...rest } = body.data
  const query = (url: string | null) => url?.slice(path.length) ?? null
  return {
    ...rest,
    first_page_url: query(rest.first_page_url),
    last_page_url: query(rest.last_page_url),
    next_page_url: query(rest.next_page_url),
    prev_page_url: query(rest.prev_page_url),
    links: links.map(({ url, ...link }: { url: string | null }) => ({ ...link, url: query(url) })),
    items: data.length,
  }
}

export function historyCases(suite: Suite): void {
  describe('pages', () => {
    const made: string[] = []
    suite.before(async () => {
      for (let n = 0; n < 5; n++) {
        const body = { url: `https://receiver.invalid/pages/${randomUUID()}`, events: ['payment.completed'] }
        const { id } = (await suite.api.post(subscriptions, body)).body.data
        made.push(id)
        await suite.api.post(`${subscriptions}/${id}/suspend`, {}) // nobody listens there
      }
    })
    afterAll(async () => {
      for (const id of made) await suite.api.request('DELETE', `${subscriptions}/${id}`)
    })

    test.each(lists)('%s: every page has the shape of Laravel’s paginator', async (path) => {
      for (let n = 0; n < 3; n++) await open(suite.api, 'CRC')
      await payABit(suite, 3)
      const { total } = (await suite.api.get(path)).body.data
      for (const perPage of [1, 2, 7, 15, 1000]) {
        const last = Math.max(1, Math.ceil(total / perPage))
        for (const page of new Set([1, 2, Math.ceil(last / 2), last, last + 1])) {
          const answer = await suite.api.get(path, { query: { page, per_page: perPage } })
          expect(frame(answer)).toEqual(laravelPage({ page, perPage, total }))
          expect(Object.keys(answer.body.data)).toEqual([
            'current_page',
            'data',
            'first_page_url',
            'from',
            'last_page',
            'last_page_url',
            'links',
            'next_page_url',
            'path',
            'per_page',
            'prev_page_url',
            'to',
            'total',
          ])
        }
      }
    })

    test.each([
      ['/api/accounts', 'oldest'],
      ['/api/payments/history', 'newest'],
      [subscriptions, 'newest'],
    ])('%s: all pages together are the whole list, %s first', async (path, first) => {
      for (let n = 0; n < 3; n++) await open(suite.api, 'CRC')
      await payABit(suite, 5)
      const whole = (await suite.api.get(path, { query: { per_page: 1000 } })).body.data.data
      expect(whole.length).toBeGreaterThan(4)

      const pages = []
      for (let page = 1; page <= Math.ceil(whole.length / 4); page++) {
        pages.push(...(await suite.api.get(path, { query: { per_page: 4, page } })).body.data.data)
      }

      expect(pages).toEqual(whole)
      const order = whole.map(({ created_at, id }: { created_at: string; id: string }) => created_at + id)
      expect(first === 'oldest' ? order.toSorted() : order.toSorted().toReversed()).toEqual(order)
    })

    test.each(lists)('%s: a page has fifteen items by default', async (path) => {
      expect((await suite.api.get(path)).body.data.per_page).toBe(15)
      expect((await suite.api.get(`${path}?per_page=&page=`)).body.data).toMatchObject({
        per_page: 15,
        current_page: 1,
      })
    })

    test.each(lists)('%s: links lead back to the list, without per_page', async (path) => {
      const { data } = (await suite.api.get(path, { query: { per_page: 1 } })).body

      expect(new URL(data.path).pathname.endsWith(path)).toBe(true)
      expect(data.next_page_url).toBe(`${data.path}?page=2`)
      expect(data.path).toBe(data.first_page_url.replace('?page=1', ''))
    })

    test.each(lists)('%s: labels are in Spanish', async (path) => {
      const { links } = (await suite.api.get(path)).body.data

      expect(links.at(0).label).toBe('&laquo; Anterior')
      expect(links.at(-1).label).toBe('Siguiente &raquo;')
    })

    test.each(lists)('%s: a page far beyond the end is empty', async (path) => {
      for (const page of [999_999_999_999_999, Number.MAX_SAFE_INTEGER]) {
        const answer = await suite.api.get(path, { query: { page, per_page: 1000 } })

        expect(answer.status).toBe(200)
        expect(answer.body.data).toMatchObject({ data: [], from: null, to: null, next_page_url: null })
      }
    })

    test.each(
      lists.flatMap(
        (path) =>
          [
            [path, 'per_page=0', /at least 1/],
            [path, 'per_page=-1', /at least 1/],
            [path, 'per_page=1001', /greater than 1000/],
            [path, 'per_page=abc', /integer/],
            [path, 'per_page=1.5', /integer/],
            [path, 'per_page=1e2', /integer/],
            [path, 'per_page=0x10', /integer/],
            [path, 'per_page=%2015', /integer/],
            [path, 'per_page=1&per_page=2', /integer/],
            [path, 'per_page=99999999999999999999', /integer|greater/],
            [path, 'page=0', /at least 1/],
            [path, 'page=-1', /at least 1/],
            [path, 'page=abc', /integer/],
            [path, 'page=2.0', /integer/],
            [path, 'page=99999999999999999999', /integer|greater/],
            [path, 'page=1&page=1', /integer/],
          ] as const,
      ),
    )('%s?%s gets 422', async (path, query, why) => {
      const answer = await suite.api.get(path, { query })

      expect(answer.status).toBe(422)
      const [field = ''] = query.split('=')
      expect(answer.body.errors).toEqual({ [field]: [expect.stringMatching(why)] })
    })

    test.each(lists)('%s: parameters it does not know are left out', async (path) => {
      const answer = await suite.api.get(path, { query: 'limit=1&offset=5&__proto__=1&constructor=x&a[b]=c' })

      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({ per_page: 15, current_page: 1 })
    })
  })

  describe('history', () => {
    test.each([
      ['channel', 'pin', 'sinpe_movil'],
      ['transfer_type', 'debit', 'credit'],
    ] as const)('filtered by %s it holds all of that kind and no other', async (field, ...values) => {
      await payABit(suite, 2)
      const whole = (await suite.api.get('/api/payments/history', { query: { per_page: 1000 } })).body.data.data
      for (const value of values) {
        const { body } = await suite.api.get('/api/payments/history', { query: { [field]: value, per_page: 1000 } })
        const expected = whole.filter((payment: Record<string, unknown>) => payment[field] === value)
        expect(body.data.data).toEqual(expected)
        expect(body.data.total).toBe(expected.length)
      }
    })

    test('a filter by document number returns the payments to that payee', async () => {
      await payABit(suite, 1)
      const whole = (await suite.api.get('/api/payments/history', { query: { per_page: 1000 } })).body.data.data
      const documents: string[] = whole.map(
        ({ payee }: { payee: { document_number: string } }) => payee.document_number,
      )
      for (const document of new Set(documents)) {
        const query = { recipient_document_number: document, per_page: 1000 }
        const { data } = (await suite.api.get('/api/payments/history', { query })).body
        expect(data.data).toEqual(whole.filter((_: unknown, at: number) => documents[at] === document))
      }
    })

    test('filters add up, and pages of a filtered list are pages of it', async () => {
      await payABit(suite, 3)
      const query = { channel: 'pin', transfer_type: 'debit' }
      const whole = (await suite.api.get('/api/payments/history', { query: { ...query, per_page: 1000 } })).body.data
      const second = (await suite.api.get('/api/payments/history', { query: { ...query, per_page: 2, page: 2 } })).body
        .data

      expect(
        whole.data.every((payment: object) =>
          Object.entries(query).every((pair) =>
            Object.entries(payment).some(([k, v]) => k === pair[0] && v === pair[1]),
          ),
        ),
      ).toBe(true)
      expect(second.data).toEqual(whole.data.slice(2, 4))
      expect(second.total).toBe(whole.total)
    })

    test('a payee nobody has paid gives an empty list', async () => {
      const { data } = (
        await suite.api.get('/api/payments/history', { query: { recipient_document_number: '999999999' } })
      ).body

      expect(data).toMatchObject({ data: [], total: 0, last_page: 1, from: null, to: null })
    })

    test('empty filters have no effect', async () => {
      const { status, body } = await suite.api.get('/api/payments/history')
      expect(status).toBe(200)

      const query = 'channel=&transfer_type=&recipient_document_number='
      expect((await suite.api.get('/api/payments/history', { query })).body.data).toEqual(body.data)
    })

    test.each([
      ['channel=cash', 'channel'],
      ['channel=PIN', 'channel'],
      ['channel=pin&channel=pin', 'channel'],
      ['transfer_type=refund', 'transfer_type'],
      ['recipient_document_number=1', 'recipient_document_number'],
      ['recipient_document_number=0-1234-5678', 'recipient_document_number'],
      ['recipient_document_number=%27%20OR%201%3D1', 'recipient_document_number'],
    ])('%s gets 422', async (query, field) => {
      const answer = await suite.api.get('/api/payments/history', { query })

      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)).toEqual([field])
    })
  })
}

/** Makes a few payments of every kind that the target offers. */
async function payABit(suite: Suite, times: number): Promise<void> {
  const { colones, savings, demo } = suite.fixture
  for (let n = 0; n < times; n++) {
    await paid(suite.api, { source_account_id: colones.id, amount: n + 1, recipient_iban: savings.iban })
    if (!demo) continue
    await paid(suite.api, {
      source_account_id: colones.id,
      amount: n + 1,
      recipient_phone: phoneOf('John Andrew Smith'),
    })
    await paid(suite.api, {
      source_account_id: colones.id,
      amount: n + 1,
      recipient_iban: ibanOf('Ferretería El Roble S.A.'),
    })
  }
  if (suite.target.reach === 'none') await suite.state()
  else await suite.control.advanceClock(60_000)
}
