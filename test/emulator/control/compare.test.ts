import { randomUUID } from 'node:crypto'
import Sqlite, { type Database } from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type WorldUnderTest } from './world.ts'

const carlos = 'CR73015100100000000001'

type Comparison = ControlOutputOf<'control.compare'>

/** Change, kind and description of each difference; ids of accounts and payments are removed. */
const listed = ({ items }: Comparison) =>
  items.map(({ change, first, second }) => {
    const { kind = '', what = '' } = second ?? first ?? {}
    return `${change} ${kind} ${what.replaceAll(/[0-9a-f-]{36}/g, '…')}`
  })

const pay = ({ client, colones }: WorldUnderTest, key: string, { amount = 1000, to = carlos } = {}) =>
  client
    .call('payments.create', {
      headers: { 'X-Idempotency-Key': key },
      body: { source_account_id: colones, amount, recipient_iban: to },
    })
    .catch(() => undefined)

/** Returns when the receivers of webhooks have answered. */
const delivered = ({ steer }: WorldUnderTest) => steer('control.clock.advance', { body: { ms: 0 } })

/** A world with some history, and a function that compares it with another world. */
async function start() {
  const world = await startWorld({ clock: '2026-01-05T12:00:00Z', settle: 1000 })
  const compare = (other: string, all?: 'true') =>
    world.emulator.control.compare({ world: ['default', other], ...(all && { all }) })
  const { url } = await startReceiver()
  await world.client.call('webhooks.create', { body: { url, events: ['payment.created', 'payment.completed'] } })
  await pay(world, 'before-1')
  await world.client.call('payments.history')
  await delivered(world)
  return { world, compare, url }
}

