import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildServer } from '../../emulator/server.ts'
import { demo } from '../../emulator/worlds/seed.ts'
import type { World } from '../../emulator/worlds/world.ts'
import type { ReadOptions } from '../../emulator/worlds/world_options.ts'
import { Worlds } from '../../emulator/worlds/worlds.ts'
import { ibanOf } from '../conformance/fixture.ts'
import { receiver } from '../support/receiver.ts'
import { apiOn } from './payments.ts'
import { newFolder } from './store/folder.ts'

const [colones, dollars] = demo.accounts

async function emulator(options: ReadOptions = {}) {
  const faults: unknown[] = []
  const worlds = new Worlds({
    data: join(newFolder(), 'world.db'),
    settle: 'manual',
    rateLimit: null,
    onFault: (error) => faults.push(error),
    ...options,
  })
  const server = buildServer({ worlds })
  await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await server.close()
    await worlds.close()
  })
  const port = server.addresses()[0]?.port
  const api = apiOn({ baseUrl: `http://127.0.0.1:${port}`, token: worlds.options.token })
  return { api, worlds, world: worlds.current, faults }
}

/** Leaves room for a few more pages in a world's file. Returns a function that makes room again. */
function fillDisk({ database: { connection } }: World): () => void {
  connection.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(24576)); DROP TABLE filler')
  connection.pragma(`max_page_count = ${connection.pragma('page_count', { simple: true })}`)
  return () => connection.pragma(`max_page_count = ${2 ** 30}`)
}

/**
 * Makes every commit with a changed row of the table fail, as on a full disk. Returns a function that stops the failures.
 */
function spoil(table: 'deliveries' | 'payments', { database: { connection } }: World): () => void {
  connection.exec(`
    CREATE TABLE debts (owed INTEGER REFERENCES users (seq) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER spoil AFTER UPDATE ON ${table} BEGIN INSERT INTO debts VALUES (999); END`)
  return () => connection.exec('DROP TRIGGER spoil')
}

test('a refusal because of a payment of the same turn is answered once that payment is on disk, not before', async () => {
  const { api, world, faults } = await emulator()
  const { balance } = (await api.get(`/api/accounts/${dollars.id}/balance`)).body.data
  const most = {
    source_account_id: dollars.id,
    recipient_iban: ibanOf('Pacific Imports LLC'),
    amount: Math.floor(balance * 0.75),
  }
  const others = Array.from({ length: 60 }, () => ({
    source_account_id: colones.id,
    recipient_iban: ibanOf('Carlos Jiménez Mora'),
    amount: 100,
    description: 'x'.repeat(255),
  }))
  await Promise.all(others.map(() => api.get('/api/user'))) // opens a connection for each payment
  const makeRoom = fillDisk(world)

  const [first, second, ...rest] = await Promise.all([
    api.pay(most, 'first'),
    api.pay(most, 'second'),
    ...others.map((other) => api.pay(other, randomUUID())),
  ])

  expect(rest.map(({ status }) => status)).toContain(500)
  expect(first?.status).toBe(500)
  expect(second?.status).toBe(500)
  expect(faults).not.toEqual([])
  makeRoom()
  expect((await api.pay(most, 'second')).status).toBe(201)
})

test('a delivery of which nothing can be written down goes out again a second later, not at once', async () => {
  await using hook = await receiver()
  const { api, world, faults } = await emulator({ clock: '2026-03-02T15:00:00.000Z' })
  await api.post('/api/webhooks/subscriptions', { url: hook.url, events: ['payment.created'] })
  const fix = spoil('deliveries', world)

  await api.pay({ source_account_id: colones.id, recipient_iban: ibanOf('Carlos Jiménez Mora'), amount: 100 }, 'a')
  await hook.until(1)
  for (let left = 30; left > 0; left -= 1) await api.get('/api/user')

  expect(hook.received.length).toBe(1)
  expect(faults).not.toEqual([])
  fix()
  await world.advanceClock(1000)
  await world.advanceClock(3_600_000)
  const ids = hook.received.map(({ headers }) => headers['x-webhook-id'])
  expect(ids).toEqual([ids[0], ids[0]])
})

test('a delivery of which nothing can be written down goes out again a second later, even if the clock stands still', async () => {
  await using hook = await receiver()
  const { api, world, faults } = await emulator({ clock: '2026-03-02T15:00:00.000Z' })
  await api.post('/api/webhooks/subscriptions', { url: hook.url, events: ['payment.created'] })
  const fix = spoil('deliveries', world)

  await api.pay({ source_account_id: colones.id, recipient_iban: ibanOf('Carlos Jiménez Mora'), amount: 100 }, 'a')
  await hook.until(1)
  await expect.poll(() => faults).not.toEqual([])
  fix()

  await hook.until(2)
  expect(hook.received[1]?.headers['x-webhook-id']).toBe(hook.received[0]?.headers['x-webhook-id'])
})

