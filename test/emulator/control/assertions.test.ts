import { describe, expect, it } from 'vitest'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const carlos = { recipient_phone: '87000001' }

const send = ({ client, colones }: World, key: string, amount: number) =>
  client.call('payments.create', {
    headers: { 'X-Idempotency-Key': key },
    body: { source_account_id: colones, amount, ...carlos },
  })

const received = ({ steer }: World, body: object) =>
  steer('control.assertions.received', { body: { endpoint: 'payments.create', ...body } })

describe('received requests', () => {
  it('match by key, status and part of the body, as often as expected', async () => {
    const world = await startWorld()
    expect(await received(world, {})).toMatchObject({
      pass: false,
      message: 'Expected at least one request to payments.create: none came.',
      nearest: [],
    })
    await send(world, 'order-1', 1000)
    await send(world, 'order-2', 1000)
    expect(await received(world, { times: 2, status: 201, body: { amount: 1000, ...carlos } })).toMatchObject({
      pass: true,
      matches: 2,
      times: 2,
    })
    expect(await received(world, { times: 1, key: 'order-2' })).toMatchObject({ pass: true, matches: 1 })
    expect(await received(world, { times: 0 })).toMatchObject({
      pass: false,
      message: 'Expected no request to payments.create: 2 match.',
      nearest: [{ id: 'r1', differences: [] }, { id: 'r2' }],
    })
  })

  it('can’t be counted once the log has dropped some of them', async () => {
    const world = await startWorld({ rateLimit: 'off' })
    const { fetch } = world.emulator
    await send(world, 'order-1', 1000)
    for (let n = 0; n < 10_000; n += 1) await fetch('/api/payments/service-status')
    expect(await received(world, { times: 0 })).toMatchObject({
      pass: false,
      message: 'Expected no request to payments.create: the log no longer has 1 request to payments.create.',
    })
    await send(world, 'order-2', 1000)
    expect(await received(world, {})).toMatchObject({ pass: true, matches: 1 })
    expect(await received(world, { times: 1 })).toMatchObject({ pass: false, matches: 1 })
    expect(await received(world, { times: 2, endpoint: 'user.get' })).toMatchObject({
      message: 'Expected 2 requests to user.get: none came.',
    })
  })

  it('are shown nearest first, each with its differences and nothing else', async () => {
    const world = await startWorld()
    await world.client.call('accounts.list')
    await send(world, 'order-1', 2000)
    await send(world, 'order-2', 1000)
    const { nearest, message } = await received(world, { key: 'order-2', body: { amount: 3000, recipient_iban: null } })
    expect(message).toBe('Expected at least one request to payments.create: 2 came, but none matches.')
    expect(nearest).toEqual([
      {
        id: 'r3',
        what: 'POST /api/payments, 201',
        actual: { endpoint: 'payments.create', key: 'order-2', body: { amount: 1000 } },
        differences: [
          { path: 'body.amount', expected: 3000, actual: 1000 },
          { path: 'body.recipient_iban', expected: null },
        ],
      },
      expect.objectContaining({ id: 'r2' }),
      expect.objectContaining({ id: 'r1', what: 'GET /api/accounts, 200' }),
    ])
  })

  it('match by parameters of the path and the query', async () => {
    const world = await startWorld()
    const { id } = await world.pay(carlos)
    await world.client.call('payments.get', { params: { id } })
    await world.client.call('payments.history', { query: { per_page: 5 } })
    const get = { endpoint: 'payments.get', params: { id } }
    expect(await received(world, get)).toMatchObject({ pass: true })
    expect(await received(world, { ...get, params: { id: 'other' } })).toMatchObject({
      pass: false,
      nearest: [{ differences: [{ path: 'params.id', expected: 'other', actual: id }] }, {}, {}],
    })
    const history = { endpoint: 'payments.history', query: { per_page: '5' } }
    expect(await received(world, history)).toMatchObject({ pass: true })
  })

  it('compare arrays by length', async () => {
    const world = await startWorld()
    const events = ['payment.completed', 'payment.failed'] as const
    const body = { url: 'http://127.0.0.1:9/', events: [...events] }
    await world.client.call('webhooks.create', { body })
    const subscribed = (some: readonly string[]) =>
      received(world, { endpoint: 'webhooks.create', body: { events: some } })
    expect(await subscribed(events)).toMatchObject({ pass: true })
    expect(await subscribed(events.slice(0, 1))).toMatchObject({
      nearest: [{ differences: [{ path: 'body.events', expected: ['payment.completed'], actual: events }] }],
    })
    expect(await subscribed(['payment.completed', 'payment.created'])).toMatchObject({
      nearest: [{ differences: [{ path: 'body.events[1]', expected: 'payment.created', actual: 'payment.failed' }] }],
    })
  })

  it('refuse an unknown endpoint and an unknown member', async () => {
    const { ask } = await startWorld()
    const id = 'control.assertions.received'
    expect(await ask(id, { body: { endpoint: 'payments.make' } })).toMatchObject({ status: 422 })
    expect(await ask(id, { body: { endpoint: 'payments.create', time: 1 } })).toMatchObject({ status: 422 })
  })
})

