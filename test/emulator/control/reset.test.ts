import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import fc from 'fast-check'
import inject from 'light-my-request'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildServer } from '../../../emulator/server.ts'
import { imageOf } from '../../../emulator/store/image.ts'
import type { ReadOptions } from '../../../emulator/worlds/world_options.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import { worldHeader } from '../../../src/contract/index.ts'
import { full } from '../../support/full.ts'
import { ManualTime } from '../../support/manual_time.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

/** Every row of every table, except the world's id, which is unique. */
function dump({ connection }: { connection: Database }): Record<string, unknown[]> {
  const tables = connection.prepare<[], { name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
  )
  const rowsOf = (table: string) =>
    connection.prepare(`SELECT * FROM ${table}${table === 'settings' ? " WHERE name <> 'id'" : ''}`).all()
  return Object.fromEntries(tables.all().map(({ name }) => [name, rowsOf(name)]))
}

/** Worlds behind their server, without a port. */
function openWorlds(options: ReadOptions = {}) {
  const faults: unknown[] = []
  const worlds = new Worlds({ settle: 'manual', clock: 'running', onFault: (error) => faults.push(error), ...options })
  const server = buildServer({ worlds })
  onTestFinished(async () => {
    await server.close()
    await worlds.close()
  })
  const send = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, key: string = randomUUID()) => {
    const headers = { authorization: `Bearer ${worlds.options.token}`, 'x-idempotency-key': key }
    const { statusCode, body } = await inject(server.listener, { method, url, headers, ...(payload && { payload }) })
    expect(statusCode, body).toBeLessThan(500)
    return JSON.parse(body).data
  }
  return { worlds, faults, send }
}

type Send = ReturnType<typeof openWorlds>['send']

const accountId = '01900000-0000-7000-8000-0000000000c1'

const uses: Readonly<Record<string, (send: Send, number: number) => Promise<unknown>>> = {
  pay: (send, n) =>
    send('POST', '/api/payments', {
      source_account_id: accountId,
      amount: 1 + n * 100,
      recipient_phone: `870000${String(1 + (n % 17)).padStart(2, '0')}`,
    }),
  account: (send, n) => send('POST', '/api/accounts', { currency: n % 2 ? 'CRC' : 'USD' }),
  subscribe: (send, n) =>
    send('POST', '/api/webhooks/subscriptions', { url: `http://127.0.0.1:9/${n % 3}`, events: ['payment.created'] }),
  credit: (send, n) => send('POST', '/_emulator/credits', { to: accountId, amount: n + 1 }),
  advance: (send, n) => send('POST', '/_emulator/clock/advance', { ms: n * 1000 }),
  freeze: (send) => send('POST', '/_emulator/clock/freeze'),
  unfreeze: (send) => send('POST', '/_emulator/clock/unfreeze'),
  rails: (send, n) => send('POST', '/_emulator/rails', { pin: n % 2 ? 'offline' : 'online' }),
  fees: (send, n) => send('POST', '/_emulator/fees', { sinpe_movil: n }),
  fx: (send, n) => send('POST', '/_emulator/fx', { bid: 500 + n / 100, ask: 600, offline: n % 2 === 0 }),
  user: (send, n) => send('POST', '/_emulator/users', { name: `U${n}`, phone: String(61_000_000 + n) }),
  token: (send, n) => send('POST', '/_emulator/tokens', { expires_in: n + 1 }),
  client: (send, n) =>
    send('POST', '/_emulator/oauth-clients', { name: `C${n}`, redirect_uris: ['http://localhost/cb'] }),
  register: (send, n) =>
    send('POST', '/_emulator/registry', { phone: String(71_000_000 + n), name: 'R', document_number: '0109990888' }),
  unregister: (send) => send('DELETE', '/_emulator/registry/87000001'),
  reset: (send) => send('POST', '/_emulator/reset'),
}

const anyUse = fc.array(fc.tuple(fc.constantFrom(...Object.keys(uses)), fc.nat(50)), { maxLength: 25 })

