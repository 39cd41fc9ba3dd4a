import { describe, expect, it } from 'vitest'
import type { ControlInputOf } from '../../../src/contract/index.ts'
import { startWorld, type World } from '../control/world.ts'

type Query = ControlInputOf<'control.requests.list'>['query']

/** Oldest first. */
const logged = async ({ steer }: World, query: Query = {}) =>
  (await steer('control.requests.list', { query: { since: 0, per_page: 1000, ...query } })).data

/** A request of a program without a generated client. */
async function send({ emulator: { baseUrl, token } }: World, path: string, init: RequestInit = {}): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...init.headers }
  const { status } = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init, headers })
  return status
}

const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
})

const key = (value: string) => ({ 'X-Idempotency-Key': value })

describe('the request log', () => {
  it('has endpoint, status, user, key and payment of each request, in the order of the answers', async () => {
    const world = await startWorld()
    await world.client.call('accounts.list', { query: { per_page: 2 } })
    const { id } = await world.pay({ recipient_phone: '87000001' })
    await world.client.call('payments.get', { params: { id } })
    const [list, pay, read] = await logged(world)
    expect(list).toMatchObject({
      ...{ id: 'r1', method: 'GET', path: '/api/accounts', endpoint: 'accounts.list', status: 200, answered: true },
      ...{ query: { per_page: '2' }, client: 'dashboard', idempotency_key: null, payment_id: null, broke: [] },
    })
    const { idempotency_key } = await world.client.call('payments.get', { params: { id } })
    expect(pay).toMatchObject({ id: 'r2', status: 201, payment_id: id, idempotency_key, replayed: false })
    expect(read).toMatchObject({ id: 'r3', path: `/api/payments/${id}`, endpoint: 'payments.get', payment_id: null })
    expect(new Set([list?.user, pay?.user])).toEqual(new Set(['01900000-0000-7000-8000-000000000001']))
  })

  it('has the requests to the world, but not the test’s control calls', async () => {
    const world = await startWorld()
    await world.steer('control.clock.advance', { body: { ms: 1000 } })
    await world.emulator.control.clock.advance({ ms: 1000 })
    await send(world, '/_emulator/nothing')
    await send(world, '/_emulator/openapi.json')
    expect(await logged(world)).toEqual([])
    await send(world, '/oauth/token', post({ grant_type: 'authorization_code' }))
    expect(await logged(world)).toMatchObject([{ endpoint: 'oauth.token', status: 401, user: null, client: null }])
  })

  it('belongs to its world: a fork and a reset begin with an empty log', async () => {
    const world = await startWorld()
    await world.client.call('user.get')
    const other = await world.make({ from: { world: 'default' } })
    expect(await other.steer('control.requests.list')).toMatchObject({ data: [], total: 0, last: 0 })
    await other.client.call('accounts.list')
    expect((await logged(world)).map(({ endpoint }) => endpoint)).toEqual(['user.get'])
    await world.steer('control.reset')
    expect(await logged(world)).toEqual([])
  })

  it('lists by endpoint and by status, and goes on after a number', async () => {
    const world = await startWorld()
    for (const path of ['/api/user', '/api/accounts', '/api/nowhere', '/api/user']) await send(world, path)
    const numbers = async (query: Query) => (await logged(world, query)).map(({ id }) => id)
    expect(await numbers({ endpoint: 'user.get' })).toEqual(['r1', 'r4'])
    expect(await numbers({ status: '4xx' })).toEqual(['r3'])
    expect(await numbers({ status: '200', since: 1, per_page: 1 })).toEqual(['r2'])
    expect(await numbers({ since: 1, per_page: 2 })).toEqual(['r2', 'r3'])
    expect(await world.steer('control.requests.list', { query: { since: 1, per_page: 2 } })).toMatchObject({ last: 3 })
    expect(await world.steer('control.requests.list', { query: { since: 3 } })).toMatchObject({ last: 4, dropped: 0 })
    expect(await world.ask('control.requests.list', { query: { status: '4x' } })).toMatchObject({ status: 422 })
    expect(await world.ask('control.requests.get', { params: { id: 'r9' } })).toMatchObject({ status: 404 })
  })

  it('is listed in pages, newest first; pages before a number do not change while requests arrive', async () => {
    const world = await startWorld()
    const come = async (count: number) => {
      for (let sent = 0; sent < count; sent += 1) await send(world, '/api/user')
    }
    const page = (query: Query) => world.steer('control.requests.list', { query })
    const numbers = async (query: Query) => (await page(query)).data.map(({ id }) => id)
    await come(5)
    const first = await page({ per_page: 2 })
    expect(first).toMatchObject({
      current_page: 1,
      from: 1,
      to: 2,
      last_page: 3,
      per_page: 2,
      total: 5,
      last: 5,
      dropped: 0,
    })
    expect(first.data.map(({ id }) => id)).toEqual(['r5', 'r4'])
    expect(first.next_page_url).toBe(`${world.emulator.baseUrl}/_emulator/requests?page=2`)

    await come(2)
    expect(await numbers({ per_page: 2, page: 2 })).toEqual(['r5', 'r4'])
    expect(await numbers({ per_page: 2, page: 2, before: 6 })).toEqual(['r3', 'r2'])
    expect(await page({ per_page: 2, page: 3, before: 6 })).toMatchObject({
      ...{ data: [{ id: 'r1' }], from: 5, to: 5, total: 5, next_page_url: null, last: 7 },
    })
    const none = { data: [], current_page: 4, from: null, to: null, last_page: 3, total: 5, next_page_url: null }
    expect(await page({ per_page: 2, page: 4, before: 6 })).toMatchObject(none)
    expect(await numbers({ per_page: 2, page: 2, since: 1 })).toEqual(['r4', 'r5'])
    expect((await page({})).per_page).toBe(15)
    for (const query of [{ page: 0 }, { per_page: 0 }, { per_page: 1001 }, { before: -1 }, { since: 'r1' }]) {
      const { status, body } = await world.ask('control.requests.list', { query })
      expect([status, Object.keys(body.errors)]).toEqual([422, Object.keys(query)])
    }
  })

  it('can be followed by number: each request once, in order, however many arrive between two reads', async () => {
    const world = await startWorld()
    const seen: string[] = []
    let since = 0
    for (const count of [3, 0, 7, 1, 12]) {
      await Promise.all(Array.from({ length: count }, () => send(world, '/api/user')))
      await send(world, '/api/nowhere')
      const { data, last } = await world.steer('control.requests.list', {
        query: { endpoint: 'user.get', since, per_page: 4 },
      })
      seen.push(...data.map(({ id }) => id))
      since = last
    }
    for (let more = true; more; ) {
      const { data, last } = await world.steer('control.requests.list', {
        query: { endpoint: 'user.get', since, per_page: 4 },
      })
      seen.push(...data.map(({ id }) => id))
      more = data.length > 0
      since = last
    }
    expect(seen).toEqual((await logged(world, { endpoint: 'user.get' })).map(({ id }) => id))
    expect(seen).toHaveLength(23)
    expect(since).toBe(28)
  })

  it('wakes who waits for more with the next request that matches, and with the end of the world', async () => {
    const world = await startWorld()
    const query = { status: '4xx', wait_ms: 600_000 }
    const waiting = world.steer('control.requests.list', { query })
    const ended = world.ask('control.requests.list', { query: { status: '5xx', wait_ms: 600_000 } })
    // Once this request is answered, the earlier requests have begun.
    expect(await world.steer('control.requests.list', { query: { wait_ms: 20 } })).toMatchObject({ data: [] })
    await send(world, '/api/user')
    await send(world, '/api/nowhere')
    expect((await waiting).data).toMatchObject([{ id: 'r2', path: '/api/nowhere' }])
    await world.steer('control.reset')
    expect((await ended).status).toBe(410)
  })
})

