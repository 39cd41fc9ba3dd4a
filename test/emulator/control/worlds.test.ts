import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import { type ControlId, type ControlInputOf, controlEndpoints } from '../../../src/contract/index.ts'
import { takenPort } from '../../support/server.ts'
import { newFolder } from '../store/folder.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type WorldUnderTest } from './world.ts'

type Query = ControlInputOf<'control.worlds.list'>['query']

const phone = { recipient_phone: '87000001' } as const

const balanceOf = async ({ client, colones }: WorldUnderTest): Promise<number> =>
  (await client.call('accounts.balance', { params: { id: colones } })).balance

const paymentsOf = async ({ client }: WorldUnderTest) => (await client.call('payments.history', { query: {} })).data

describe('worlds', () => {
  it('share nothing: accounts, clock, rails, fees and reset are each world’s own', async () => {
    const first = await startWorld()
    const second = await first.make({ name: 'shop-7' })
    expect(second.made).toMatchObject({ name: 'shop-7', status: 'live', made_from: { seed: 'demo' } })
    expect(second.made.base_url).toBe(`${first.emulator.baseUrl}/w/shop-7`)

    await second.pay(phone, 250_000)
    await second.steer('control.clock.advance', { body: { ms: 86_400_000 } })
    await second.steer('control.rails.set', { body: { pin: 'offline' } })
    await second.steer('control.fees.set', { body: { pin: 9900 } })
    await second.steer('control.faults.add', { body: { endpoint: 'payments.history', status: 429 } })

    expect(await paymentsOf(first)).toEqual([])
    expect(await balanceOf(first)).toBe(250_000_000)
    expect(await balanceOf(second)).toBe(249_750_000)
    expect(await first.steer('control.rails.get')).toMatchObject({ pin: 'online' })
    expect(await first.steer('control.fees.get')).toMatchObject({ pin: 100 })
    expect((await first.steer('control.clock.get')).offset_ms).toBe(0)
    expect(await first.steer('control.faults.list')).toEqual([])

    await first.steer('control.reset')
    expect(await balanceOf(second)).toBe(249_750_000)
    await second.steer('control.reset')
    expect(await balanceOf(second)).toBe(250_000_000)
    expect(await second.steer('control.rails.get')).toMatchObject({ pin: 'online' })
  })

  it('link back into the same world', async () => {
    const { make } = await startWorld()
    const { client } = await make()
    await client.call('accounts.create', { body: { currency: 'CRC' } })
    const page = await client.call('accounts.list', { query: { per_page: 1 } })
    expect(page.next_page_url).toMatch(/\/w\/w1\/api\/accounts\?page=2$/)
  })

  it('are listed with what they were made from, their requests and their size', async () => {
    const { make, steer } = await startWorld()
    const { client } = await make({ name: 'a', from: { seed: 'empty' }, ttl_seconds: 60 })
    await client.call('user.get')
    const { data } = await steer('control.worlds.list')
    expect(data).toEqual([
      expect.objectContaining({ name: 'a', made_from: { seed: 'empty' }, ttl_seconds: 60, requests: 1 }),
      expect.objectContaining({ name: 'default', made_from: { seed: 'demo' }, ttl_seconds: null }),
    ])
    expect(data[0]).toMatchObject({ forked_from: null, size_bytes: expect.toSatisfy((size: number) => size > 50_000) })
  })

  it('are listed in pages, newest first; a world that ends or is reset keeps its place', async () => {
    const { make, steer, ask, emulator } = await startWorld()
    for (const name of ['a', 'b', 'c']) await make({ name })
    const page = (query: Query) => steer('control.worlds.list', { query })
    const names = async (query: Query) => (await page(query)).data.map(({ name }) => name)
    expect(await names({ per_page: 2 })).toEqual(['c', 'b'])
    await steer('control.worlds.delete', { params: { name: 'b' } })
    await steer('control.reset')
    expect(await names({ per_page: 2, page: 2 })).toEqual(['a', 'default'])
    expect(await page({ per_page: 2 })).toMatchObject({
      data: [
        { name: 'c', status: 'live' },
        { name: 'b', status: 'ended' },
      ],
      ...{ current_page: 1, from: 1, to: 2, last_page: 2, per_page: 2, total: 4, prev_page_url: null },
      next_page_url: `${emulator.baseUrl}/_emulator/worlds?page=2`,
    })
    const none = { data: [], current_page: 3, from: null, to: null, last_page: 2, total: 4, next_page_url: null }
    expect(await page({ per_page: 2, page: 3 })).toMatchObject(none)
    expect(await names({ status: 'live' })).toEqual(['c', 'a', 'default'])
    expect(await page({ status: 'ended' })).toMatchObject({ data: [{ name: 'b' }], total: 1, per_page: 15 })
    for (const query of [{ page: 0 }, { per_page: 1001 }, { status: 'asleep' }]) {
      const { status, body } = await ask('control.worlds.list', { query })
      expect([status, Object.keys(body.errors)]).toEqual([422, Object.keys(query)])
    }
  })

  it.each([
    ['of no form', { name: 'Große Welt' }, 422],
    ['of the default world', { name: 'default' }, 409],
    ['of a world that lives', { name: 'a' }, 409],
    ['of a snapshot that is not there', { from: { snapshot: 'none' } }, 404],
    ['of a world that is not there', { from: { world: 'none' } }, 404],
    ['from two things', { from: { world: 'a', seed: 'demo' } }, 422],
    ['from nothing', { from: {} }, 422],
    ['that may never be idle', { ttl_seconds: 0 }, 422],
  ])('are not made %s', async (_, body, status) => {
    const { make, ask, steer } = await startWorld()
    await make({ name: 'a' })
    expect((await ask('control.worlds.create', { body })).status).toBe(status)
    expect((await steer('control.worlds.list')).total).toBe(2)
  })

  it('answer without their prefix on their own port', async () => {
    const { make, steer, emulator } = await startWorld()
    const { made, pay, client } = await make({ port: 0 })
    expect(new URL(made.base_url)).toMatchObject({ pathname: '/', hostname: '127.0.0.1' })
    expect(made.base_url).not.toBe(emulator.baseUrl)
    const { id } = await pay(phone)
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ id })
    expect((await fetch(`${emulator.baseUrl}/w/${made.name}/_emulator/health`)).status).toBe(200)
    await steer('control.worlds.delete', { params: { name: made.name } })
    await expect(fetch(`${made.base_url}/_emulator/health`)).rejects.toThrow()
  })

  it('can be ended over that port, and requests that wait in them are answered', async () => {
    const { make, steer } = await startWorld()
    const { ask, made } = await make({ port: 0 })
    const other = await make({ port: 0 })
    const waiting = other.ask('control.wait', { body: { deliveries: 1, timeout_ms: 60_000 } })

    expect((await ask('control.worlds.delete', { params: { name: made.name } })).status).toBe(200)
    await expect
      .poll(async () => (await steer('control.worlds.get', { params: { name: other.made.name } })).requests)
      .toBe(1)
    await steer('control.worlds.delete', { params: { name: other.made.name } })
    expect((await waiting).status).toBe(410)
  })

  it('are not made where their port is taken', async () => {
    const { ask, steer } = await startWorld()
    const port = await takenPort()
    const { status, body } = await ask('control.worlds.create', { body: { name: 'a', port } })
    expect([status, body.message]).toEqual([409, expect.stringContaining('EADDRINUSE')])
    expect((await steer('control.worlds.list')).data).toMatchObject([
      { name: 'a', status: 'ended' },
      { name: 'default' },
    ])
  })
})

