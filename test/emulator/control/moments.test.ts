import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import type { ControlInputOf } from '../../../src/contract/index.ts'
import { openWorld } from '../../conformance/targets/inject.ts'
import { apiOf } from '../payments.ts'
import { newFolder } from '../store/folder.ts'
import { startReceiver } from './receiver.ts'
import { startWorld } from './world.ts'

type Query = ControlInputOf<'control.moments.list'>['query']

const phone = { recipient_phone: '87000001' } as const
describe('the moments of a world', () => {
  it('are none until they are asked for', async () => {
    const { steer, ask, pay, make } = await startWorld()
    await pay(phone)
    expect(await steer('control.moments.list', { query: {} })).toMatchObject({
      data: [],
      kept: { limit_mib: null, size_bytes: 0, count: 0 },
    })
    const { status, body } = await ask('control.worlds.create', { body: { from: { moment: 'm1' } } })
    expect([status, body.message]).toEqual([
      404,
      'The world default saves no moments. To save moments from now on: payctl emulator moments keep',
    ])
    const fork = await make({ from: { world: 'default' } })
    expect(fork.made.forked_from).toMatchObject({ moment: null })
  })

  it('say what changed the world: requests, steps, deliveries, credits, moves of the clock, control', async () => {
    const { client, steer, pay, colones } = await startWorld({ clock: '2026-01-05T12:00:00Z', moments: 1 })
    const receiver = await startReceiver()
    await client.call('webhooks.create', {
      body: { url: receiver.url, events: ['payment.completed'], max_attempts: 3, timeout: 10 },
    })
    const { id } = await pay(phone)
    await steer('control.credits.schedule', { body: { to: colones, amount: 5, after_ms: 500 } })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    const { data } = await steer('control.moments.list', { query: {} })
    const about = (payment: unknown, kind: string, what: unknown, ofWhat: unknown = null) => ({
      kind,
      what,
      id: ofWhat,
      payment_id: payment,
    })
    expect(data.map(({ cause }) => cause).reverse()).toEqual([
      about(null, 'start', 'moments are saved from here on'),
      about(null, 'request', 'POST /api/webhooks/subscriptions', 'r1'),
      about(id, 'request', 'POST /api/payments', 'r2'),
      about(null, 'control', 'POST /_emulator/credits/scheduled'),
      about(expect.any(String), 'credit', 'scheduled credit'),
      about(id, 'status', 'processing'),
      about(id, 'status', 'completed'),
      about(id, 'delivery', 'attempt 1 of payment.completed', 'whd_000000000001'),
      about(null, 'clock', 'clock'),
    ])
    expect(data.map(({ id, before }) => [id, before]).slice(-3)).toEqual([
      ['m3', 'm2'],
      ['m2', 'm1'],
      ['m1', null],
    ])
    expect(new Set(data.slice(0, 2).map(({ at }) => at)).size).toBe(2)

    const only = async (query: Query) =>
      (await steer('control.moments.list', { query })).data.map((moment) => moment.id)
    expect(await only({ payment: id })).toEqual(['m8', 'm7', 'm6', 'm3'])
    expect(await only({ request: 'r2' })).toEqual(['m3'])
    expect(await only({ until: '2026-01-05T12:00:00Z' })).toEqual(['m4', 'm3', 'm2', 'm1'])
    expect(await only({ per_page: 2, page: 2 })).toEqual(['m7', 'm6'])
  })

  it('are found by a request that changed nothing: it read the state of a moment', async () => {
    const { client, make, steer, pay } = await startWorld({ moments: 1 })
    const { id } = await pay(phone)
    await client.call('payments.get', { params: { id } })
    await expect(pay(phone, 10_000_000_000)).rejects.toThrow()
    await pay(phone)
    const found = async (request: string) =>
      (await steer('control.moments.list', { query: { request } })).data.map((moment) => moment.id)
    expect(await Promise.all(['r1', 'r2', 'r3', 'r4'].map(found))).toEqual([['m2'], ['m2'], ['m2'], ['m3']])
    const lastBefore = async (moment: string) => (await make({ from: { moment } })).made.forked_from?.request
    expect(await Promise.all(['m1', 'm2', 'm3'].map(lastBefore))).toEqual([undefined, 'r3', 'r4'])
    expect((await make({ from: { world: 'default' } })).made.forked_from).toMatchObject({ moment: 'm3', request: 'r4' })
  })

  it('are each request’s own, also of requests that share a commit', async () => {
    const { make, steer, pay } = await startWorld({ moments: 1 })
    await Promise.all(Array.from({ length: 20 }, () => pay(phone)))
    const { data } = await steer('control.moments.list', { query: { per_page: 100 } })
    const requests = data.filter(({ cause }) => cause.kind === 'request')
    expect(new Set(requests.map(({ cause }) => cause.id)).size).toBe(20)
    const paymentsAt = async (moment: string) => {
      const fork = await make({ from: { moment } })
      return (await fork.client.call('payments.history', { query: {} })).total
    }
    expect(await paymentsAt(requests[15]?.id ?? '')).toBe(5)
  })

  it('are dropped, the oldest first, when they take too much memory; a refused one names the oldest', async () => {
    const { steer, ask } = await startWorld({ moments: 1 })
    const name = 'N'.repeat(200)
    for (let user = 0; user < 20; user += 1) {
      await Promise.all(Array.from({ length: 150 }, () => steer('control.users.create', { body: { name } })))
      await steer('control.users.list')
    }
    const page = (number: number) => steer('control.moments.list', { query: { per_page: 1000, page: number } })
    const { kept, total, data, last_page } = await page(1)
    expect(kept.size_bytes).toBeLessThanOrEqual(1024 * 1024)
    expect(total).toBe(kept.count)
    const [newest, oldest] = [data[0]?.id, (await page(last_page)).data.at(-1)]
    expect(oldest?.before).toBeNull()
    const refusal = async (moment: string) => {
      const { status, body } = await ask('control.worlds.create', { body: { from: { moment } } })
      return [status, body.message]
    }
    expect(await refusal('m1')).toEqual([
      404,
      `The moment m1 of the world default was dropped. The oldest saved moment is ${oldest?.id}.`,
    ])
    expect(await refusal('m99999')).toEqual([
      404,
      `The world default has no moment m99999. The nearest earlier moment is ${newest}.`,
    ])
    expect((await ask('control.worlds.create', { body: { from: { moment: '12' } } })).status).toBe(422)
    expect((await ask('control.worlds.create', { body: { from: { moment: 'm1', seed: 'demo' } } })).status).toBe(422)
  })

  it('are saved on request, also after a reset, until they are dropped', async () => {
    const { steer, pay } = await startWorld()
    expect(await steer('control.moments.keep', { body: {} })).toMatchObject({ limit_mib: 64, count: 1 })
    await pay(phone)
    expect(await steer('control.moments.keep', { body: { limit_mib: 2 } })).toMatchObject({ limit_mib: 2, count: 2 })
    await steer('control.reset')
    expect((await steer('control.moments.list', { query: {} })).data.map(({ id }) => id)).toEqual(['m1'])
    await pay(phone)
    expect(await steer('control.moments.stop')).toEqual({ limit_mib: null, size_bytes: 0, count: 0 })
    await pay(phone)
    expect(await steer('control.moments.keep', { body: {} })).toMatchObject({ count: 1 })
  })

  it('belong to one world; another world can be forked at its own', async () => {
    const { make, steer, pay, colones } = await startWorld({ clock: '2026-01-05T12:00:00Z' })
    const shop = await make({ name: 'shop' })
    await shop.steer('control.moments.keep', { body: {} })
    await shop.pay(phone, 100)
    await shop.pay(phone, 200)
    const fork = await make({ name: 'fork', from: { world: 'shop', moment: 'm2' } })
    expect(fork.made).toMatchObject({
      made_from: { world: 'shop', moment: 'm2' },
      forked_from: { world: 'shop', id: shop.made.id, moment: 'm2', at: '2026-01-05T12:00:00.000000Z' },
    })
    const amounts = async () =>
      (await fork.client.call('payments.history', { query: {} })).data.map(({ amount }) => amount.value)
    expect(await amounts()).toEqual([100])
    await fork.pay(phone, 300)
    await fork.steer('control.reset')
    expect(await amounts()).toEqual([100])
    const own = await shop.steer('control.worlds.create', { body: { name: 'own', from: { moment: 'm1' } } })
    expect(own.accounts.find(({ id }) => id === colones)?.balance).toBe(250_000_000)
    await pay(phone)
    expect((await steer('control.moments.list', { query: {} })).data).toEqual([])
  })

  it.each([
    ['a data file', () => ({ data: join(newFolder(), 'world.db') })],
    ['a folder of worlds', () => ({ worlds: join(newFolder(), 'worlds') })],
  ])('are those of %s, too, after a reset as before', async (_, options) => {
    const { make, steer, pay } = await startWorld({ ...options(), moments: 8 })
    await steer('control.reset')
    const { id } = await pay(phone)
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    const fork = await make({ from: { moment: 'm2' } })
    expect(await fork.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'pending' })
    await fork.steer('control.clock.advance', { body: { ms: 60_000 } })
    expect(await fork.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
    expect(await fork.steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it('go on at their own time in a fork, on a clock that runs', async () => {
    const { make, steer, pay } = await startWorld({ moments: 8 })
    const { id } = await pay(phone)
    await steer('control.clock.advance', { body: { ms: 3_600_000 } })
    const fork = await make({ from: { moment: 'm2' } })
    const [then, now] = await Promise.all([fork, { steer }].map((of) => of.steer('control.clock.get')))
    const behind = Date.parse(now?.now ?? '') - Date.parse(then?.now ?? '')
    expect(behind).toBeGreaterThan(3_590_000)
    expect(behind).toBeLessThan(3_610_000)
    expect(await fork.client.call('payments.get', { params: { id } })).toMatchObject({ status: 'pending' })
  })

  it('leave no trace in a file: a fork of one can be exported and imported', async () => {
    const { emulator, make, pay } = await startWorld({ moments: 8 })
    await pay(phone)
    const { made } = await make({ from: { moment: 'm1' } })
    const file = await emulator.controlOf(made.name).export()
    const imported = await emulator.control.import({ file, name: 'imported' })
    expect(imported.accounts).toEqual(made.accounts)
  })

  it('that are asked for while a restore replaces the rows in a file do not touch the new world', async () => {
    const opened = await openWorld({ data: join(newFolder(), 'world.db'), settle: 'manual' })
    onTestFinished(() => opened.close())
    const api = apiOf(opened)
    const order = { source_account_id: demo.accounts[0].id, amount: 100, ...phone }
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const url = `/_emulator/${path}`
      const { status } = await opened.exchange({ method: 'POST', url, headers, payload: JSON.stringify(body) })
      return status
    }
    expect(await post('snapshots', { name: 'start' })).toBe(201)

    const together = await Promise.all([api.pay(order, 'a'), post('snapshots/start/restore', {}), post('moments', {})])

    expect(together).toMatchObject([{ status: 201 }, 200, 410])
    expect(await post('moments', {})).toBe(200)
    expect((await api.pay(order, 'b')).status).toBe(201)
    expect(opened.world.moments.list().map(({ cause }) => cause.kind)).toEqual(['request', 'start'])
  })

  it('have no triggers before they are saved and after they are dropped, and record no rollback', async () => {
    const worlds = new Worlds({ settle: 'manual' })
    onTestFinished(() => worlds.close())
    const { moments, database, settings } = worlds.current
    const triggers = () => database.connection.prepare('SELECT count(*) FROM sqlite_temp_schema').pluck().get()
    expect(triggers()).toBe(0)
    moments.keep(1024 * 1024)
    expect(triggers()).toBeGreaterThan(0)
    const spread = (value: number) => database.write(() => settings.set('spread', value))
    spread(0.1)
    await database.settled
    spread(0.2)
    const failing = () =>
      database.write(() => {
        settings.set('spread', 0.3)
        throw new Error('on purpose')
      })
    expect(failing).toThrow('on purpose')
    const statement = database.connection.prepare('DELETE FROM users')
    expect(() => database.write(() => statement.run())).toThrow('FOREIGN KEY')
    spread(0.4)
    await database.settled
    const numbers = moments.list().map((moment) => [moment.number, moments.before(moment)])
    expect(numbers).toEqual([
      [4, 2],
      [2, 1],
      [1, null],
    ])
    await expect(worlds.create({ from: { world: 'default', moment: 'm3' } })).rejects.toMatchObject({
      message: 'The world default has no moment m3. The nearest earlier moment is m2.',
    })
    const spreads = []
    for (const moment of ['m4', 'm2', 'm1']) {
      const { world } = await worlds.create({ from: { world: 'default', moment } })
      spreads.push(world.settings.get('spread'))
    }
    expect(spreads).toEqual([0.4, 0.1, 0.004])
    moments.stop()
    expect(triggers()).toBe(0)
  })
})
