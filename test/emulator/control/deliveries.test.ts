import { describe, expect, it } from 'vitest'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const listen = ({ client }: World, url: string, max_attempts = 1) =>
  client.call('webhooks.create', { body: { url, events: ['transaction.received'], max_attempts } })

const credit = ({ steer, colones }: World) => steer('control.credits.create', { body: { to: colones, amount: 100 } })
const settle = ({ steer }: World) => steer('control.clock.advance', { body: { ms: 0 } })

describe('subscriptions', () => {
  it('of all users are listed newest first, without their secrets', async () => {
    const world = await startWorld()
    const { steer, client, emulator } = world
    const { id } = await listen(world, 'http://127.0.0.1:9/first')
    const second = await listen(world, 'http://127.0.0.1:9/second')
    await client.call('webhooks.suspend', { params: { id }, body: { reason: 'Maintenance' } })
    const { data, total } = await steer('control.subscriptions.list')
    expect(total).toBe(2)
    expect(data).toMatchObject([
      { id: second.id, active: true, user_id: emulator.user.id },
      { id, url: 'http://127.0.0.1:9/first', active: false, suspended_reason: 'Maintenance' },
    ])
    expect(JSON.stringify(data)).not.toContain(second.secret)
  })
})

describe('deliveries', () => {
  it('are listed newest first, page by page', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    const { id: subscription_id } = await listen(world, receiver.url)
    for (let i = 0; i < 3; i++) await credit(world)
    await settle(world)
    const page = await world.steer('control.deliveries.list', { query: { per_page: 2 } })
    expect(page).toMatchObject({ total: 3, last_page: 2, per_page: 2 })
    expect(page.next_page_url).toBe(`${world.emulator.controlUrl}/_emulator/deliveries?page=2`)
    const { data } = await world.steer('control.deliveries.list', { query: { per_page: 2, page: 2 } })
    expect([...page.data, ...data].map(({ id }) => id)).toEqual([
      'whd_000000000003',
      'whd_000000000002',
      'whd_000000000001',
    ])
    expect(data).toMatchObject([
      { subscription_id, event: 'transaction.received', status: 'delivered', attempts: 1, due_at: null },
    ])
  })

  it('before one of them are pages that new ones do not move', async () => {
    const world = await startWorld()
    await listen(world, 'http://127.0.0.1:9/')
    for (let i = 0; i < 5; i++) await credit(world)
    const before = 'whd_000000000004'
    const page = (page: number) =>
      world.steer('control.deliveries.list', { query: { before, per_page: 2, page } }).then(({ data, total }) => ({
        total,
        ids: data.map(({ id }) => id),
      }))
    expect(await page(1)).toEqual({ total: 3, ids: ['whd_000000000003', 'whd_000000000002'] })
    await credit(world)
    expect(await page(2)).toEqual({ total: 3, ids: ['whd_000000000001'] })
    const elsewhere = { before: 'whd_900000000000001' }
    expect((await world.ask('control.deliveries.list', { query: elsewhere })).status).toBe(422)
  })

  it('show their body and every attempt', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    await listen(world, receiver.url, 2)
    receiver.answer(500)
    await credit(world)
    await world.steer('control.clock.advance', { body: { ms: 5000 } })
    receiver.answer(204)
    await world.steer('control.clock.advance', { body: { ms: 60_000 } })
    const delivery = await world.steer('control.deliveries.get', { params: { id: 'whd_000000000001' } })
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: 2,
      body: receiver.received[0],
      history: [
        { number: 1, status: 500, error: 'Answered 500', answer: 'seen' },
        { number: 2, status: 204, error: null },
      ],
    })
  })

  it('are sent again, exhausted ones after their subscription is resumed', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    const { id } = await listen(world, receiver.url)
    receiver.answer(500)
    await credit(world)
    await settle(world)
    const one = { params: { id: 'whd_000000000001' } }
    expect(await world.steer('control.deliveries.get', one)).toMatchObject({ status: 'exhausted' })
    expect(await world.client.call('webhooks.get', { params: { id } })).toMatchObject({ active: false })
    receiver.answer(200)
    expect(await world.steer('control.deliveries.resend', one)).toMatchObject({ status: 'pending' })
    await settle(world)
    expect(receiver.received).toHaveLength(1)
    await world.client.call('webhooks.resume', { params: { id } })
    await settle(world)
    expect(await world.steer('control.deliveries.get', one)).toMatchObject({ status: 'delivered', attempts: 2 })
    await world.steer('control.deliveries.resend', one)
    await settle(world)
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ data }) => data.id)).size).toBe(1)
  })

  it('that are on their way are not sent beside themselves', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(null)
    await listen(world, receiver.url)
    await credit(world)
    await expect.poll(() => receiver.received).toHaveLength(1)
    const answer = await world.ask('control.deliveries.resend', { params: { id: 'whd_000000000001' } })
    expect(answer.status).toBe(409)
  })

  it.each(['control.deliveries.get', 'control.deliveries.resend'] as const)('%s knows no other ids', async (id) => {
    const { ask } = await startWorld()
    for (const unknown of ['whd_000000000001', 'whd_0000000000001', 'whd_999999999999999']) {
      expect((await ask(id, { params: { id: unknown } })).status).toBe(404)
    }
    for (const malformed of ['1', 'whd_1', 'whd_00000000000x']) {
      expect((await ask(id, { params: { id: malformed } })).status).toBe(422)
    }
  })

  it('refuse a page that can’t be', async () => {
    const { ask } = await startWorld()
    expect((await ask('control.deliveries.list', { query: { page: 0 } })).status).toBe(422)
    expect((await ask('control.deliveries.list', { query: { per_page: 'all' } })).status).toBe(422)
  })
})