test('a delivery of which nothing can be written down goes out again a second later, even if the clock is fast', async () => {
  await using hook = await receiver()
  const { api, world } = await emulator({ clock: 'running' })
  await world.setClockSpeed(100_000)
  await api.post('/api/webhooks/subscriptions', { url: hook.url, events: ['payment.created'] })
  spoil('deliveries', world)

  await api.pay({ source_account_id: colones.id, recipient_iban: ibanOf('Carlos Jiménez Mora'), amount: 100 }, 'a')
  await hook.until(1)
  const elapsed = world.clock.stopwatch()
  await hook.until(3)
  expect(elapsed()).toBeGreaterThan(1000)
})

test('a move of the clock whose steps can’t be committed is refused, instead of trying them without end', async () => {
  const payment = { account: colones.id, to: '87000001', amount: 100, status: 'pending' } as const
  const { world, faults } = await emulator({ seed: { extends: 'demo', payments: Array(600).fill(payment) } })
  const fix = spoil('payments', world)

  await expect(world.advanceClock(3_600_000)).rejects.toThrow('FOREIGN KEY')

  expect(faults.length).toBeLessThan(10)
  expect(world.store.payments.unfinished()).toBe(600)
  fix()
  await world.advanceClock(3_600_000)
  expect(world.store.payments.unfinished()).toBe(0)
})

test('a move of the clock whose deliveries can’t be recorded is refused, instead of sending them every second of the way', async () => {
  await using hook = await receiver()
  const { api, world } = await emulator({ clock: '2026-03-02T15:00:00.000Z' })
  await api.post('/api/webhooks/subscriptions', { url: hook.url, events: ['payment.completed'] })
  await api.pay({ source_account_id: colones.id, recipient_iban: ibanOf('Carlos Jiménez Mora'), amount: 100 }, 'a')
  const fix = spoil('deliveries', world)

  await expect(world.advanceClock(600_000)).rejects.toThrow('FOREIGN KEY')

  expect(hook.received.length).toBe(1)
  // Otherwise a restart would set the clock back to a time before the steps of the move.
  expect(world.settings.get('clock').frozen_at).toBe(world.clock.now())
  fix()
  await world.advanceClock(600_000)
  expect(hook.received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '1'])
  expect(world.store.deliveries.countOf({})).toMatchObject({ pending: 0, delivered: 1 })
})

test('a world goes on as it was if the disk has no room for the snapshot that is to replace it', async () => {
  const payment = { account: colones.id, to: '87000001', amount: 100, status: 'completed' } as const
  const { world, worlds, api } = await emulator({ moments: 1 })
  const from = { seed: { extends: 'demo', payments: Array(600).fill(payment) } } as const
  await worlds.create({ name: 'large', from })
  const large = await worlds.takeSnapshot({ name: 'large' }, 'large')
  await api.pay({ source_account_id: colones.id, recipient_iban: ibanOf('Carlos Jiménez Mora'), amount: 100 }, 'a')
  const makeRoom = fillDisk(world)

  await expect(worlds.restore('default', large)).rejects.toThrow('full')

  makeRoom()
  const live = worlds.find('default')
  expect({ madeFrom: live.madeFrom, payments: live.world.store.payments.count() }).toEqual({
    madeFrom: { seed: 'demo' },
    payments: 1,
  })
  await api.pay({ source_account_id: colones.id, recipient_iban: ibanOf('Carlos Jiménez Mora'), amount: 100 }, 'b')
  expect(live.world.moments.list().map(({ cause }) => cause.kind)).toEqual(['request', 'request', 'start'])
  expect(() => live.world.events.refuseEnded()).not.toThrow()
  await worlds.reset()
  expect(worlds.current.store.payments.count()).toBe(0)
})

test.each([0, 1, 2, 3])('a restore waits for a write that comes %i ticks after a commit', async (ticks) => {
  const { worlds, world } = await emulator()
  const snapshot = await worlds.takeSnapshot({ name: 'start' }, 'default')
  const write = () => world.database.write(() => world.settings.set('lineage', 'x'))
  write()
  const { settled } = world.database
  const later = (async () => {
    await settled
    for (let tick = 0; tick < ticks; tick += 1) await null
    if (!world.ended) write()
  })()

  await worlds.restore('default', snapshot)

  await later
  expect(worlds.current.settings.get('lineage')).toBe('')
})
