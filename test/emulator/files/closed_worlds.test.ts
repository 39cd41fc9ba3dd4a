import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { settingOf } from '../../../emulator/chaos/setting.ts'
import { demo } from '../../../emulator/worlds/seed.ts'
import type { ReadOptions } from '../../../emulator/worlds/world_options.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import type { SeedFile } from '../../../src/contract/index.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/testing/index.ts'
import { openWorld } from '../../conformance/targets/inject.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { ManualTime } from '../../support/manual_time.ts'
import { startReceiver } from '../control/receiver.ts'
import { newFolder } from '../store/folder.ts'

const minute = 60_000

async function start(worlds: string, options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ worlds, settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** The answer of a world to a request for its accounts. */
const accounts = ({ baseUrl, token }: Emulator, name: string): Promise<Response> =>
  fetch(`${baseUrl}/w/${name}/api/accounts`, { headers: { Authorization: `Bearer ${token}` } })

const health = async ({ baseUrl }: Emulator) =>
  ((await (await fetch(`${baseUrl}/_emulator/health`)).json()) as { data: { worlds: object } }).data.worlds

const statusOf = async (emulator: Emulator): Promise<object> =>
  Object.fromEntries((await emulator.control.worlds.list()).data.map(({ name, status }) => [name, status]))

/** Worlds of a folder in this process; the test moves the machine's time. */
function open(folder: string, time: ManualTime, options: ReadOptions = {}) {
  const faults: unknown[] = []
  const worlds = new Worlds({ worlds: folder, machineTime: time, onFault: (error) => faults.push(error), ...options })
  onTestFinished(() => worlds.close())
  const isOpen = (name: string) => worlds.all().some((live) => live.name === name)
  return { worlds, faults, isOpen }
}

/** A seed with a payment under way, and a subscription to its completion. */
const subscribed = (url: string): SeedFile => ({
  extends: 'demo',
  subscriptions: [{ url, events: ['payment.completed'] }],
  payments: [{ account: demo.accounts[0].id, to: '87000001', amount: 100, status: 'pending' }],
})

const newTime = () => new ManualTime(Date.UTC(2026, 0, 5))

/** Posts to an emulator without a port, and returns the data of a 201 answer. */
const posterOf =
  ({ token, exchange }: Awaited<ReturnType<typeof openWorld>>) =>
  async (url: string, body: object, more = {}) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...more }
    const { status, text } = await exchange({ method: 'POST', url, headers, payload: JSON.stringify(body) })
    expect([url, status]).toEqual([url, 201])
    return JSON.parse(text).data
  }

