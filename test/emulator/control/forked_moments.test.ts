import { hash } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ControlCalls } from '../../../emulator/index.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import type { CreatedWorld } from '../../../src/contract/index.ts'
import { full } from '../../support/full.ts'
import { ManualTime } from '../../support/manual_time.ts'
import { randomNumbers } from '../random_numbers.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const phones = ['87000001', '87000002', '87000006', '87000007', '88005678'] as const

/** Settings in which a copy may differ from its world, including the time of its clock. */
const ownSettings = ['id', 'series', 'lineage', 'clock', 'exported_at', 'kept']

/** Offsets of header fields in an SQLite file that depend on how the file was written, not on its content. */
const counters = [24, 28, 40, 44, 92, 96]

/** A hash of a world's tables, the time of its clock, its ledger, and the timeline of its newest payment. */
async function stateOf(control: ControlCalls) {
  const file = new Sqlite(Buffer.from(await control.export()))
  const forget = file.prepare<[string]>('DELETE FROM settings WHERE name = ?')
  for (const name of ownSettings) forget.run(name)
  const payment = file.prepare<[], string>('SELECT id FROM payments ORDER BY seq DESC LIMIT 1').pluck().get()
  // Orders the rows, and removes the free pages of deleted rows.
  file.exec('VACUUM')
  const bytes = file.serialize()
  for (const at of counters) bytes.writeUInt32BE(0, at)
  file.close()
  const timeline = payment === undefined ? [] : await control.timeline({ id: payment })
  return {
    tables: hash('sha256', bytes),
    clock: (await control.clock.get()).now,
    ledger: await control.ledger(),
    // The request log is not part of a fork, and a fork numbers its deliveries in its own series.
    timeline: timeline.filter(({ kind }) => !['request', 'clock'].includes(kind)).map(({ id, ...entry }) => entry),
  }
}

const newest = async (control: ControlCalls) => (await control.moments.list({ per_page: 1 })).data[0]?.id ?? ''

/** An action in a busy world; `n` is random. The emulator may refuse the action. */
async function act({ client, ask, pay, colones, dollars }: World, n: number): Promise<unknown> {
  const to = { recipient_phone: phones[n % phones.length] ?? '' }
  switch (n % 14) {
    case 0:
      return Promise.all([pay(to, 100), pay(to, 200), pay({ recipient_phone: '87000001' }, 300)])
    case 1:
      return ask('control.credits.create', { body: { to: colones, amount: n } })
    case 2:
      return ask('control.fees.set', { body: { pin: n } })
    case 3:
      return ask('control.clock.advance', { body: { ms: (n % 90) * 1000 } })
    case 4:
      return ask('control.tokens.mint', { body: { scopes: ['read-user'] } })
    case 5: {
      const { id } = await client.call('webhooks.create', {
        body: { url: `http://127.0.0.1:9/${n}`, events: ['payment.completed'], max_attempts: 3, timeout: 5 },
      })
      return n % 2 === 0 ? client.call('webhooks.delete', { params: { id } }) : undefined
    }
    case 6:
      return ask('control.rails.set', { body: { pin: n % 2 === 0 ? 'offline' : 'online' } })
    case 7:
      return ask('control.registry.add', {
        body: { phone: `7${String(n).padStart(7, '0').slice(-7)}`, name: 'Ñandú', document_number: '0109990888' },
      })
    case 8:
      return client.call('accounts.create', { body: { currency: 'CRC' } })
    case 9:
      return ask('control.credits.schedule', { body: { to: dollars, amount: n, after_ms: 30_000 } })
    case 10:
      return ask('control.rateLimit.set', { body: { limit: 20 + (n % 50) } })
    case 11:
      return ask('control.faults.add', { body: { endpoint: 'payments.create', status: 500, probability: 0.3 } })
    default:
      return pay(to, n)
  }
}

/**
 * Continues a fork: payments with new and known keys, a subscription with its secret, faults drawn from the world's
 * random values, more requests than the rate limit allows, and a move of the clock. Returns all answers, byte for byte
 * except for the id of the world and the distance of its clock from the machine's clock.
 */