describe('what broke the contract', () => {
  it.each([
    ['a path that there is not', '/api/payment', {}, 404, 'unknown_path'],
    ['a method that the path has not', '/api/user', post({}), 405, 'wrong_method'],
    ['a body that is not JSON', '/api/accounts', post('{'), 400, 'malformed'],
    ['another media type', '/api/accounts', post('a', { 'Content-Type': 'text/csv' }), 415, 'media_type'],
    ['a body that is too large', '/api/accounts', post('x'.repeat(1024 * 1024 + 1)), 413, 'too_large'],
    ['a value that is not allowed', '/api/accounts', post({ currency: 'EUR' }), 422, 'invalid'],
    ['a wrong parameter', '/api/accounts?per_page=0', {}, 422, 'invalid'],
    ['an unknown parameter', '/api/accounts?limit=3', {}, 200, 'unknown_member'],
    ['an unknown member', '/api/accounts', post({ currency: 'CRC', name: 'Caja' }), 201, 'unknown_member'],
    ['no key', '/api/payments', post({}), 400, 'missing_key'],
    ['neither IBAN nor phone', '/api/payments/validate', 'order', 422, 'invalid'],
  ] as const)('is shown for %s', async (_, path, init, status, kind) => {
    const world = await startWorld()
    const order = post({ source_account_id: world.colones, amount: 100 }, key('k1'))
    expect(await send(world, path, init === 'order' ? order : init)).toBe(status)
    const [request] = await logged(world)
    expect(request?.broke.map((breach) => breach.kind)).toEqual(init === 'order' ? [kind, kind] : [kind])
  })

  it('does not include a refusal by the world’s state, or a status from a fault rule', async () => {
    const world = await startWorld()
    const tooMuch = { source_account_id: world.colones, amount: 400_000_000, recipient_phone: '87000001' }
    expect(await send(world, '/api/payments', post(tooMuch, key('k1')))).toBe(422)
    await world.steer('control.faults.add', { body: { endpoint: 'payments.create', status: 422 } })
    expect(await send(world, '/api/payments', post({ ...tooMuch, amount: 100 }, key('k1')))).toBe(422)
    expect(await send(world, '/api/user', { headers: { Authorization: 'Bearer wrong' } })).toBe(401)
    expect(await logged(world)).toMatchObject([
      { broke: [], message: 'Insufficient balance', fault: null },
      { broke: [], fault: 'status 422' },
      { broke: [], message: 'Unauthenticated.', user: null },
    ])
  })

  it('is a key that comes again with another payment, and not with the same one written otherwise', async () => {
    const world = await startWorld()
    const order = { source_account_id: world.colones, amount: 100, recipient_phone: '87000001' }
    const described = { ...order, description: 'SINPE Móvil transfer payment' }
    const again = { ...described, source_account_id: world.colones.toUpperCase(), recipient_phone: '50687000001' }
    for (const body of [order, described, again, { ...order, amount: 200, recipient_phone: '87000002' }]) {
      expect(await send(world, '/api/payments', post(body, key('k1')))).toBe(201)
    }
    const all = await logged(world)
    expect(new Set(all.map(({ payment_id }) => payment_id)).size).toBe(1)
    expect(all).toMatchObject([
      { replayed: false, broke: [] },
      { replayed: true, broke: [] },
      { replayed: true, broke: [] },
      { replayed: true, broke: [{ kind: 'key_reused', what: expect.stringContaining('another amount, recipient:') }] },
    ])
  })
})