describe('a fork', () => {
  it('goes on from where its world stands, and neither changes the other', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    await world.client.call('webhooks.create', {
      body: { url: receiver.url, events: ['payment.completed'], max_attempts: 3, timeout: 10 },
    })
    await world.steer('control.clock.freeze')
    const { id } = await world.pay(phone, 100_000)
    const fork = await world.make({ name: 'fork', from: { world: 'default' } })

    const { now } = await world.steer('control.clock.get')
    expect(fork.made).toMatchObject({
      made_from: { world: 'default' },
      forked_from: { world: 'default', id: world.emulator.worldId, moment: null, at: now.replace('Z', '000Z') },
    })
    expect(await fork.steer('control.clock.get')).toMatchObject({ now, frozen: true })
    expect(await fork.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'pending' })
    await fork.steer('control.clock.advance', { body: { ms: 60_000 } })
    expect(await fork.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
    expect(await world.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'pending' })
    expect(receiver.received).toHaveLength(1)
    await world.steer('control.clock.advance', { body: { ms: 60_000 } })
    expect(receiver.received).toHaveLength(2)
    const deliveries = await Promise.all([world, fork].map((of) => of.steer('control.deliveries.list', { query: {} })))
    const [own, forks] = deliveries.map(({ data }) => data[0]?.id ?? '')
    expect([own, forks]).toEqual(['whd_000000000001', 'whd_1000000000001'])
    for (const [of, id, other] of [
      [world, own, forks],
      [fork, forks, own],
    ] as const) {
      expect(await of.steer('control.deliveries.get', { params: { id: id ?? '' } })).toMatchObject({
        status: 'delivered',
      })
      expect((await of.ask('control.deliveries.get', { params: { id: other ?? '' } })).status).toBe(404)
    }
    expect(await fork.steer('control.ledger')).toMatchObject({ balanced: true })

    await fork.steer('control.reset')
    expect(await fork.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'pending' })
  })

  it('has its own id, and all else of its world', async () => {
    const worlds = new Worlds({ settle: 'manual' })
    onTestFinished(() => worlds.close())
    const { world } = await worlds.create({ from: { world: 'default' } })
    expect(world.id).not.toBe(worlds.current.id)
    const rowsOf = (of: typeof world) =>
      of.database.connection.prepare(`SELECT * FROM settings WHERE name NOT IN ('id', 'series')`).all()
    expect(rowsOf(world)).toEqual(rowsOf(worlds.current))
  })
})