describe('a world and its fork', () => {
  it('are compared without writes that may still be rolled back, although a program writes all the time', async () => {
    const { world, compare } = await start()
    const { control, controlOf } = world.emulator
    // Only large worlds are copied, for a thread.
    for (let count = 0; count < 1500; count++) await control.credits.create({ to: '88001234', amount: 5 })
    await world.make({ name: 'fork', from: { world: 'default' } })
    const { serialize } = Sqlite.prototype
    const duringWrite: boolean[] = []
    using _ = vi.spyOn(Sqlite.prototype, 'serialize').mockImplementation(function (this: Database, ...options) {
      duringWrite.push(this.inTransaction)
      return serialize.apply(this, options)
    })
    let isOver = false
    // Each writer writes at another microtask after a commit.
    const writing = Array.from({ length: 10 }, async (_, delay) => {
      for (let count = 0; !isOver; count++) {
        await controlOf('fork').rails.set({ pin: (count + delay) % 2 === 0 ? 'online' : 'offline' })
        for (let passed = 0; passed < delay; passed++) await null
      }
    })
    await compare('fork')
    isOver = true
    await Promise.all(writing)
    expect(duringWrite).toEqual([false, false])
  })

  it('are the same at first, and while the same happens in both', async () => {
    const { world, compare } = await start()
    const fork = await world.make({ name: 'fork', from: { world: 'default' } })
    expect(await compare('fork')).toMatchObject({
      same: true,
      ancestor: 'default',
      worlds: ['default', 'fork'],
      counts: { added: 0, removed: 0, changed: 0 },
      items: [],
      balances: [],
    })
    for (const each of [world, fork]) {
      const made = await pay(each, randomUUID(), { amount: 777 })
      await each.client.call('payments.get', { params: { id: made?.id ?? '' } })
      await each.client.call('payments.get', { params: { id: randomUUID() } }).catch(() => {})
      await each.steer('control.clock.advance', { body: { ms: 5000 } })
    }
    const { same, counts, items } = await compare('fork', 'true')
    expect(items.filter(({ change }) => change !== 'same')).toEqual([])
    expect(same).toBe(true)
    expect(counts.same).toBe(items.length)
    const statuses = items.filter(({ first }) => first?.kind === 'status')
    expect(statuses.at(-1)).toMatchObject({ first: { status: 'completed' }, second: { status: 'completed' } })
    expect(statuses.at(-1)?.first?.payment_id).not.toBe(statuses.at(-1)?.second?.payment_id)
    expect(items.filter(({ first }) => first?.kind === 'delivery').length).toBeGreaterThan(2)
  })

  it('differ by a payment that was made twice', async () => {
    const { world, compare } = await start()
    await world.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'lose_answer' } })
    await pay(world, 'rent-1', { amount: 5000 })
    const fork = await world.make({ name: 'repaired', from: { world: 'default' } })
    await pay(world, 'rent-2', { amount: 5000 })
    await pay(fork, 'rent-1', { amount: 5000 })
    for (const each of [world, fork]) await each.steer('control.clock.advance', { body: { ms: 5000 } })

    const comparison = await compare('repaired')

    expect(comparison.same).toBe(false)
    expect(listed(comparison)).toEqual([
      'changed request POST /api/payments: its key was known',
      'removed status the payment is pending',
      'removed status the payment is processing',
      'removed status the payment is completed',
      'removed entry hold: available of …',
      'removed entry hold: held of …',
      'removed entry capture: held of …',
      'removed entry capture: rail of pin',
      'removed entry capture: fees of emulator',
      'removed event event payment.created',
      'removed event event payment.completed',
      expect.stringContaining('removed delivery payment.created, attempt 1: delivered'),
      expect.stringContaining('removed delivery payment.completed, attempt 1: delivered'),
    ])
    expect(comparison.items[0]?.differences).toMatchObject([
      { field: 'what' },
      { field: 'idempotency_key', first: 'rent-2', second: 'rent-1' },
      { field: 'payment_id' },
    ])
    expect(comparison.items[0]?.second?.details).toEqual({
      ...{ method: 'POST', path: '/api/payments', answered: true, replayed: true },
      ...{ fault: null, message: null, breach: null },
    })
    expect(comparison.items.map(({ first }) => first?.details)).toMatchObject([
      { replayed: false },
      {},
      {},
      {},
      { movement: 'hold', purpose: 'available', owner: world.colones },
      { movement: 'hold', purpose: 'held' },
      { movement: 'capture' },
      { owner: 'pin' },
      { purpose: 'fees' },
      { event: 'payment.created' },
      { event: 'payment.completed' },
      { event: 'payment.created', attempt: 1, error: null, due: false },
      { event: 'payment.completed' },
    ])
    const paid = comparison.balances.find(({ purpose }) => purpose === 'available')
    expect((paid?.second.value ?? 0) - (paid?.first.value ?? 0)).toBe(5100)
    const back = await world.emulator.control.compare({ world: ['repaired', 'default'] })
    expect(back.counts).toEqual({ ...comparison.counts, added: comparison.counts.removed, removed: 0 })
    expect(back.items.map(({ first, second }) => [second, first])).toEqual(
      comparison.items.map(({ first, second }) => [first, second]),
    )
  })

  it('differ by an outcome and by an amount, of the same payment', async () => {
    const { world, compare } = await start()
    const fork = await world.make({ name: 'fork', from: { world: 'default' } })
    const [one, other] = [await pay(world, 'k', { amount: 900 }), await pay(fork, 'k', { amount: 800 })]
    await fork.steer('control.payments.move', { params: { id: other?.id ?? '' }, body: { to: 'failed' } })
    await world.steer('control.payments.move', { params: { id: one?.id ?? '' }, body: { to: 'completed' } })
    const comparison = await compare('fork')
    const differences = comparison.items.flatMap(({ second, first, differences }) =>
      differences.map(({ field, first: a, second: b }) => [second?.kind ?? first?.kind, field, a, b]),
    )
    expect(differences).toContainEqual(['status', 'status', 'completed', 'failed'])
    expect(differences).toContainEqual(['status', 'amount', '9.00 CRC', '8.00 CRC'])
    expect(listed(comparison)).toContain('removed event event payment.completed')
    expect(listed(comparison)).toContain('added entry release: held of …')
  })

  it('do not differ by the order of requests that have keys', async () => {
    const { world, compare } = await start()
    const fork = await world.make({ name: 'fork', from: { world: 'default' } })
    for (const key of ['a', 'b', 'c']) await pay(world, key, { amount: 100 * key.charCodeAt(0) })
    for (const key of ['c', 'a', 'b']) await pay(fork, key, { amount: 100 * key.charCodeAt(0) })
    for (const each of [world, fork]) await delivered(each)
    expect(await compare('fork')).toMatchObject({ same: true })
  })

  it('differ by requests, and by money that was set', async () => {
    const { world, compare } = await start()
    const fork = await world.make({ name: 'fork', from: { world: 'default' } })
    await fork.client.call('accounts.list')
    await fork.steer('control.accounts.set', { params: { id: fork.colones }, body: { balance: 1 } })
    const comparison = await compare('fork')
    expect(listed(comparison)).toEqual([
      'added entry funding: funding of emulator',
      'added entry funding: available of …',
      'added request GET /api/accounts',
    ])
    expect(comparison.balances).toMatchObject([{ purpose: 'available' }, { owner: 'emulator', purpose: 'funding' }])
  })
})

