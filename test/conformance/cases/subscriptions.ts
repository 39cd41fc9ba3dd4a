import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { type CreatedSubscription, eventNames, type WebhookSubscription } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { nobodysId } from '../requests.ts'
import type { Suite } from '../suite.ts'

const path = '/api/webhooks/subscriptions'
const unknown = { success: false, message: 'Webhook subscription not found', data: null, errors: {} }

const notUuids = ['nonsense', '0190', '%00', '%27%20OR%201=1', '..%2fuser', '%F0%9F%99%82', `${nobodysId}x`, '*']

/** Fields of a subscription without deliveries that was never suspended. */
const unused = { last_sent_at: null, suspended_at: null, suspended_reason: null }

/** Operations on one subscription. */
const operations = [
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/suspend'],
  ['POST', '/resume'],
] as const

export function subscriptionCases(suite: Suite): void {
  describe('webhook subscriptions', () => {
    let api: Api
    const made: string[] = []

    suite.before(async () => {
      ;({ api } = await suite.start({}))
    })
    afterAll(async () => {
      for (const id of made) await api.request('DELETE', `${path}/${id}`)
    })

    const order = (changes: Readonly<Record<string, unknown>> = {}) => ({
      url: `https://receiver.invalid/hooks/${randomUUID()}`,
      events: ['payment.completed'],
      ...changes,
    })
    /**
     * Creates a subscription and reads it. The result contains no secret, but contains the fields that the answer to
     * create may leave out.
     */
    async function subscribe(changes: Readonly<Record<string, unknown>> = {}): Promise<WebhookSubscription> {
      const { secret: _, ...subscription } = await create(order(changes))
      return { ...unused, ...subscription }
    }
    async function create(body: unknown): Promise<CreatedSubscription> {
      const answer = await api.post(path, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      made.push(answer.body.data.id)
      return answer.body.data
    }
    const list = async (): Promise<WebhookSubscription[]> =>
      (await api.get(path, { query: { per_page: 1000 } })).body.data.data

    test('a new subscription is active, has the requested values and otherwise defaults, and reads back unchanged', async () => {
      const asked = order({ events: ['payment.failed', 'payment.created'] })

      const { secret, ...created } = await create(asked)
      const subscription = { ...unused, ...created }

      expect(subscription).toEqual({
        id: expect.any(String),
        ...asked,
        active: true,
        max_attempts: 3,
        timeout: 30,
        headers: null,
        last_sent_at: null,
        created_at: expect.any(String),
        updated_at: subscription.created_at,
        suspended_at: null,
        suspended_reason: null,
      })
      expect((await api.get(`${path}/${subscription.id}`)).body.data).toEqual(subscription)
      expect(await list()).toContainEqual(subscription)
      expect(secret).toMatch(/^[0-9A-Za-z]{32}$/)
    })

    test('each subscription has its own secret, which only the answer to its creation shows', async () => {
      const [one, other] = [await create(order()), await create(order())]

      expect(one.secret).not.toBe(other.secret)
      const operations = [
        await api.get(`${path}/${one.id}`),
        await api.get(path, { query: { per_page: 1000 } }),
        await api.post(`${path}/${one.id}/suspend`, {}),
        await api.post(`${path}/${one.id}/resume`, undefined),
        await api.request('DELETE', `${path}/${one.id}`),
      ]
      for (const { status, body } of operations) {
        expect(status).toBe(200)
        expect(JSON.stringify(body)).not.toContain(one.secret)
      }
    })

    test('what it does not know is left out', async () => {
      const subscription = await subscribe({ active: false, suspended_reason: 'x', id: randomUUID(), secret: [1] })

      expect(subscription).toMatchObject({ active: true, suspended_reason: null })
    })

    test('the list is a page of the user’s subscriptions, newest first', async () => {
      const older = await subscribe()
      const newer = await subscribe()

      expect((await list()).slice(0, 2)).toEqual([newer, older])
      const { status, body } = await api.get(path, { query: { per_page: 1, page: 2 } })
      expect(status).toBe(200)
      expect(body.message).toBe('Webhook subscriptions retrieved successfully')
      expect(body.data).toMatchObject({ current_page: 2, per_page: 1, data: [older] })
    })

    test('only one subscription can have the same URL and events, in any order', async () => {
      const url = `https://receiver.invalid/hooks/${randomUUID()}`
      const { id } = await subscribe({ url, events: ['payment.created', 'payment.failed'] })
      const before = await list()

      const { status, body } = await api.post(path, order({ url, events: ['payment.failed', 'payment.created'] }))

      expect(status).toBe(422)
      expect(body.errors).toEqual({ events: ['A webhook subscription with same URL and events already exists'] })
      expect(body.message).toBe('A webhook subscription with same URL and events already exists')
      expect(await list()).toEqual(before)
      await subscribe({ url, events: ['payment.failed'] })
      await subscribe({ url: `${url}/2`, events: ['payment.created', 'payment.failed'] })
      await api.request('DELETE', `${path}/${id}`)
      await subscribe({ url, events: ['payment.failed', 'payment.created'] })
    })

    test('deleting returns the subscription, which then does not exist', async () => {
      const { id, url, events, max_attempts, timeout, headers, created_at, updated_at } = await subscribe()

      const { status, body } = await api.request('DELETE', `${path}/${id}`)

      expect(status).toBe(200)
      expect(body.data).toEqual({ id, url, events, max_attempts, timeout, headers, created_at, updated_at })
      expect((await list()).map((each) => each.id)).not.toContain(id)
      for (const [method, tail] of operations) {
        const answer = await api.request(method, `${path}/${id}${tail}`)
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual(unknown)
      }
    })

    test('an id is taken in either case', async () => {
      const { id } = await subscribe()

      expect((await api.get(`${path}/${id.toUpperCase()}`)).body.data.id).toBe(id)
    })

    test.each(operations)('%s of an unknown subscription gets 404 (%s)', async (method, tail) => {
      const answer = await api.request(method, `${path}/${randomUUID()}${tail}`)

      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(unknown)
    })

    suite.steered('somebody else’s is as unknown as none, and stays as it is', async () => {
      const { api, control } = await suite.own()
      const { token } = await control.stranger()
      const theirs = order()
      const { secret: _, ...theirSubscription } = (await api.post(path, theirs, { token })).body.data

      for (const [method, tail] of operations) {
        const answer = await api.request(method, `${path}/${theirSubscription.id}${tail}`)
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual(unknown)
      }

      expect((await api.get(path)).body.data.data).toEqual([])
      expect((await api.get(path, { token })).body.data.data).toEqual([theirSubscription])
      expect((await api.post(path, theirs)).status).toBe(201)
    })

    test.each(notUuids)('%s as an id gets 422', async (id) => {
      for (const [method, tail] of operations) {
        const { status, body } = await api.request(method, `${path}/${id}${tail}`)
        expect(status).toBe(422)
        expect(body.message).toBe('Validation failed')
        expect(body.errors).toEqual({ id: ['Subscription ID must be a valid UUID'] })
      }
    })

    describe('suspending and resuming', () => {
      test.each([
        ['nothing', undefined, 'Manual suspension'],
        ['an empty object', {}, 'Manual suspension'],
        ['a null reason', { reason: null }, 'Manual suspension'],
        ['a reason', { reason: 'Mudanza del servidor' }, 'Mudanza del servidor'],
        ['a reason of 255 characters', { reason: 'ñ'.repeat(255) }, 'ñ'.repeat(255)],
      ])(
        'suspending with %s sets the time and the reason, and changes nothing else',
        async (_, body, suspended_reason) => {
          const before = await subscribe({ headers: { 'X-Secret': 'abc' } })

          const { status, body: answer } = await api.post(`${path}/${before.id}/suspend`, body)

          expect(status).toBe(200)
          const { suspended_at } = answer.data
          expect(answer.data).toEqual({ id: before.id, active: false, suspended_at, suspended_reason })
          expect((await api.get(`${path}/${before.id}`)).body.data).toEqual({
            ...before,
            active: false,
            suspended_at,
            suspended_reason,
            updated_at: expect.any(String),
          })
        },
      )

      test('resuming restores the subscription', async () => {
        const before = await subscribe()
        await api.post(`${path}/${before.id}/suspend`, {})

        const { status, body } = await api.post(`${path}/${before.id}/resume`, undefined)

        expect(status).toBe(200)
        expect(body.data).toEqual({
          id: before.id,
          active: true,
          suspended_webhooks_count: 0,
          retry_job_dispatched: true,
        })
        expect((await api.get(`${path}/${before.id}`)).body.data).toEqual({ ...before, updated_at: expect.any(String) })
      })

      test('suspending a suspended subscription or resuming an active one gets 409 and changes nothing', async () => {
        const { id } = await subscribe()
        const again = async (verb: string) => {
          const before = (await api.get(`${path}/${id}`)).body
          const { status, body } = await api.post(`${path}/${id}/${verb}`, { reason: 'Otra razón' })
          expect(status).toBe(409)
          expect((await api.get(`${path}/${id}`)).body).toEqual(before)
          return body.message
        }

        expect(await again('resume')).toBe('Webhook subscription is not suspended')
        await api.post(`${path}/${id}/suspend`, {})
        expect(await again('suspend')).toBe('Webhook subscription is already suspended')
      })

      test.each([
        ['an empty reason', { reason: '' }],
        ['a reason of 256 characters', { reason: 'x'.repeat(256) }],
        ['a reason that is not a string', { reason: 5 }],
      ])('%s is 422, and the subscription goes on', async (_, body) => {
        const { id } = await subscribe()

        const answer = await api.post(`${path}/${id}/suspend`, body)

        expect(answer.status).toBe(422)
        expect(Object.keys(answer.body.errors)).toEqual(['reason'])
        expect((await api.get(`${path}/${id}`)).body.data.active).toBe(true)
      })

      test('a body that is not JSON is 400, and the subscription goes on', async () => {
        const { id } = await subscribe()

        expect((await api.post(`${path}/${id}/suspend`, '{')).status).toBe(400)
        expect((await api.get(`${path}/${id}`)).body.data.active).toBe(true)
      })
    })

    describe('fields', () => {
      test.each([
        'http://localhost:3000/hook',
        'https://example.com',
        'https://example.com/a%20b?x=1&y=2',
        'https://example.com?x=1',
        'HTTP://example.com/hook',
        'http://127.0.0.1:8080/',
        'http://[::1]:8080/hook',
        'https://ñandú.example/pagos/í',
        `https://example.com/${'x'.repeat(2048 - 20)}`,
      ])('the url %s is accepted', async (url) => {
        expect((await subscribe({ url })).url).toBe(url)
      })

      test.each([
        undefined,
        null,
        '',
        5,
        {},
        ['https://example.com'],
        'example.com',
        '//example.com/x',
        'ftp://example.com/x',
        'javascript:alert(1)',
        'file:///etc/passwd',
        'http:',
        'http://',
        'https:///x',
        'https://exa mple.com',
        'https://example.com/\n',
        'https://example.com/a b',
        'https://example.com:99999/',
        'http://:80/',
        'http://[::1/',
        'http://user:secret@example.com/',
        'http://user@example.com/',
        'http://:secret@example.com/',
        `https://example.com/${'x'.repeat(2049 - 20)}`,
      ])('the url %j gets 422', async (url) => {
        await refused({ url }, 'url')
      })

      test.each(eventNames.map((_, at) => [eventNames.slice(0, at + 1)]))('the events %j are taken', async (events) => {
        expect((await subscribe({ events })).events).toEqual(events)
      })

      test.each([
        ['none given', undefined, /required/],
        ['null', null, /array/],
        ['none in the array', [], /\w/],
        ['a text', 'payment.created', /array/],
        ['an object', { 0: 'payment.created' }, /array/],
      ])('events: %s gets 422', async (_, events, why) => {
        expect((await refused({ events }, 'events'))[0]).toMatch(why)
      })

      test('an event that is named twice counts once', async () => {
        const url = `https://receiver.invalid/hooks/${randomUUID()}`

        const { events } = await subscribe({ url, events: ['payment.failed', 'payment.created', 'payment.failed'] })

        expect(events).toEqual(['payment.failed', 'payment.created'])
        await refused({ url, events: ['payment.created', 'payment.failed'] }, 'events')
      })

      test.each(['payment.lost', 'PAYMENT.CREATED', '*', '', 5, null])('an event of %j is 422', async (event) => {
        const why = await refused({ events: ['payment.created', event] }, 'events.1')

        if (typeof event === 'string') {
          expect(why).toEqual([`Invalid webhook event type, allowed events: ${eventNames.join(', ')}`])
        }
      })

      test.each([
        ['max_attempts', 1],
        ['max_attempts', 10],
        ['timeout', 5],
        ['timeout', 120],
      ])('%s of %i is accepted', async (field, value) => {
        expect(await subscribe({ [field]: value })).toMatchObject({ [field]: value })
      })

      test.each([
        ['max_attempts', 0, /^Max attempts must be at least 1$/],
        ['max_attempts', -1, /at least 1/],
        ['max_attempts', 11, /not be greater than 10/],
        ['max_attempts', 1.5, /integer/],
        ['max_attempts', '3', /integer/],
        ['max_attempts', true, /integer/],
        ['max_attempts', null, /integer/],
        ['timeout', 4, /at least 5/],
        ['timeout', 121, /not be greater than 120/],
        ['timeout', 30.5, /integer/],
        ['timeout', '30', /integer/],
        ['timeout', [30], /integer/],
        ['timeout', null, /integer/],
      ])('%s of %j gets 422', async (field, value, why) => {
        expect((await refused({ [field]: value }, field))[0]).toMatch(why)
      })

      test.each([
        { Authorization: 'Bearer abc', 'X-Api-Key': '1' },
        { "!#$%&'*+-.^_`|~": 'x' },
        { 'X-Empty': '' },
        { 'X-Long': 'x'.repeat(255) },
        { 'X-Words': 'año 日本 🙂' },
        {},
      ])('the headers %j are accepted', async (headers) => {
        expect((await subscribe({ headers })).headers).toEqual(headers)
      })

      test.each([
        'Host',
        'host',
        'HOST',
        'Content-Length',
        'content-type',
        'Transfer-Encoding',
        'Connection',
        'Upgrade',
      ])('the header %s can’t be set', async (name) => {
        const why = 'The headers field has an invalid or reserved header name.'
        expect(await refused({ headers: { [name]: 'x' } }, 'headers')).toEqual([why])
      })

      test('a header can’t be set twice, whatever the case', async () => {
        expect(await refused({ headers: { 'X-A': '1', 'x-a': '2' } }, 'headers')).toEqual([
          'The headers field has x-a twice.',
        ])
      })

      test('no events are refused as such', async () => {
        expect(await refused({ events: [] }, 'events')).toEqual(['The events field must not be empty.'])
      })

      test.each(['User-Agent', 'X-Webhook-Id', 'x-webhook-attempt'])(
        'the header %s of deliveries can’t be set',
        async (name) => {
          await refused({ headers: { [name]: 'x' } }, 'headers')
        },
      )

      test.each(['', 'X Y', 'X:Y', 'X\r\nY', 'Ñ', 'X\0', '"X"'])('a header of the name %j is 422', async (name) => {
        await refused({ headers: { [name]: 'x' } }, 'headers')
      })

      test.each(['a\r\nX-Evil: 1', 'a\nb', '\0', '\t', '\x1b[31m', '\x7f', 'x'.repeat(256)])(
        'a header with the value %j gets 422',
        async (value) => {
          await refused({ headers: { 'X-Value': value } }, 'headers.X-Value')
        },
      )

      test.each([5, null, true, ['x'], {}])('a header whose value is %j is 422', async (value) => {
        await refused({ headers: { 'X-Value': value } }, 'headers.X-Value')
      })

      test.each(['X-A: 1', 5, ['X-A'], [[]], null])('headers of %j get 422', async (headers) => {
        expect(await refused({ headers }, 'headers')).toEqual(['The headers field must be an object.'])
      })

      test('an empty array of headers counts as none', async () => {
        expect((await subscribe({ headers: [] })).headers).toBeNull()
      })

      test('several faults are reported at once', async () => {
        const { status, body } = await api.post(path, { url: 'x', events: [], max_attempts: 0, timeout: 0, headers: 1 })

        expect(status).toBe(422)
        expect(Object.keys(body.errors).toSorted()).toEqual(['events', 'headers', 'max_attempts', 'timeout', 'url'])
        expect(body.message).toBe(Object.values(body.errors as Record<string, string[]>)[0]?.[0])
      })

      test.each(['[]', 'null', '5', '"text"', '{}', ''])('a body of "%s" is 422', async (text) => {
        const { status, body } = await api.post(path, text)

        expect(status).toBe(422)
        expect(Object.keys(body.errors).toSorted()).toEqual(['events', 'url'])
      })

      test('a body that is not JSON is 400', async () => {
        expect((await api.post(path, '{')).status).toBe(400)
      })

      /** Checks that only this field is refused, and that nothing was created. Returns the field's messages. */
      async function refused(changes: Readonly<Record<string, unknown>>, field: string): Promise<string[]> {
        const before = await list()
        const { status, body } = await api.post(path, order(changes))
        expect(status, JSON.stringify(body)).toBe(422)
        expect(Object.keys(body.errors)).toEqual([field])
        expect(body.message).toBe(body.errors[field][0])
        expect(await list()).toEqual(before)
        return body.errors[field]
      }
    })
  })
}