describe.each([
  ['in memory', () => ({})],
  ['in a data file', () => ({ data: join(newFolder(), 'world.db') })],
])('a snapshot of a world %s', (_, options) => {
  it('is gone back to by restore, by reset, and by worlds made from it', async () => {
    const world = await startWorld(options())
    await world.pay(phone, 100_000)
    expect(await world.steer('control.snapshots.create', { body: { name: 'paid' } })).toMatchObject({
      name: 'paid',
      world: 'default',
    })
    await world.pay(phone, 100_000)
    const copy = await world.make({ from: { snapshot: 'paid' } })
    await copy.pay(phone, 50_000)
    expect(await balanceOf(world)).toBe(249_800_000)
    expect(await balanceOf(copy)).toBe(249_850_000)

    await world.steer('control.snapshots.restore', { params: { name: 'paid' } })
    expect(await balanceOf(world)).toBe(249_900_000)
    await world.pay(phone, 100_000)
    await world.steer('control.reset')
    await copy.steer('control.reset')
    expect([await balanceOf(world), await balanceOf(copy)]).toEqual([249_900_000, 249_900_000])
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true })

    await world.steer('control.snapshots.delete', { params: { name: 'paid' } })
    expect(await world.steer('control.snapshots.list')).toEqual([])
    expect((await world.ask('control.snapshots.restore', { params: { name: 'paid' } })).status).toBe(404)
    await copy.pay(phone, 1000)
    await copy.steer('control.reset')
    expect(await balanceOf(copy)).toBe(249_900_000)
  })
})

