import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { newFolder } from '../store/folder.ts'
import { startWorld, type World, type WorldUnderTest, worldAt } from './world.ts'

const carlos = { recipient_phone: '87000001' }
const pinPayee = { recipient_iban: 'CR73015100100000000001' }

/** Saturday, 06:00 in Costa Rica's time. */
const saturday = '2030-01-05T12:00:00Z'
const startFrozen = () => startWorld({ clock: saturday })

const hour = 3_600_000
const advance = ({ steer }: WorldUnderTest, ms: number) => steer('control.clock.advance', { body: { ms } })
const paymentIn = ({ client }: WorldUnderTest, id: string) => client.call('payments.get', { params: { id } })

/** Sets the timetable of SINPE Móvil. */
const schedule = ({ steer }: WorldUnderTest, windows: string[], underWay?: 'hang' | 'timeout' | 'complete') =>
  steer('control.rails.set', {
    body: { maintenance: { sinpe_movil: windows }, ...(underWay && { under_way: { sinpe_movil: underWay } }) },
  })

/** Hours of the next days when SINPE Móvil is offline, as `sat 07`. */
async function hoursOffline({ emulator: { control } }: World, days: number): Promise<string[]> {
  const offline: string[] = []
  for (let count = 0; count < days * 24; count++) {
    const { sinpe_movil } = await control.rails.get()
    const local = new Date(Date.parse((await control.clock.get()).now) - 6 * hour)
    const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][local.getUTCDay()]
    if (sinpe_movil === 'offline') offline.push(`${day} ${local.toISOString().slice(11, 13)}`)
    await control.advanceClock(hour)
  }
  return offline
}