describe('a reset', () => {
  it.each(['in memory', 'in a file'])(
    'leaves a world %s as if it were new, whatever was done with it',
    async (place) => {
      const fresh = dump(openWorlds().worlds.current.database)
      const directory = await temporaryDirectory()
      await fc.assert(
        fc.asyncProperty(anyUse, fc.uuid(), async (steps, name) => {
          const data = place === 'in a file' ? { data: join(directory, name) } : {}
          const { worlds, send, faults } = openWorlds(data)
          for (const [use, number] of steps) await uses[use]?.(send, number)
          await send('POST', '/_emulator/reset')
          expect(dump(worlds.current.database)).toEqual(fresh)
          expect(worlds.current.database.connection.pragma('foreign_key_check')).toEqual([])
          expect(worlds.current.database.connection.pragma('foreign_keys', { simple: true })).toBe(1)
          expect(faults).toEqual([])
          expect(Math.abs(worlds.current.clock.now() - Date.now())).toBeLessThan(1000)
        }),
        { numRuns: full ? 25 : 4 },
      )
    },
  )

  it('starts all counters again', async () => {
    const { send, worlds } = openWorlds()
    const play = async () => {
      const { iban } = await send('POST', '/api/accounts', { currency: 'USD' })
      const { channel_reference } = await send('POST', '/api/payments', {
        source_account_id: accountId,
        amount: 100,
        recipient_phone: '87000001',
      })
      return { iban, sequence: channel_reference.slice(8) }
    }
    const first = await play()
    const second = await play()
    expect(second).not.toEqual(first)
    await worlds.reset()
    expect(await play()).toEqual(first)
  })

  it('goes back to the seed the world was made with', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const empty = openWorlds({ data, seed: 'empty' })
    await empty.worlds.close()
    const again = openWorlds({ data })
    await again.send('POST', '/api/accounts', { currency: 'CRC' })
    await again.worlds.reset()
    expect(again.worlds.current.settings.get('seed')).toBe('empty')
    expect(dump(again.worlds.current.database)).toMatchObject({ accounts: [], registry: [] })
  })

  it('makes another world, and only a reset does: every answer says which it is of', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const first = await startWorld({ data })
    const { world } = await first.steer('control.state')
    const ids = [undefined, 'nobody', first.emulator.token].flatMap((token) =>
      ['/api/user', '/api/nothing', '/oauth/authorize', '/openapi.json'].map(async (path) => {
        const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
        return (await fetch(`${first.emulator.baseUrl}${path}`, { headers })).headers.get(worldHeader)
      }),
    )
    expect(new Set(await Promise.all(ids))).toEqual(new Set([world]))
    await first.emulator.close()

    const second = await startWorld({ data })
    expect([second.emulator.worldId, (await second.steer('control.state')).world]).toEqual([world, world])
    const { headers, body } = await second.ask('control.reset')
    const next = (body.data as { readonly world: string }).world
    expect(next).not.toBe(world)
    expect(headers[worldHeader.toLowerCase()]).toBe(next)
    expect([second.emulator.worldId, (await startWorld()).emulator.worldId]).toEqual([
      next,
      expect.not.stringMatching(next),
    ])
  })

  it('survives a restart', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const first = await startWorld({ data })
    const before = await first.steer('control.state')
    await first.pay({ recipient_phone: '87000001' })
    await first.steer('control.reset')
    await first.emulator.close()
    const second = await startWorld({ data })
    const { clock: _, fx: __, world: ___, ...counts } = await second.steer('control.state')
    expect(before).toMatchObject(counts)
  })

  it('is there for a test in the same process', async () => {
    const { emulator, pay, client } = await startWorld()
    await pay({ recipient_phone: '87000001' })
    await emulator.control.reset()
    expect((await client.call('payments.history')).data).toEqual([])
    expect(emulator.control.checkLedger()).toMatchObject({ balanced: true, payments: 0 })
  })

  it('answers with the state it went back to', async () => {
    const { steer, pay, client } = await startWorld()
    const { clock: _, fx: __, world: ___, ...before } = await steer('control.state')
    await pay({ recipient_phone: '87000001' })
    await steer('control.rails.set', { body: { pin: 'offline' } })
    const { token } = await steer('control.tokens.mint', { body: {} })
    expect(await steer('control.reset')).toMatchObject(before)
    expect((await client.call('payments.history')).data).toEqual([])
    expect(JSON.stringify(await steer('control.tokens.list'))).not.toContain(token)
  })
})