async function goOn({ base_url, token, accounts }: CreatedWorld): Promise<readonly string[]> {
  const [source] = accounts
  const answers: string[] = []
  const ask = async (method: string, path: string, body?: unknown, key?: string) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'X-Idempotency-Key': key }),
    }
    const answer = await fetch(`${base_url}${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    } as RequestInit)
    const named = [...answer.headers].filter(([name]) => name !== 'x-emulator-world')
    answers.push(
      `${method} ${path}: ${answer.status} ${JSON.stringify(named)} ${(await answer.text()).replace(/"offset_ms":-?\d+/, '')}`,
    )
  }
  const pay = (key: string, phone: string) =>
    ask('POST', '/api/payments', { source_account_id: source?.id, recipient_phone: phone, amount: 1234 }, key)
  await ask('POST', '/api/webhooks/subscriptions', { url: 'http://127.0.0.1:9/next', events: ['payment.completed'] })
  for (const key of ['a', 'a', 'b']) await pay(key, '87000001')
  await ask('POST', '/_emulator/faults', { endpoint: 'payments.create', status: 500, probability: 0.5 })
  for (const key of ['c', 'd', 'e', 'f', 'g', 'h']) await pay(key, '87000002')
  await ask('POST', '/_emulator/clock/advance', { ms: 90_000 })
  await ask('POST', '/_emulator/rate-limit', { limit: 3 })
  for (let round = 0; round < 5; round += 1) await ask('GET', '/api/accounts')
  await ask('GET', '/_emulator/ledger')
  await ask('GET', '/_emulator/faults')
  return answers
}

describe('a fork of a moment', () => {
  it('is the world as it was then, byte for byte, and goes on as a fork made then', { timeout: 300_000 }, async () => {
    const world = await startWorld({
      settle: { from: 1000, to: 60_000 },
      rngSeed: 'moments',
      clock: '2026-01-05T12:00:00Z',
      moments: 64,
    })
    const { emulator } = world
    const receiver = await startReceiver()
    await world.client.call('webhooks.create', {
      body: { url: receiver.url, events: ['payment.completed', 'payment.failed'], max_attempts: 3, timeout: 10 },
    })
    /** Answers and final state of a fork, which then ends. */
    const continued = async (made: CreatedWorld) => {
      const answers = await goOn(made)
      const control = emulator.controlOf(made.name)
      const { tables, ...state } = await stateOf(control)
      await world.steer('control.worlds.delete', { params: { name: made.name } })
      const timeline = state.timeline.map(({ duration_ms, ...entry }) => entry)
      return { answers, state: { ...state, timeline } }
    }
    const next = randomNumbers(7)
    const random = (below: number) => Math.floor(next() * below)
    const count = full ? 80 : 30
    type Then = { state: Awaited<ReturnType<typeof stateOf>>; fork: Awaited<ReturnType<typeof continued>> }
    const then = new Map<string, Then>()
    for (let round = 0; then.size < count && round < 3 * count; round += 1) {
      await act(world, random(100_000)).catch(() => {})
      const moment = await newest(emulator.control)
      if (then.has(moment)) continue
      const state = await stateOf(emulator.control)
      const { made } = await world.make({ name: 'fork', rng_stream: moment, from: { world: 'default' } })
      then.set(moment, { state, fork: await continued(made) })
    }
    expect(then.size).toBe(count)
    for (const [moment, { state, fork }] of [...then].sort(() => random(3) - 1)) {
      const { made } = await world.make({ name: 'fork', rng_stream: moment, from: { moment } })
      expect(made.forked_from).toMatchObject({ world: 'default', moment })
      expect(await stateOf(emulator.controlOf(made.name)), moment).toEqual(state)
      expect(await continued(made), moment).toEqual(fork)
    }
    const all = [...then.values()].flatMap(({ fork }) => fork.answers)
    for (const status of [201, 429, 500]) expect(all.some((answer) => answer.includes(`: ${status} `))).toBe(true)
    expect(all.some((answer) => answer.includes('idempotent-replayed'))).toBe(true)
  })

  it.each([
    ['runs', 1, false],
    ['runs ten times as fast', 10, false],
    ['is frozen', 1, true],
  ])('has the time of the moment on a clock that %s, however much later it is made', async (_, speed, isFrozen) => {
    const time = new ManualTime(Date.UTC(2026, 0, 5))
    const worlds = new Worlds({ machineTime: time, moments: 8, clock: 'running' })
    onTestFinished(() => worlds.close())
    const { world } = worlds.find('default')
    await world.setClockSpeed(speed)
    if (isFrozen) await world.freezeClock()
    time.advance(7000)
    world.database.write(() => world.settings.set('spread', 0.1))
    await world.database.settled
    const moment = `m${world.moments.current}`
    const then = await worlds.create({ from: { world: 'default' } })
    const [made, setting] = [then.world.clock.now(), then.world.clock.setting]
    time.advance(3_600_000)
    const back = await worlds.create({ from: { world: 'default', moment } })
    expect(back.world.clock.now()).toBe(made)
    expect(back.world.clock).toMatchObject({ frozen: isFrozen, speed: setting.speed ?? 1 })
    time.advance(1000)
    expect(back.world.clock.now()).toBe(made + (isFrozen ? 0 : 1000 * speed))
  })
})