describe('worlds of a folder', () => {
  it('are not opened at the start, and answer their first request as they were', async () => {
    const folder = newFolder()
    const first = await start(folder)
    for (const name of ['a', 'b', 'c']) {
      const world = await first.world({ name })
      await world.control.credits.create({ to: '88001234', amount: name.charCodeAt(0) })
    }
    await first.close()

    const again = await start(folder)
    expect(await health(again)).toEqual({ open: 1, closed: 3, broken: 0 })
    const listed = (await again.control.worlds.list()).data
    expect(listed.map(({ name }) => name)).toEqual(['c', 'b', 'a', 'default'])
    expect(listed[0]).toMatchObject({ status: 'live', open: false, made_from: { seed: 'demo' }, requests: 1 })
    expect((await again.control.worlds.get({ name: 'b' })).accounts[0]?.balance).toBe(250_000_098)
    expect(await health(again)).toEqual({ open: 2, closed: 2, broken: 0 })
    expect((await accounts(again, 'c')).status).toBe(200)
    expect((await accounts(again, 'd')).status).toBe(404)
  })

  it('whose file can’t be used are answered 503 with the reason; all others work', async () => {
    const folder = newFolder()
    const first = await start(folder)
    for (const name of ['a', 'b', 'c', 'd']) await first.world({ name })
    await first.control.snapshots.create({ name: 'good' })
    await first.control.snapshots.create({ name: 'bad' })
    await first.close()
    const file = (name: string) => join(folder, `${name}.sqlite`)
    copyFileSync(file('a'), join(folder, 'a.copy'))
    writeFileSync(file('a'), 'dear diary')
    chmodSync(file('b'), 0o666)
    rmSync(file('d'))
    writeFileSync(join(folder, 'snapshots', 'bad.sqlite'), 'dear diary')

    const notices: string[] = []
    const again = await start(folder, { onNotice: (text) => notices.push(text) })
    const answer = await accounts(again, 'a')
    expect(answer.status).toBe(503)
    const message = `World a can’t be opened. ${file('a')} was not made by payctl emulate; it was left unchanged. Replace the file (the next request opens it again), or remove the file to end the world.`
    expect(await answer.json()).toMatchObject({ success: false, message, data: null })
    await accounts(again, 'a')
    expect(notices).toEqual([`The w${message.slice(1)}`])
    expect((await accounts(again, 'b')).status).toBe(503)
    expect((await accounts(again, 'c')).status).toBe(200)
    expect((await accounts(again, 'd')).status).toBe(404)
    expect(await health(again)).toEqual({ open: 2, closed: 0, broken: 2 })
    expect(await statusOf(again)).toEqual({ a: 'broken', b: 'broken', c: 'live', default: 'live' })
    await again.world({ name: 'e', from: { snapshot: 'good' } })
    await expect(again.world({ name: 'f', from: { snapshot: 'bad' } })).rejects.toThrow('Snapshot bad can’t be read: ')

    renameSync(join(folder, 'a.copy'), file('a'))
    chmodSync(file('b'), 0o600)
    expect((await accounts(again, 'a')).status).toBe(200)
    expect((await accounts(again, 'b')).status).toBe(200)
  })

  it('are closed when nobody has used them for a minute, and opened by the next request', async () => {
    const time = newTime()
    const { worlds, isOpen } = open(newFolder(), time)
    const { world } = await worlds.create({ name: 'a' })
    time.advance(minute - 1)
    worlds.use('a')
    time.advance(minute - 1)
    expect(isOpen('a')).toBe(true)
    time.advance(1)
    expect(isOpen('a')).toBe(false)
    expect(worlds.find('a').world.id).toBe(world.id)
    expect(isOpen('default')).toBe(true)
  })

  it('stay open while somebody uses them or they have a fault rule', async () => {
    const time = newTime()
    const { worlds, isOpen } = open(newFolder(), time)
    for (const name of ['a', 'b', 'c']) await worlds.create({ name })
    const release = worlds.hold('a')
    worlds.find('b').world.faults.add({ endpoint: 'accounts.list', fault: 'status', status: 500 } as never)
    time.advance(2 * minute)
    await turn()
    expect(['a', 'b', 'c'].filter(isOpen)).toEqual(['a', 'b'])
    release()
    time.advance(minute)
    expect(['a', 'b', 'c'].filter(isOpen)).toEqual(['b'])
  })

  it('stay open while a rate limit or an answer of a receiver is set, which their files do not contain', async () => {
    const time = newTime()
    const { worlds, isOpen } = open(newFolder(), time)
    for (const name of ['a', 'b', 'c']) await worlds.create({ name })
    worlds.find('a').world.rateLimits.limit = 10
    worlds.find('b').world.receivers.answer('hook', { status: 500 })
    worlds.find('c').world.receivers.answer('hook', {})
    time.advance(2 * minute)
    expect(['a', 'b', 'c'].filter(isOpen)).toEqual(['a', 'b'])
    worlds.find('a').world.rateLimits.limit = worlds.options.rateLimit
    worlds.find('b').world.receivers.answer('hook', { status: 200 })
    time.advance(2 * minute)
    expect(['a', 'b', 'c'].filter(isOpen)).toEqual([])
  })

  it('stay open while they keep moments that were asked for, or none where all others keep them', async () => {
    const time = newTime()
    const plain = open(newFolder(), time)
    for (const name of ['a', 'b']) await plain.worlds.create({ name })
    plain.worlds.find('a').world.moments.keep(1000)
    const kept = open(newFolder(), time, { moments: 1 })
    for (const name of ['a', 'b']) await kept.worlds.create({ name })
    kept.worlds.find('a').world.moments.stop()
    time.advance(2 * minute)
    expect(['a', 'b'].filter(plain.isOpen)).toEqual(['a'])
    expect(['a', 'b'].filter(kept.isOpen)).toEqual(['a'])
    plain.worlds.find('a').world.moments.stop()
    time.advance(2 * minute)
    expect(plain.isOpen('a')).toBe(false)
  })

  it('stay open if they have their own chaos, or none where all others have it', async () => {
    const time = newTime()
    const chaos = settingOf({ seed: 7, profile: 'mild' })
    const calm = open(newFolder(), time)
    await calm.worlds.create({ name: 'a', chaos })
    await calm.worlds.create({ name: 'b', chaos: null })
    const wild = open(newFolder(), time, { chaos })
    await wild.worlds.create({ name: 'a', chaos: null })
    await wild.worlds.create({ name: 'b' })
    time.advance(2 * minute)
    expect(['a', 'b'].filter(calm.isOpen)).toEqual(['a'])
    expect(['a', 'b'].filter(wild.isOpen)).toEqual(['a'])
    expect(calm.worlds.find('a').world.chaos).not.toBeNull()
    expect(wild.worlds.find('a').world.chaos).toBeNull()
  })

  it('are at most as many as may be open; the one used longest ago is closed first', async () => {
    const time = newTime()
    const { worlds, isOpen } = open(newFolder(), time, { openWorlds: 3 })
    for (const name of ['a', 'b', 'c']) {
      await worlds.create({ name })
      time.advance(1)
      await turn()
    }
    expect(['a', 'b', 'c'].filter(isOpen)).toEqual(['b', 'c'])
    worlds.use('b')
    time.advance(1)
    await turn()
    worlds.find('a')
    expect(['a', 'b', 'c'].filter(isOpen)).toEqual(['a', 'b'])
    worlds.hold('a')
    worlds.hold('b')
    expect(() => worlds.find('c')).toThrow('3 worlds are open, which is the limit, and all are in use. Try again')
  })

  it('wait a second with their work while all open ones are in use', async () => {
    const [folder, time] = [newFolder(), newTime()]
    const first = open(folder, time, { openWorlds: 2 })
    await first.worlds.create({ name: 'a' })
    await first.worlds.close()
    copyFileSync(join(folder, 'a.sqlite'), join(folder, 'b.sqlite'))
    const { worlds, isOpen } = open(folder, time, { openWorlds: 2 })
    worlds.find('a')
    const release = worlds.hold('a')
    time.advance(900)
    expect([isOpen('a'), isOpen('b')]).toEqual([true, false])
    release()
    await turn()
    time.advance(1000)
    expect([isOpen('a'), isOpen('b')]).toEqual([false, true])
  })

  it('stay open for a request that needs two of them', async () => {
    const opened = await openWorld({ worlds: newFolder(), openWorlds: 4 })
    onTestFinished(() => opened.close())
    const json = { 'content-type': 'application/json' }
    const ask = async (method: string, url: string, body?: object) => {
      await turn()
      const payload = body && { payload: JSON.stringify(body) }
      return (await opened.exchange({ method, url, headers: body ? json : {}, ...payload })).status
    }
    await ask('POST', '/_emulator/worlds', { name: 'a' })
    for (const name of ['b', 'c', 'd', 'e']) {
      expect(await ask('POST', '/_emulator/worlds', { name, from: { world: 'a' } })).toBe(201)
    }
    for (const pair of ['world=a&world=b', 'world=c&world=d', 'world=e&world=a', 'world=b&world=c']) {
      expect(await ask('GET', `/_emulator/compare?${pair}`)).toBe(200)
    }
  })

  it('do their work when it is due, though nobody looks', async () => {
    const time = newTime()
    const receiver = await startReceiver()
    const opened = await openWorld({ worlds: newFolder(), machineTime: time, settle: 5 * minute })
    onTestFinished(() => opened.close())
    const post = posterOf(opened)
    const { accounts } = await post('/_emulator/worlds', { name: 'a' })
    await post('/w/a/api/webhooks/subscriptions', { url: receiver.url, events: ['payment.completed'] })
    const payment = { source_account_id: accounts[0].id, recipient_phone: '87000001', amount: 1000 }
    await post('/w/a/api/payments', payment, { 'x-idempotency-key': 'k' })
    const count = async () =>
      JSON.parse((await opened.exchange({ method: 'GET', url: '/_emulator/health', headers: {} })).text).data.worlds
    time.advance(2 * minute)
    expect(await count()).toEqual({ open: 1, closed: 1, broken: 0 })
    time.advance(3 * minute)
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(await count()).toEqual({ open: 2, closed: 0, broken: 0 })
  })

  it('let a delivery be overtaken as its fault says, although they were closed meanwhile', async () => {
    const time = newTime()
    const receiver = await startReceiver()
    const opened = await openWorld({ worlds: newFolder(), machineTime: time, settle: 1000, openWorlds: 2 })
    onTestFinished(() => opened.close())
    const post = posterOf(opened)
    const { accounts } = await post('/_emulator/worlds', { name: 'a' })
    await post('/w/a/api/webhooks/subscriptions', { url: receiver.url, events: ['payment.completed'] })
    await post('/w/a/_emulator/faults', { event: 'payment.completed', fault: 'reorder' })
    const pay = async (key: string) => {
      const payment = { source_account_id: accounts[0].id, recipient_phone: '87000001', amount: 1000 }
      const { id } = await post('/w/a/api/payments', payment, { 'x-idempotency-key': key })
      time.advance(1000)
      await turn()
      return id
    }
    const first = await pay('1')
    // Closes the file of `a`, because only one world besides the default world may be open.
    await post('/_emulator/worlds', { name: 'b' })
    const second = await pay('2')
    await expect.poll(() => receiver.received.map(({ data }) => data.id)).toEqual([second, first])
  })

  it('keep a revoked token and changed settings when they are opened again, although the options differ', async () => {
    const time = newTime()
    const { worlds, isOpen } = open(newFolder(), time, { maintenance: { pin: ['02:00-03:00'] } })
    const { database, store, settings, clock } = (await worlds.create({ name: 'a' })).world
    const { id = 0 } = store.tokens.find(worlds.options.token) ?? {}
    database.write(() => {
      store.tokenRecords.revoke(id, clock.now())
      settings.set('maintenance', { pin: [], sinpe_movil: [] })
    })
    await database.settled
    time.advance(2 * minute)
    expect(isOpen('a')).toBe(false)
    const { world } = worlds.find('a')
    expect(world.store.tokens.find(worlds.options.token)?.revoked_at).not.toBeNull()
    expect(world.settings.get('maintenance').pin).toEqual([])
  })

  it('repeat a delivery whose result could not be stored, even if their clocks stand still', async () => {
    const time = newTime()
    const receiver = await startReceiver()
    const frozen = { openWorlds: 2, settle: 'manual', clock: '2026-01-05T00:00:00Z' } as const
    const { worlds, isOpen } = open(newFolder(), time, frozen)
    const { world } = await worlds.create({ name: 'a', from: { seed: subscribed(receiver.url) } })
    world.database.connection.exec(
      `CREATE TEMP TRIGGER trouble BEFORE UPDATE ON deliveries BEGIN SELECT raise(ABORT, 'no room'); END`,
    )
    await expect(world.advanceClock(5000)).rejects.toThrow('no room')
    await worlds.create({ name: 'b' })
    expect([isOpen('a'), receiver.received.length]).toEqual([false, 1])
    time.advance(1)
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(isOpen('a')).toBe(true)
  })

  it('repeat the deliveries that a stop of the emulator has interrupted', async () => {
    const [folder, time] = [newFolder(), newTime()]
    const receiver = await startReceiver()
    receiver.answer(null)
    const first = open(folder, time)
    await first.worlds.create({ name: 'a', from: { seed: subscribed(receiver.url) } })
    time.advance(5000)
    await expect.poll(() => receiver.received.length).toBe(1)
    await first.worlds.close()
    open(folder, time)
    time.advance(1)
    await expect.poll(() => receiver.received.length).toBe(2)
  })

  it('expire while their files are closed', async () => {
    const folder = newFolder()
    const time = newTime()
    const { worlds, isOpen } = open(folder, time)
    await worlds.create({ name: 'a', ttl: 5 * minute })
    time.advance(2 * minute)
    expect([isOpen('a'), worlds.isClosed('a')]).toEqual([false, true])
    time.advance(4 * minute)
    await turn()
    expect([isOpen('a'), worlds.isClosed('a')]).toEqual([false, false])
    expect(() => worlds.find('a')).toThrow('it had been idle for longer than its ttl')
    await turn()
    expect(existsSync(join(folder, 'a.sqlite'))).toBe(false)
  })

  it('that were open in a killed process are opened soon, because their work is not known', async () => {
    const folder = newFolder()
    const killed = await startEmulate(['--worlds', folder])
    await fetch(`${killed.ready.base_url}/_emulator/worlds`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'a' }),
    })
    await killed.kill()
    const time = new ManualTime(Date.now())
    const { worlds, isOpen } = open(folder, time)
    expect(worlds.closed().map(({ name, facts }) => [name, facts])).toEqual([['a', null]])
    time.advance(1)
    expect(isOpen('a')).toBe(true)
    expect(statSync(join(folder, 'index.db')).mode & 0o077).toBe(0)
  })

  it('are found again without the index', async () => {
    const folder = newFolder()
    const first = await start(folder)
    await first.world({ name: 'a' })
    await first.close()
    writeFileSync(join(folder, 'index.db'), 'dear diary')
    const again = await start(folder)
    expect((await accounts(again, 'a')).status).toBe(200)
  })
})