it('delivered events match by payment, receiver, subscription, status and attempts', async () => {
  const world = await startWorld()
  const [receiver, other] = [await startReceiver(), await startReceiver()]
  const listen = (url: string) =>
    world.client.call('webhooks.create', { body: { url, events: ['payment.completed'], max_attempts: 2 } })
  const { id: subscription } = await listen(receiver.url)
  await listen(other.url)
  other.answer(500)
  const { id: payment } = await world.pay(carlos)
  await world.steer('control.clock.advance', { body: { ms: 60_000 } })
  const delivered = (body: object) =>
    world.steer('control.assertions.delivered', { body: { event: 'payment.completed', ...body } })
  expect(await delivered({ payment, subscription, url: receiver.url, times: 1, attempts: 1 })).toMatchObject({
    pass: true,
  })
  expect(await delivered({ url: other.url })).toMatchObject({
    pass: false,
    message: 'Expected at least one delivery of payment.completed: 2 came, but none matches.',
    nearest: [
      { differences: [{ path: 'url', actual: receiver.url }] },
      { differences: [{ path: 'status', actual: 'exhausted' }] },
    ],
  })
  expect(await delivered({ event: 'payment.failed', times: 0 })).toMatchObject({ pass: true })
})

describe('paid payees', () => {
  const paid = ({ steer }: World, body: object) =>
    steer('control.assertions.paid', { body: { payee: '8700-0001', amount: 1000, ...body } })

  it('are paid exactly once unless another number is expected', async () => {
    const world = await startWorld()
    expect(await paid(world, {})).toMatchObject({ pass: false, times: 1, matches: 0 })
    await world.pay(carlos)
    expect(await paid(world, { currency: 'CRC', account: world.colones.toUpperCase() })).toMatchObject({ pass: true })
    await world.pay(carlos)
    expect(await paid(world, {})).toMatchObject({
      pass: false,
      message: 'Expected 1 payment of 10.00 to 8700-0001: 2 match.',
    })
    expect(await paid(world, { times: 2 })).toMatchObject({ pass: true })
  })

  it('are not paid by a payment that failed, by money received, or before a fork', async () => {
    const world = await startWorld()
    await world.pay({ recipient_phone: '87000006' })
    await world.steer('control.credits.create', { body: { to: '88001234', amount: 1000, from_phone: '87000001' } })
    await world.steer('control.clock.advance', { body: { ms: 60_000 } })
    const payee = '87000006'
    expect(await paid(world, { payee })).toMatchObject({
      pass: false,
      nearest: [{ differences: [{ path: 'status', expected: 'pending, processing or completed', actual: 'failed' }] }],
    })
    expect(await paid(world, { payee, status: 'failed' })).toMatchObject({ pass: true })
    expect(await paid(world, { times: 0 })).toMatchObject({ pass: true, nearest: [{ id: expect.any(String) }] })
    const fork = await world.make({ from: { world: 'default' } })
    const body = { payee, amount: 1000, times: 0, status: 'failed' as const }
    expect(await fork.steer('control.assertions.paid', { body })).toMatchObject({ pass: true, nearest: [] })
  })
})

it('the ledger adds up, with payments in progress too', async () => {
  const world = await startWorld()
  await world.pay(carlos)
  expect(await world.steer('control.assertions.balanced')).toEqual({
    pass: true,
    message: 'The ledger adds up.',
    problems: [],
  })
})