describe('one request', () => {
  it('has its body, and entries and deliveries that it caused by now', async () => {
    const world = await startWorld()
    const url = 'http://127.0.0.1:9/hook'
    await world.client.call('webhooks.create', { body: { url, events: ['payment.completed'] } })
    const { id } = await world.pay({ recipient_phone: '87000001' }, 1500)
    const caused = async () => (await world.steer('control.requests.get', { params: { id: 'r2' } })).caused
    expect(await caused()).toMatchObject({
      payments: [{ id, status: 'pending' }],
      entries: [
        { movement: 'hold', owner: world.colones, purpose: 'available', amount: { value: -1500 } },
        { movement: 'hold', owner: world.colones, purpose: 'held', amount: { value: 1500 } },
      ],
      deliveries: [],
    })
    await world.steer('control.clock.advance', { body: { ms: 1000 } })
    const later = await caused()
    expect(later.entries.map(({ movement }) => movement)).toEqual(['hold', 'hold', 'capture', 'capture'])
    expect(later).toMatchObject({
      payments: [{ status: 'completed' }],
      deliveries: [{ event: 'payment.completed', status: 'pending', attempts: 1 }],
    })
    const { body } = await world.steer('control.requests.get', { params: { id: 'r2' } })
    expect(body).toEqual({ source_account_id: world.colones, amount: 1500, recipient_phone: '87000001' })
  })

  it('is shown with its status and its payment if its answer was not sent', async () => {
    const world = await startWorld()
    await world.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'lose_answer' } })
    await expect(world.pay({ recipient_phone: '87000001' })).rejects.toThrow()
    const [lost] = await logged(world)
    expect(lost).toMatchObject({ status: 201, answered: false, fault: 'lose_answer' })
    const { data } = await world.client.call('payments.history', { query: {} })
    expect(data.map(({ id }) => id)).toEqual([lost?.payment_id])
  })

  it('shows no secret, wherever it was sent', async () => {
    const world = await startWorld()
    const secret = 'hush-8c1f0d'
    const { token } = world.emulator
    const hook = { url: 'http://127.0.0.1:9/a', events: ['payment.completed'], headers: { 'X-Key': secret } }
    await send(world, '/api/webhooks/subscriptions', post(hook))
    await send(world, '/api/webhooks/subscriptions', post({ ...hook, url: `http://me:${secret}@127.0.0.1:9/b` }))
    await send(world, `/api/accounts?access_token=${secret}`, post({ currency: 'CRC', token: secret, more: [secret] }))
    const grant = { grant_type: 'authorization_code', code: secret, client_secret: secret, code_verifier: secret }
    await send(world, '/oauth/token', post({ ...grant, client_id: 'payctl' }))
    await send(world, `/oauth/authorize?client_id=payctl&state=${secret}&redirect_uri=http://127.0.0.1/callback`)
    const seen = await Promise.all(
      (await logged(world)).map(({ id }) => world.steer('control.requests.get', { params: { id } })),
    )
    expect(seen).toHaveLength(5)
    const text = JSON.stringify(seen)
    expect(text).not.toContain(secret)
    expect(text).not.toContain(token)
    expect(seen.map(({ body }) => body)).toMatchObject([
      { url: hook.url, headers: { 'X-Key': '***' } },
      { url: 'http://***@127.0.0.1:9/b' },
      { currency: 'CRC', token: '***', more: '***' },
      { grant_type: 'authorization_code', client_id: 'payctl', code: '***' },
      undefined,
    ])
  })
})