describe('a rail with a timetable', () => {
  it.each([
    [['07:00-09:00'], 2, ['sat 07', 'sat 08', 'sun 07', 'sun 08']],
    [['sun 22:00-01:00'], 3, ['sun 22', 'sun 23', 'mon 00']],
    [['sat-mon 10:00-11:00'], 8, ['sat 10', 'sun 10', 'mon 10', 'sat 10']],
    [['sat 23:00-24:00', 'sun 00:00-02:00', 'sun 01:00-03:00'], 2, ['sat 23', 'sun 00', 'sun 01', 'sun 02']],
    [['tue 12:00-12:00'], 5, [...hours('tue', 12, 24), ...hours('wed', 0, 12)]],
  ])('%j is offline in its windows, in Costa Rica’s time', async (windows, days, offline) => {
    const world = await startFrozen()
    await schedule(world, windows)
    expect(await hoursOffline(world, days)).toEqual(offline)
  })

  it('says so where rails are shown, and when its maintenance ends', async () => {
    const world = await startFrozen()
    const windows = ['sat 07:00-08:00', '08:00-08:30']
    const before = await schedule(world, windows)
    expect(before).toMatchObject({ sinpe_movil: 'online', maintenance_until: { pin: null, sinpe_movil: null } })
    await advance(world, hour - 1)
    expect(await world.steer('control.rails.get')).toEqual(before)

    await advance(world, 1)
    const { rails } = await world.steer('control.state')
    expect(rails).toEqual({
      pin: 'online',
      sinpe_movil: 'offline',
      under_way: { pin: 'complete', sinpe_movil: 'complete' },
      maintenance: { pin: [], sinpe_movil: windows },
      maintenance_until: { pin: null, sinpe_movil: '2030-01-05T14:30:00.000000Z' },
    })
    expect(await world.client.call('payments.serviceStatus')).toMatchObject({
      sinpe_service: { available: false, status: 'offline' },
      overall_status: 'partial',
    })
    expect((await world.pay(carlos)).status).toBe('service_unavailable')
    expect((await world.pay(pinPayee)).status).toBe('pending')
    const credit = await world.ask('control.credits.create', { body: { to: '88001234', amount: 100 } })
    expect(credit).toMatchObject({ status: 409, body: { message: 'The payment rail is offline' } })

    await advance(world, 1.5 * hour)
    expect(await world.steer('control.rails.get')).toEqual(before)
    expect((await world.pay(carlos)).status).toBe('pending')
  })

  it('begins and ends a window at the right times when the clock moves past both', async () => {
    const world = await startFrozen()
    await schedule(world, ['07:00-08:00'], 'hang')
    await advance(world, hour - 700)
    const submitted = await world.pay(carlos)
    await advance(world, 600)
    const pending = await world.pay(carlos)
    const later = await world.steer('control.clock.advance', { body: { ms: 5 * hour } })

    expect(later.now).toBe('2030-01-05T17:59:59.900Z')
    expect(await paymentIn(world, submitted.id)).toMatchObject({
      status: 'completed',
      submitted_at: '2030-01-05T12:59:59.000000Z',
      completed_at: '2030-01-05T14:00:00.000000Z',
    })
    expect(await paymentIn(world, pending.id)).toMatchObject({
      status: 'completed',
      submitted_at: '2030-01-05T14:00:00.000000Z',
      completed_at: '2030-01-05T14:00:00.000000Z',
    })
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, unfinished: 0 })
  })

  it('ends or completes payments in progress, like a rail that is put offline', async () => {
    for (const [underWay, ends] of [
      ['timeout', ['timeout', 'service_unavailable']],
      ['complete', ['completed', 'completed']],
    ] as const) {
      const world = await startFrozen()
      await schedule(world, ['07:00-08:00'], underWay)
      await advance(world, hour - 600)
      const submitted = await world.pay(carlos)
      await advance(world, 500)
      const pending = await world.pay(carlos)
      await advance(world, 5000)
      const statuses = [submitted, pending].map(async ({ id }) => (await paymentIn(world, id)).status)
      expect(await Promise.all(statuses)).toEqual(ends)
    }
  })

  it('leaves a world idle: only payments that hang make the end of a window a step', async () => {
    const world = await startFrozen()
    await schedule(world, ['07:00-08:00'], 'hang')
    await advance(world, hour - 100)
    expect(await world.steer('control.clock.runUntilIdle', { body: {} })).toMatchObject({
      idle: true,
      now: '2030-01-05T12:59:59.900Z',
    })
    await world.pay(carlos)
    expect(await world.steer('control.clock.runUntilIdle', { body: {} })).toMatchObject({
      idle: true,
      now: '2030-01-05T14:00:00.000Z',
    })
  })

  it('lets payments that hang go on as soon as the timetable is taken away', async () => {
    const world = await startFrozen()
    await schedule(world, ['07:00-08:00'], 'hang')
    await advance(world, hour - 100)
    const { id } = await world.pay(carlos)
    await advance(world, 60_000)
    expect((await paymentIn(world, id)).status).toBe('pending')
    expect(await schedule(world, [])).toMatchObject({ sinpe_movil: 'online', under_way: { sinpe_movil: 'complete' } })
    await advance(world, 0)
    expect((await paymentIn(world, id)).status).toBe('completed')
  })

  it('is online only if both the timetable and the last command allow it', async () => {
    const world = await startFrozen()
    const put = (sinpe_movil: 'online' | 'offline') => world.steer('control.rails.set', { body: { sinpe_movil } })
    await schedule(world, ['07:00-08:00'], 'hang')
    await put('offline')
    await advance(world, 3 * hour)
    expect(await world.steer('control.rails.get')).toMatchObject({
      sinpe_movil: 'offline',
      under_way: { sinpe_movil: 'hang' },
      maintenance_until: { sinpe_movil: null },
    })
    expect(await put('online')).toMatchObject({ sinpe_movil: 'online', under_way: { sinpe_movil: 'hang' } })
    await advance(world, 22 * hour)
    const { sinpe_movil, maintenance_until } = await put('online')
    expect([sinpe_movil, maintenance_until.sinpe_movil]).toEqual(['offline', '2030-01-06T14:00:00.000000Z'])
    await advance(world, hour)
    expect(await world.steer('control.rails.get')).toMatchObject({ sinpe_movil: 'online' })
  })

  it.each([
    [['25:00-26:00'], 'maintenance.sinpe_movil.0'],
    [['7:00-8:00'], 'maintenance.sinpe_movil.0'],
    [['domingo 22:00-23:30'], 'maintenance.sinpe_movil.0'],
    [['00:00-24:00'], 'maintenance.sinpe_movil'],
    [['12:00-12:00'], 'maintenance.sinpe_movil'],
    [['06:00-20:00', '19:00-06:00'], 'maintenance.sinpe_movil'],
  ])('%j is refused', async (sinpe_movil, field) => {
    const { ask, steer } = await startWorld()
    const before = await steer('control.rails.get')
    const { status, body } = await ask('control.rails.set', { body: { maintenance: { sinpe_movil } } })
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] })
    expect(await steer('control.rails.get')).toEqual(before)
  })

  it('is so in a fork, in a snapshot, and in a world of the exported seed, and not after a reset', async () => {
    const world = await startFrozen()
    const timetable = await schedule(world, ['07:00-08:00'], 'hang')
    const { seed } = await world.steer('control.seed')
    for (const from of [{ world: 'default' }, { seed }]) {
      const copy = await world.make({ from })
      expect(await copy.steer('control.rails.get')).toEqual(timetable)
    }
    await world.steer('control.snapshots.create', { body: { name: 'kept' } })
    await world.steer('control.reset')
    expect(await world.steer('control.rails.get')).toMatchObject({ maintenance: { sinpe_movil: [] } })
    await world.steer('control.snapshots.restore', { params: { name: 'kept' } })
    expect(await world.steer('control.rails.get')).toEqual(timetable)
  })
})

