import { Ajv } from 'ajv'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildServer } from '../../../emulator/server.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import { WorldEvent } from '../../../src/contract/index.ts'
import { ManualTime } from '../../support/manual_time.ts'
import { openEvents } from './event_stream.ts'
import { startWorld, type WorldUnderTest } from './world.ts'

type OfType<Name extends WorldEvent['type']> = Extract<WorldEvent, { type: Name }>

/** The events of one type. */
const of = <Name extends WorldEvent['type']>(type: Name, events: readonly WorldEvent[]) =>
  events.filter((event): event is OfType<Name> => event.type === type)

/** An emulator whose time the test moves, with a world that ends after a minute without requests. */
async function startExpiring() {
  const time = new ManualTime(Date.UTC(2026, 0, 5))
  const worlds = new Worlds({ machineTime: time })
  const app = buildServer({ worlds })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await worlds.close()
  })
  await worlds.create({ name: 'shop', ttl: 60_000 })
  const { port } = app.server.address() as { port: number }
  return { worlds, time, url: `http://127.0.0.1:${port}` }
}

const phone = { recipient_phone: '87000001' }
const isDelivery = ({ type }: WorldEvent) => type === 'delivery'
const isClock = ({ type }: WorldEvent) => type === 'clock'
const isRequest = ({ type }: WorldEvent) => type === 'request'
const isEnd = ({ type }: WorldEvent) => type === 'end'