describe('what was under way at a reset', () => {
  const subscribe = ({ client }: World, url: string) =>
    client.call('webhooks.create', { body: { url, events: ['transaction.received'] } })
  const credit = ({ steer, colones }: World) => steer('control.credits.create', { body: { to: colones, amount: 100 } })

  it('a payment on a timer, does not go on', async () => {
    const { steer, pay, client } = await startWorld({ settle: 30 })
    const old = await pay({ recipient_phone: '87000001' })
    await steer('control.reset')
    const { id } = await pay({ recipient_phone: '87000001' }) // ends later than the old payment would have ended
    await expect.poll(() => client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
    await expect(client.call('payments.get', { params: { id: old.id } })).rejects.toMatchObject({ status: 404 })
    expect(await steer('control.ledger')).toMatchObject({ balanced: true, payments: 1 })
  })

  it('a delivery whose receiver has not answered, is settled nowhere', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(null)
    await subscribe(world, receiver.url)
    await credit(world)
    await expect.poll(() => receiver.received).toHaveLength(1)
    await world.steer('control.reset')
    receiver.answer(200)
    await subscribe(world, receiver.url)
    const { id } = await credit(world)
    await world.steer('control.clock.advance', { body: { ms: 0 } })
    expect(receiver.received).toMatchObject([{}, { data: { id } }])
    const { data } = await world.steer('control.deliveries.list')
    expect(data).toMatchObject([{ id: 'whd_000000000001', attempts: 1, status: 'delivered' }])
  })

  it('deliveries that waited for another, are not sent', async () => {
    const { steer, pay, client } = await startWorld({ settle: 0 })
    const receiver = await startReceiver()
    receiver.answer(null)
    const events = ['payment.created', 'payment.processing', 'payment.completed'] as const
    await client.call('webhooks.create', { body: { url: receiver.url, events: [...events] } })
    await pay({ recipient_phone: '87000001' })
    await expect.poll(() => receiver.received).toHaveLength(1)
    await steer('control.reset')
    receiver.answer(200)
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.completed'] } })
    const { id } = await pay({ recipient_phone: '87000001' })
    await steer('control.clock.advance', { body: { ms: 0 } })
    expect(receiver.received.slice(1)).toMatchObject([{ event: 'payment.completed', data: { id } }])
  })

  it('an advance that waits for a receiver, ends without moving the new clock', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(null)
    await subscribe(world, receiver.url)
    await credit(world)
    const advancing = world.ask('control.clock.advance', { body: { ms: 1_000_000 } })
    await expect.poll(() => receiver.received).toHaveLength(1)
    const { clock } = await world.steer('control.reset')
    expect(clock.offset_ms).toBe(0)
    expect((await advancing).status).toBe(410)
    expect((await world.steer('control.clock.get')).offset_ms).toBe(0)
    expect(await world.steer('control.state')).toMatchObject({ subscriptions: { active: 0 }, ledger_balanced: true })
  })

  it('other resets, all end', async () => {
    const { steer, pay } = await startWorld()
    await pay({ recipient_phone: '87000001' })
    const before = await steer('control.state')
    await Promise.all(Array.from({ length: 5 }, () => steer('control.reset')))
    expect((await steer('control.state')).payments).toEqual({ ...before.payments, pending: 0 })
  })
})

describe('a world after another world', () => {
  const inWorld = (send: Send, world: string): Send => {
    let calls = 0
    return (method, url, payload) => send(method, `/w/${world}${url}`, payload, `key-${++calls}`)
  }

  /**
   * Makes a world and uses the world in every way. `earlier`: uses of another world, which ended before; null: there
   * was none.
   */
  async function laterWorld({ earlier }: { readonly earlier: readonly (readonly [string, number])[] | null }) {
    const options = { clock: '2026-01-01T00:00:00Z', rngSeed: 'same', machineTime: new ManualTime(1e12) } as const
    const { worlds, send, faults } = openWorlds(options)
    if (earlier) {
      await send('POST', '/_emulator/worlds', { name: 'earlier' })
      const sendEarlier = inWorld(send, 'earlier')
      for (const [use, number] of earlier) await uses[use]?.(sendEarlier, number)
      await send('DELETE', '/_emulator/worlds/earlier')
    }
    await send('POST', '/_emulator/worlds', { name: 'later' })
    const others = Object.keys(uses).filter((use) => use !== 'reset') // a reset would open another connection
    const sendLater = inWorld(send, 'later')
    for (const [number, use] of others.entries()) await uses[use]?.(sendLater, number)
    expect(faults).toEqual([])
    const { changes, connection } = worlds.find('later').world.database
    const written = connection.prepare<[], number>('SELECT total_changes()').pluck().get() ?? 0
    return { changes, connection, image: imageOf(connection), isReused: written > changes }
  }

  it('is the same, byte for byte, as if there had been no other', async () => {
    const fresh = await laterWorld({ earlier: null })
    expect(fresh.isReused).toBe(false)
    await fc.assert(
      fc.asyncProperty(anyUse, async (earlier) => {
        const { changes, connection, image, isReused } = await laterWorld({ earlier })
        expect(isReused).toBe(true)
        expect(changes).toBe(fresh.changes)
        expect(image.equals(fresh.image)).toBe(true)
        expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
      }),
      { numRuns: full ? 50 : 6 },
    )
  })
})