describe('a fork at a moment', () => {
  it('lacks what came later, and nothing else; with the same requests it becomes the same', async () => {
    const world = await startWorld({ clock: '2026-01-05T12:00:00Z', settle: 1000, moments: 16 })
    const { control } = world.emulator
    const keys = ['a', 'b', 'c', 'd']
    for (const key of keys) {
      await pay(world, key, { amount: 100 * key.charCodeAt(0) })
      await world.steer('control.clock.advance', { body: { ms: 700 } })
    }
    await world.steer('control.clock.advance', { body: { ms: 5000 } })
    const moments = (await control.moments.list({ per_page: 100 })).data
    expect(moments.length).toBeGreaterThan(8)
    for (const { id } of moments) {
      const fork = await world.make({ name: `at-${id}`, from: { moment: id } })
      const { counts } = await control.compare({ world: ['default', `at-${id}`] })
      expect([id, counts.added, counts.changed]).toEqual([id, 0, 0])
      const made = await fork.client.call('payments.history')
      for (const key of keys.slice(made.total)) await pay(fork, key, { amount: 100 * key.charCodeAt(0) })
      await fork.steer('control.clock.advance', { body: { ms: 10_000 } })
      const after = await control.compare({ world: ['default', `at-${id}`] })
      expect(listed(after).filter((line) => !line.includes('GET /api/payments'))).toEqual([])
    }
  })
})

describe('two forks of one world', () => {
  it('are compared from their forks on', async () => {
    const { world } = await start()
    const [a, b] = [
      await world.make({ name: 'a', from: { world: 'default' } }),
      await world.make({ name: 'b', from: { world: 'default' } }),
    ]
    await pay(a, 'k1')
    await pay(b, 'k1')
    for (const each of [a, b]) await delivered(each)
    const compared = await world.emulator.control.compare({ world: ['a', 'b'] })
    expect(compared).toMatchObject({ same: true, ancestor: 'default' })
    await b.client.call('user.get')
    expect(listed(await world.emulator.control.compare({ world: ['a', 'b'] }))).toEqual(['added request GET /api/user'])
  })
})

describe('a comparison', () => {
  it('is refused for worlds that do not exist, and for a single one', async () => {
    const { world } = await start()
    await expect(world.emulator.control.compare({ world: ['default', 'none'] })).rejects.toMatchObject({ status: 404 })
    await expect(world.emulator.control.compare({ world: ['default'] })).rejects.toMatchObject({ status: 422 })
    expect((await world.ask('control.compare', { query: { world: 'default' as never } })).status).toBe(422)
  })

  it('takes the parameter twice over HTTP', async () => {
    const { world } = await start()
    await world.make({ name: 'fork', from: { world: 'default' } })
    const answer = await fetch(`${world.emulator.baseUrl}/_emulator/compare?world=default&world=fork`)
    expect(await answer.json()).toMatchObject({ data: { same: true, worlds: ['default', 'fork'] } })
  })
})