describe('the stream of events', () => {
  it('begins with the world, and has all that a payment does, in order', async () => {
    const { emulator, pay, steer, client, colones } = await startWorld()
    await client.call('webhooks.create', { body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'] } })
    const stream = await openEvents(emulator.controlUrl)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.response.headers.get('x-emulator-world')).toBe(emulator.worldId)
    const { id } = await pay(phone, 1500)
    await steer('control.clock.advance', { body: { ms: 5000 } })
    const seen = await stream.until(isClock)
    expect(seen[0]).toMatchObject({ type: 'open', world: { name: 'default', id: emulator.worldId }, resumed: false })
    expect(of('payment', seen)).toMatchObject([
      { from: null, account_id: colones, payment: { id, status: 'pending', channel: 'sinpe_movil' } },
      { from: 'pending', payment: { id, status: 'processing', amount: { value: 1500, currency: 'CRC' } } },
      { from: 'processing', payment: { id, status: 'completed' } },
    ])
    const entries = of('entries', seen)
    expect(entries.map(({ payment_id, entries: [first] }) => [payment_id, first?.movement])).toEqual([
      [id, 'hold'],
      [id, 'capture'],
    ])
    for (const { entries: legs } of entries) expect(legs.reduce((sum, { amount }) => sum + amount.value, 0)).toBe(0)
    expect(of('request', seen)).toMatchObject([
      { request: { method: 'POST', endpoint: 'payments.create', status: 201, payment_id: id, broke: [] } },
    ])
    expect(of('delivery', seen)).toMatchObject([
      {
        delivery: { id: 'whd_000000000001', event: 'payment.completed', status: 'pending', attempts: 1 },
        payment_id: id,
        url: 'http://127.0.0.1:9/hook',
        attempt: { number: 1, status: null, error: expect.stringContaining('ECONNREFUSED') },
      },
    ])
    expect(of('clock', seen)).toMatchObject([{ moved_ms: 5000, clock: { frozen: false } }])
    const numbers = seen.map((event) => Number(event.id.split('-')[1]))
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at))
  })

  it('has only events that the contract describes', async () => {
    const { emulator, pay, steer, colones, client } = await startWorld()
    const stream = await openEvents(emulator.controlUrl)
    await client.call('webhooks.create', { body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'] } })
    await pay(phone)
    await steer('control.clock.advance', { body: { ms: 5000 } })
    await steer('control.accounts.set', { params: { id: colones }, body: { balance: 5 } })
    await steer('control.worlds.create', { body: { name: 'other' } })
    await steer('control.worlds.delete', { params: { name: 'other' } })
    await steer('control.reset')
    const seen = await stream.until(isEnd)
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(WorldEvent)
    for (const event of seen) expect(validate(event), JSON.stringify(event)).toBe(true)
    expect(new Set(seen.map(({ type }) => type))).toEqual(
      new Set(WorldEvent.anyOf.map(({ properties }) => properties.type.const).filter((type) => type !== 'resync')),
    )
    expect(of('entries', seen).at(-1)).toMatchObject({ payment_id: null, entries: [{ movement: 'funding' }, {}] })
  })

  it('has a breach of the contract, and nothing of control requests', async () => {
    const { emulator, steer } = await startWorld()
    const stream = await openEvents(emulator.controlUrl)
    await steer('control.state')
    await fetch(`${emulator.baseUrl}/api/nowhere`)
    const [, event] = await stream.until(isRequest)
    expect(event).toMatchObject({ request: { path: '/api/nowhere', status: 404, broke: [{ kind: 'unknown_path' }] } })
  })

  it('of one world has nothing of another but that it was made and ended', async () => {
    const { emulator, make, steer } = await startWorld()
    const shop = await make({ name: 'shop' })
    const stream = await openEvents(shop.made.control_url)
    const other = await make({ name: 'other', from: { world: 'shop' } })
    await other.pay(phone)
    await steer('control.worlds.delete', { params: { name: 'other' } })
    await steer('control.reset')
    await shop.pay(phone)
    const seen = await stream.until(isRequest)
    expect(seen.slice(0, 5)).toMatchObject([
      { type: 'open', world: { name: 'shop', id: shop.made.id } },
      { type: 'world_made', world: { name: 'other', id: other.made.id }, made_from: { world: 'shop' } },
      { type: 'world_ended', world: { name: 'other', id: other.made.id }, ended_by: 'deleted' },
      { type: 'world_ended', world: { name: 'default' }, ended_by: 'reset' },
      { type: 'world_made', world: { name: 'default', id: emulator.worldId } },
    ])
    expect(of('payment', seen)).toHaveLength(1)
  })
})

describe('a reader that comes back', () => {
  it('gets the events after the id of its last event, and none twice', async () => {
    const { emulator, pay } = await startWorld()
    const first = await openEvents(emulator.controlUrl)
    await pay(phone)
    const before = await first.until(isRequest)
    first.close()
    const missed = await pay(phone)
    const second = await openEvents(emulator.controlUrl, { 'Last-Event-ID': before.at(-1)?.id ?? '' })
    const [opened, ...after] = await second.until(isRequest)
    expect(opened).toMatchObject({ type: 'open', resumed: true })
    expect(after.map(({ type }) => type)).toEqual(['payment', 'entries', 'request'])
    expect(after.at(-1)).toMatchObject({ request: { payment_id: missed.id } })
  })

  it.each([
    ['of another world', '00000000-1'],
    ['that is malformed', 'yesterday'],
  ])('gets resync for an id %s, and continues', async (_, id) => {
    const { emulator, pay } = await startWorld()
    const stream = await openEvents(emulator.controlUrl, { 'Last-Event-ID': id })
    await pay(phone)
    const seen = await stream.until(isRequest)
    expect(seen.map(({ type }) => type)).toEqual(['resync', 'payment', 'entries', 'request'])
    expect(seen[0]).toMatchObject({ reason: 'behind' })
  })

  it('after more events than are saved gets a resync event', async () => {
    const { emulator, pay } = await startWorld({ rateLimit: null })
    const first = await openEvents(emulator.controlUrl)
    const [opened] = await first.until(() => true)
    for (let round = 0; round < 25; round += 1) await Promise.all(Array.from({ length: 60 }, () => pay(phone, 1)))
    const stream = await openEvents(emulator.controlUrl, { 'Last-Event-ID': opened?.id ?? '' })
    expect(await stream.until(() => true)).toMatchObject([{ type: 'resync', reason: 'behind' }])
  })
})

describe('a stream ends at once', () => {
  it.each([
    ['a reset', 'reset', 'control.reset', {}],
    ['its deletion', 'deleted', 'control.worlds.delete', { params: { name: 'shop' } }],
  ] as const)('with %s of its world, with the reason', async (_, reason, id, input) => {
    const { make, steer } = await startWorld()
    const shop = await make({ name: 'shop' })
    const stream = await openEvents(shop.made.control_url)
    await (reason === 'reset' ? shop.steer('control.reset') : steer(id, input as never))
    expect((await stream.until(isEnd)).at(-1)).toMatchObject({ type: 'end', reason })
    expect(await stream.rest()).toBe('')
  })

  it('with a restored snapshot', async () => {
    const { emulator, steer } = await startWorld()
    await steer('control.snapshots.create', { body: { name: 'saved' } })
    const stream = await openEvents(emulator.controlUrl)
    await steer('control.snapshots.restore', { params: { name: 'saved' } })
    expect((await stream.until(isEnd)).at(-1)).toMatchObject({ reason: 'restored' })
  })

  it('with the expiry of its world, with the reason', async () => {
    const { worlds, url } = await startExpiring()
    const stream = await openEvents(`${url}/w/shop`)
    void worlds.end('shop', 'expiry')
    expect((await stream.until(isEnd)).at(-1)).toMatchObject({ type: 'end', reason: 'expired' })
    expect(await stream.rest()).toBe('')
  })

  it('with the emulator, which does not wait for its readers', async () => {
    const { emulator } = await startWorld()
    const stream = await openEvents(emulator.controlUrl)
    await emulator.close()
    expect((await stream.until(isEnd)).at(-1)).toMatchObject({ reason: 'stopped' })
  })
})

describe('a world with a time to live', () => {
  it('does not expire while its stream is read; other streams report its expiry, and its own then gets 410', async () => {
    const { worlds, time, url } = await startExpiring()
    const other = await openEvents(url)
    const stream = await openEvents(`${url}/w/shop`)
    time.advance(600_000)
    expect(worlds.get('shop')).toBeDefined()
    stream.close()
    await expect.poll(() => worlds.get('shop')?.busy).toBe(0)
    time.advance(59_000)
    expect(worlds.get('shop')).toBeDefined()
    time.advance(1000)
    const seen = await other.until(({ type }) => type === 'world_ended')
    expect(seen.at(-1)).toMatchObject({ world: { name: 'shop' }, ended_by: 'expired' })
    const late = await fetch(`${url}/w/shop/_emulator/events`)
    expect([late.status, await late.json()]).toMatchObject([410, { message: expect.stringMatching(/idle for longer/) }])
  })
})

it('answers HEAD without events', async () => {
  const { emulator } = await startWorld()
  const answer = await fetch(`${emulator.controlUrl}/_emulator/events`, { method: 'HEAD' })
  expect([answer.status, await answer.text()]).toEqual([200, ''])
})

describe('a delivery', () => {
  const subscribe = ({ client }: Pick<WorldUnderTest, 'client'>, max_attempts = 3) =>
    client.call('webhooks.create', {
      body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'], max_attempts },
    })

  it('is seen when it is queued, and when it is queued again on request', async () => {
    const world = await startWorld({ settle: 0, clock: '2026-01-05T12:00:00Z' })
    const { emulator, pay, steer, ask } = world
    await subscribe(world, 1)
    const stream = await openEvents(emulator.controlUrl)
    const { id } = await pay(phone)
    const tried = await stream.until(isDelivery)
    const queued = {
      delivery: { id: 'whd_000000000001', event: 'payment.completed', status: 'pending', attempts: 0 },
      payment_id: id,
      url: 'http://127.0.0.1:9/hook',
    }
    expect(of('queued', tried)).toMatchObject([queued])
    expect(tried.map(({ type }) => type).filter((type) => type === 'queued' || type === 'delivery')).toEqual([
      'queued',
      'delivery',
    ])
    await steer('control.deliveries.resend', { params: { id: 'whd_000000000001' } })
    const [again] = of('queued', await stream.until(({ type }) => type === 'queued'))
    expect(again).toMatchObject({ ...queued, delivery: { status: 'pending', attempts: 1 } })
    expect((await ask('control.deliveries.resend', { params: { id: 'whd_000000000099' } })).status).toBe(404)
  })

  it('that chaos delays is queued for its later time', async () => {
    const world = await startWorld({ settle: 0, clock: '2026-01-05T12:00:00Z' })
    await subscribe(world)
    await world.steer('control.faults.add', { body: { event: '*', delay_ms: 90_000 } })
    const stream = await openEvents(world.emulator.controlUrl)
    await world.pay(phone)
    const [queued] = of('queued', await stream.until(({ type }) => type === 'queued'))
    expect(queued?.delivery.due_at).toBe('2026-01-05T12:01:30.000000Z')
  })

  it('has the facts of the list in its events, whatever happens to its subscription', async () => {
    const world = await startWorld({ settle: 0, clock: '2026-01-05T12:00:00Z' })
    const { emulator, client, pay, steer } = world
    const stream = await openEvents(emulator.controlUrl)
    const { id } = await subscribe(world, 2)
    const { id: other } = await client.call('webhooks.create', {
      body: { url: 'http://127.0.0.1:9/other', events: ['payment.failed'] },
    })
    await pay(phone)
    await client.call('webhooks.suspend', { params: { id: other }, body: { reason: 'a rest' } })
    await steer('control.clock.advance', { body: { ms: 20_000 } })
    await client.call('webhooks.resume', { params: { id: other } })
    await client.call('webhooks.delete', { params: { id: other } })
    const seen = await stream.until((event) => event.type === 'subscription' && event.change === 'deleted')
    const changes = of('subscription', seen).map(({ change, subscription }) => [
      change,
      subscription.id === id ? 'first' : 'other',
      subscription.active,
      subscription.suspended_reason,
    ])
    expect(changes).toEqual([
      ['created', 'first', true, null],
      ['created', 'other', true, null],
      ['suspended', 'other', false, 'a rest'],
      ['suspended', 'first', false, expect.stringMatching(/^Delivery failed 2 times: .*ECONNREFUSED/)],
      ['resumed', 'other', true, null],
      ['deleted', 'other', true, null],
    ])
    for (const { delivery } of of('queued', seen)) expect(delivery).toMatchObject({ status: 'pending', attempts: 0 })
    for (const { delivery, attempt } of of('delivery', seen)) expect(delivery.attempts).toBe(attempt.number)
    const patched = new Map(
      seen.flatMap((event) => ('delivery' in event ? [[event.delivery.id, event.delivery] as const] : [])),
    )
    const { data } = await steer('control.deliveries.list', { query: {} })
    expect([...patched.values()]).toEqual(data)
    const { data: subscriptions } = await steer('control.subscriptions.list', { query: {} })
    expect(
      of('subscription', seen)
        .filter(({ subscription }) => subscription.id === id)
        .at(-1)?.subscription,
    ).toEqual(subscriptions[0])
  })
})

it('a delivery is seen when it is tried', async () => {
  const { emulator, pay, client } = await startWorld({ settle: 0 })
  await client.call('webhooks.create', { body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'] } })
  const stream = await openEvents(emulator.controlUrl)
  await pay(phone)
  expect(of('delivery', await stream.until(isDelivery))).toHaveLength(1)
})

it('a stream that begins while the emulator stops is refused', async () => {
  const { emulator } = await startWorld()
  const { body } = await emulator.fetch('/_emulator/events')
  await emulator.drain()
  await body?.cancel()
  const response = await emulator.fetch('/_emulator/events')
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ message: 'The emulator is about to stop. Try again' })
})