describe.each([
  ['in memory', () => ({})],
  ['in a folder', () => ({ worlds: newFolder() })],
])('the name of a snapshot %s', (_, options) => {
  it('is refused for another world, and replaced on request', async () => {
    const world = await startWorld(options())
    const other = await world.make({ name: 'shop-7' })
    await other.pay(phone, 100_000)
    const take = (of: WorldUnderTest, body: Readonly<Record<string, unknown>>) =>
      of.ask('control.snapshots.create', { body })
    const restored = async () => {
      const { made, client } = await world.make({ from: { snapshot: 'start' } })
      return (await client.call('accounts.balance', { params: { id: made.accounts[0]?.id ?? '' } })).balance
    }
    expect((await take(world, { name: 'start' })).status).toBe(201)
    for (const of of [world, other]) {
      const { status, body } = await take(of, { name: 'start', replace: false })
      expect([status, body.message]).toEqual([
        409,
        'Snapshot start already exists, from the world default. Choose another name, or replace the snapshot with replace: true.',
      ])
    }
    expect(await restored()).toBe(250_000_000)

    expect((await take(other, { name: 'start', replace: true })).body.data).toMatchObject({ world: 'shop-7' })
    expect(await world.steer('control.snapshots.list')).toMatchObject([{ name: 'start', world: 'shop-7' }])
    expect(await restored()).toBe(249_900_000)
  })

  it('is given to only one of several callers at the same time', async () => {
    const world = await startWorld(options())
    const taken = await Promise.all(
      [1, 2, 3].map(() => world.ask('control.snapshots.create', { body: { name: 'start' } })),
    )
    expect(taken.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  it('is free once the snapshot is deleted, and needs no snapshot to be replaced', async () => {
    const { steer } = await startWorld(options())
    await steer('control.snapshots.create', { body: { name: 'start', replace: true } })
    await steer('control.snapshots.delete', { params: { name: 'start' } })
    await steer('control.snapshots.create', { body: { name: 'start' } })
  })
})

describe('the end of a world', () => {
  it('is an answer of every control endpoint, and every row has it', async () => {
    const { make, steer } = await startWorld()
    const { ask, made } = await make({ name: 'job-1' })
    await steer('control.worlds.delete', { params: { name: made.name } })
    for (const id of Object.keys(controlEndpoints) as ControlId[]) {
      const { status, body } = await ask(id, { params: { id: '1', name: '1', address: '1', client_id: '1' } })
      expect([status, body.message], id).toEqual([
        410,
        expect.stringMatching(/^The world job-1 ended at .*: it was deleted$/),
      ])
    }
  })

  it('answers late requests, counts them, and says nothing of other worlds', async () => {
    const { make, steer, ask, emulator } = await startWorld()
    const { made, client } = await make({ name: 'job-1' })
    const ended = await steer('control.worlds.delete', { params: { name: 'job-1' } })
    expect(ended).toMatchObject({ name: 'job-1', id: made.id, ended_by: 'deletion', late_requests: 0 })

    await expect(client.call('user.get')).rejects.toMatchObject({ status: 410 })
    const late = await fetch(`${made.base_url}/api/payments?token=secret`, { method: 'POST' })
    expect([late.status, (await late.json()) as object]).toEqual([
      410,
      expect.objectContaining({ message: expect.stringMatching(/^The world job-1 ended at .*: it was deleted$/) }),
    ])
    const [entry] = (await steer('control.worlds.list')).data
    expect(entry).toMatchObject({
      late_requests: 2,
      latest: [
        { method: 'GET', path: '/api/user' },
        { method: 'POST', path: '/api/payments' },
      ],
    })
    expect((await ask('control.worlds.get', { params: { name: 'job-1' } })).status).toBe(410)
    expect((await fetch(`${emulator.baseUrl}/w/never/api/user`)).status).toBe(404)
  })

  it('is not the default world’s, as long as the emulator runs', async () => {
    const { ask } = await startWorld()
    expect((await ask('control.worlds.delete', { params: { name: 'default' } })).status).toBe(409)
  })

  it('ends its deliveries: nothing is sent any more', async () => {
    const { make, steer } = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(null)
    const { client, pay, made } = await make()
    await client.call('webhooks.create', {
      body: { url: receiver.url, events: ['payment.created'], max_attempts: 3, timeout: 10 },
    })
    await pay(phone)
    await expect.poll(() => receiver.received.length).toBe(1)
    await steer('control.worlds.delete', { params: { name: made.name } })
    expect(receiver.received).toHaveLength(1)
  })

  it('comes when it was idle for longer than it may be', async () => {
    const worlds = new Worlds({ settle: 'manual' })
    onTestFinished(() => worlds.close())
    await worlds.create({ name: 'a', ttl: 60_000 })
    await worlds.create({ name: 'b', ttl: 60_000 })
    await worlds.expiry.advance(30_000)
    worlds.use('b')
    await worlds.expiry.advance(30_000)
    expect(worlds.all().map(({ name }) => name)).toEqual(['default', 'b'])
    expect(worlds.ended.list()).toMatchObject([{ name: 'a', ended_by: 'expiry' }])
  })

  it('does not come while a request is answered, however long that takes', async () => {
    const worlds = new Worlds({ settle: 'manual' })
    onTestFinished(() => worlds.close())
    await worlds.create({ name: 'a', ttl: 5000 })
    worlds.use('a')
    const release = worlds.hold('a')
    await worlds.expiry.advance(11_000)
    expect(worlds.get('a')).toBeDefined()
    release()
    await worlds.expiry.advance(4999)
    expect(worlds.get('a')).toBeDefined()
    await worlds.expiry.advance(1)
    expect(worlds.get('a')).toBeUndefined()
  })

  it('does not come during a wait, however long that is; from its end on the world is idle', async () => {
    const worlds = new Worlds({ settle: 'manual' })
    onTestFinished(() => worlds.close())
    const { world } = await worlds.create({ name: 'a', ttl: 60_000 })
    const gone = new AbortController()
    const waiting = worlds.during('a', () => world.waits.until(() => ({ seen: 0, done: false }), 600_000, gone.signal))
    await worlds.expiry.advance(600_000)
    expect(worlds.get('a')).toBeDefined()
    gone.abort()
    await waiting
    await worlds.expiry.advance(59_000)
    expect(worlds.get('a')).toBeDefined()
    await worlds.expiry.advance(1000)
    expect(worlds.get('a')).toBeUndefined()
  })
})