describe('the option maintenance', () => {
  const timetables = { pin: ['02:00-04:00'], sinpe_movil: ['sun 22:00-23:30'] }

  it('is set in each new world whose seed has none, also after a reset', async () => {
    const world = await startWorld({ maintenance: timetables })
    expect(await world.steer('control.rails.get')).toMatchObject({ maintenance: timetables })
    const seed = { rails: { maintenance: { pin: [] } } }
    const seeded = await world.make({ from: { seed } })
    expect(await seeded.steer('control.rails.get')).toMatchObject({ maintenance: { ...timetables, pin: [] } })
    const copy = await world.make({ from: { seed: (await seeded.steer('control.seed')).seed } })
    expect(await copy.steer('control.rails.get')).toMatchObject({ maintenance: { ...timetables, pin: [] } })

    await schedule(world, ['07:00-08:00'])
    await world.steer('control.reset')
    expect(await world.steer('control.rails.get')).toMatchObject({ maintenance: timetables })
  })

  it('stays in the data file after a kill, and sets the timetable of an existing file', async () => {
    const data = join(newFolder(), 'world.db')
    const run = async (...flags: string[]) => {
      const emulator = await startEmulate(['--data', data, '--clock', 'running', ...flags])
      const response = await fetch(`${emulator.ready.base_url}/_emulator/rails`)
      const { data: rails } = (await response.json()) as { data: { maintenance: object } }
      await emulator.kill()
      return rails.maintenance
    }
    expect(await run('--maintenance', 'pin=02:00-04:00', '--maintenance', 'pin=sun 22:00-23:30')).toEqual({
      pin: ['02:00-04:00', 'sun 22:00-23:30'],
      sinpe_movil: [],
    })
    expect(await run()).toEqual({ pin: ['02:00-04:00', 'sun 22:00-23:30'], sinpe_movil: [] })
    expect(await run('--maintenance', 'pin=05:00-06:00')).toEqual({ pin: ['05:00-06:00'], sinpe_movil: [] })
    expect(await run()).toEqual({ pin: ['05:00-06:00'], sinpe_movil: [] })
  })

  it('lets payments that hang in a data file go on when the window ends', async () => {
    const { data, id } = await hangingPayment()

    const again = await startEmulator({ data, settle: 'manual' })
    onTestFinished(() => again.close())
    const later = worldAt(again.baseUrl, { token: again.token, accounts: again.accounts() })
    expect((await paymentIn(later, id)).status).toBe('pending')
    await advance(later, 2 * hour)
    expect(await paymentIn(later, id)).toMatchObject({ completed_at: '2030-01-05T14:00:00.000000Z' })
  })

  it('lets payments that hang in a data file go on if it takes the timetable away', async () => {
    const { data, id } = await hangingPayment()

    const again = await startEmulator({ data, settle: 'manual', maintenance: { sinpe_movil: [] } })
    onTestFinished(() => again.close())
    const later = worldAt(again.baseUrl, { token: again.token, accounts: again.accounts() })
    expect(await later.steer('control.rails.get')).toMatchObject({ sinpe_movil: 'online' })
    await advance(later, 2000)
    expect((await paymentIn(later, id)).status).toBe('completed')
  })
})

function hours(day: string, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => `${day} ${String(from + at).padStart(2, '0')}`)
}

/** A data file with a payment that hangs, because the maintenance window of its rail has begun. */
async function hangingPayment() {
  const data = join(newFolder(), 'world.db')
  const first = await startEmulator({ data, settle: 'manual', clock: saturday })
  const world = worldAt(first.baseUrl, { token: first.token, accounts: first.accounts() })
  await schedule(world, ['07:00-08:00'], 'hang')
  await advance(world, hour - 100)
  const { id } = await world.pay(carlos)
  await advance(world, 60_000)
  await first.close()
  return { data, id }
}
