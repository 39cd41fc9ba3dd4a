import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sinpeCheckDigit } from '../../../emulator/domain/sinpe.ts'
import type { Payment, ScheduleCreditBody } from '../../../src/contract/index.ts'
import { startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { newFolder } from '../store/folder.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type WorldUnderTest, worldAt } from './world.ts'

const phone = '88001234'
const reference = { pin: '2026010537022010000102590', sinpe_movil: '2026010537083000000000961' }

const hour = 3_600_000
/** Saturday, 06:00 in Costa Rica's time. */
const saturday = '2030-01-05T12:00:00Z'
const startFrozen = () => startWorld({ clock: saturday })

const advance = ({ steer }: WorldUnderTest, ms: number) => steer('control.clock.advance', { body: { ms } })
const schedule = ({ steer }: WorldUnderTest, body: Partial<ScheduleCreditBody> = {}) =>
  steer('control.credits.schedule', { body: { to: phone, amount: 500, after_ms: 2 * hour, ...body } })
const listed = async ({ steer }: WorldUnderTest) => (await steer('control.credits.list', {})).data
const received = async ({ client }: WorldUnderTest) =>
  (await client.call('payments.history', { query: { transfer_type: 'credit' } })).data
const balanceOf = async ({ client, colones }: WorldUnderTest) =>
  (await client.call('accounts.balance', { params: { id: colones } })).balance

/** A world's balances, payments, and credits that have not arrived yet. */
const shownBy = async (world: WorldUnderTest) => ({
  credits: await listed(world),
  received: await received(world),
  balance: await balanceOf(world),
  ledger: await world.steer('control.ledger'),
})

/** A payment without the values that differ between credits. */
const alike = ({ id: _, idempotency_key: __, channel_reference: ___, ...rest }: Payment) => rest

describe('a scheduled credit', () => {
  it.each([
    ['after_ms', { after_ms: 2 * hour }],
    ['at', { at: '2030-01-05T08:00:00-06:00' }],
  ])('arrives at its time with %s, with the id of the answer, like an immediate credit', async (_, time) => {
    const body = { to: phone, amount: 1234, from_phone: '87000001', description: 'Factura 12' }
    const atOnce = await startFrozen()
    await advance(atOnce, 2 * hour)
    const credit = await atOnce.steer('control.credits.create', {
      body: { ...body, sinpe_reference: reference.sinpe_movil },
    })

    const world = await startFrozen()
    const receiver = await startReceiver()
    await world.client.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
    const before = await balanceOf(world)
    const scheduled = await world.steer('control.credits.schedule', {
      body: { ...body, ...time, sinpe_reference: reference.sinpe_movil },
    })
    expect(scheduled).toMatchObject({
      status: 'scheduled',
      due_at: '2030-01-05T14:00:00.000000Z',
      account_id: world.colones,
      channel: 'sinpe_movil',
      amount: { value: 1234, currency: 'CRC' },
      from: '87000001',
      name: credit.payer.name,
      sinpe_reference: reference.sinpe_movil,
      state_code: null,
    })
    expect(await listed(world)).toEqual([scheduled])

    await advance(world, 2 * hour - 1)
    expect(await received(world)).toEqual([])
    expect(await balanceOf(world)).toBe(before)
    expect(receiver.received).toEqual([])

    await advance(world, 1)
    const [payment, ...others] = await received(world)
    expect(others).toEqual([])
    expect(payment).toMatchObject({ id: scheduled.id, idempotency_key: `CREDIT_${scheduled.id.replaceAll('-', '_')}` })
    expect(payment && alike(payment)).toEqual(alike(credit))
    expect(await balanceOf(world)).toBe(before + 1234)
    expect(receiver.received).toMatchObject([
      { event: 'transaction.received', data: { id: scheduled.id, sinpe_reference: reference.sinpe_movil } },
    ])
    expect(await listed(world)).toEqual([{ ...scheduled, status: 'received' }])
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
  })

  it('arrives by itself as time passes, even if payments settle by hand', async () => {
    const world = await startWorld()
    await schedule(world, { after_ms: 1 })
    await expect.poll(() => received(world), { timeout: 10_000 }).toHaveLength(1)
  })

  it('is in the currency of its account', async () => {
    const world = await startFrozen()
    const { id } = await schedule(world, { to: world.dollars, amount: 700 })
    await advance(world, 2 * hour)
    expect(await received(world)).toMatchObject([{ id, channel: 'pin', amount: { value: 700, currency: 'USD' } }])
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it('arrives in the order of due times, each at its own time, in one move of the clock', async () => {
    const world = await startFrozen()
    const ids: string[] = []
    for (const hours of [3, 1, 2]) ids.push((await schedule(world, { after_ms: hours * hour })).id)
    await advance(world, 4 * hour)
    expect((await received(world)).map(({ id, created_at }) => [ids.indexOf(id), created_at])).toEqual([
      [0, '2030-01-05T15:00:00.000000Z'],
      [2, '2030-01-05T14:00:00.000000Z'],
      [1, '2030-01-05T13:00:00.000000Z'],
    ])
  })

  it('waits for a rail that was put offline, and for the end of its maintenance', async () => {
    const world = await startFrozen()
    await world.steer('control.rails.set', {
      body: { pin: 'offline', maintenance: { sinpe_movil: ['07:30-09:00'] } },
    })
    const [movil, pin] = [await schedule(world), await schedule(world, { to: world.colones })]
    await advance(world, 5 * hour)
    expect(await received(world)).toMatchObject([{ id: movil.id, created_at: '2030-01-05T15:00:00.000000Z' }])
    expect((await listed(world)).map(({ status }) => status)).toEqual(['scheduled', 'received'])

    await world.steer('control.rails.set', { body: { pin: 'online' } })
    await expect
      .poll(async () => (await received(world))[0])
      .toMatchObject({
        id: pin.id,
        created_at: '2030-01-05T17:00:00.000000Z',
      })
  })

  it.each([
    ['closed', 'account_closed'],
    ['inactive', 'account_blocked'],
  ] as const)('is returned to its sender if the account is %s by then', async (status, state_code) => {
    const world = await startFrozen()
    const receiver = await startReceiver()
    await world.client.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
    const credit = await schedule(world)
    await world.steer('control.accounts.set', { params: { id: world.colones }, body: { status } })
    const before = { balance: await balanceOf(world), ledger: await world.steer('control.ledger') }
    await advance(world, 3 * hour)
    expect(await listed(world)).toEqual([{ ...credit, status: 'returned', state_code }])
    expect(await received(world)).toEqual([])
    expect({ balance: await balanceOf(world), ledger: await world.steer('control.ledger') }).toEqual(before)
    expect(receiver.received).toEqual([])
  })

  it('is cancelled once, while it is still to come', async () => {
    const world = await startFrozen()
    const [kept, credit] = [await schedule(world), await schedule(world, { sinpe_reference: reference.sinpe_movil })]
    const cancel = (id: string) => world.ask('control.credits.cancel', { params: { id } })
    expect((await cancel(credit.id.toUpperCase())).body.data).toEqual(credit)
    expect((await cancel(credit.id)).status).toBe(404)
    expect((await cancel('nonsense')).status).toBe(422)
    await schedule(world, { sinpe_reference: reference.sinpe_movil, after_ms: 3 * hour })
    await advance(world, 2 * hour)
    expect((await received(world)).map(({ id }) => id)).toEqual([kept.id])
    const refused = await cancel(kept.id)
    expect(refused).toMatchObject({
      status: 409,
      body: { message: 'The credit was received: only a scheduled credit can be cancelled' },
    })
  })

  it('is listed in pages, newest first', async () => {
    const world = await startFrozen()
    const ids: string[] = []
    for (let amount = 1; amount <= 5; amount++) ids.unshift((await schedule(world, { amount })).id)
    const page = await world.steer('control.credits.list', { query: { page: 2, per_page: 2 } })
    expect(page).toMatchObject({ total: 5, last_page: 3, current_page: 2 })
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(2, 4))
  })

  it('that is refused changes nothing', async () => {
    const world = await startFrozen()
    await schedule(world)
    const before = await shownBy(world)
    for (const [field, body] of [
      ['at', { after_ms: null }],
      ['at', { at: saturday }],
      ['at', { after_ms: null, at: '2030-02-30T12:00:00Z' }],
      ['at', { after_ms: null, at: '2030-01-05T11:59:59Z' }],
      ['at', { after_ms: null, at: 'tomorrow' }],
      ['after_ms', { after_ms: -1 }],
      ['after_ms', { after_ms: 1.5 }],
      ['amount', { amount: 0 }],
      ['to', { to: '60009999' }],
      ['to', { to: world.dollars, from_phone: '87000001' }],
      ['sinpe_reference', { sinpe_reference: reference.pin }],
      ['until', { until: saturday }],
    ] as const) {
      const body_ = { to: phone, amount: 500, after_ms: hour, ...body }
      const { status, body: answer } = await world.ask('control.credits.schedule', { body: body_ })
      expect([status, Object.keys(answer.errors)], JSON.stringify(body)).toEqual([422, [field]])
    }
    expect(await shownBy(world)).toEqual(before)
  })
})

describe('what is scheduled', () => {
  it('is dropped by a reset, and is in snapshots, forks and worlds of the exported seed', async () => {
    const world = await startFrozen()
    const credit = await schedule(world, { sinpe_reference: reference.sinpe_movil })
    await world.steer('control.snapshots.create', { body: { name: 'kept' } })
    const { seed, left_out } = await world.steer('control.seed')
    expect(left_out).toEqual([])
    const copies: WorldUnderTest[] = []
    for (const from of [{ world: 'default' }, { snapshot: 'kept' }, { seed }]) copies.push(await world.make({ from }))
    for (const copy of copies) {
      expect(await listed(copy)).toEqual([credit])
      await advance(copy, 2 * hour)
      expect(await received(copy)).toMatchObject([{ id: credit.id, sinpe_reference: reference.sinpe_movil }])
      expect(await copy.steer('control.ledger')).toMatchObject({ balanced: true })
    }
    expect(await listed(world)).toEqual([credit])

    await world.steer('control.reset')
    expect(await listed(world)).toEqual([])
    await advance(world, 3 * hour)
    expect(await received(world)).toEqual([])
    await world.steer('control.snapshots.restore', { params: { name: 'kept' } })
    expect(await listed(world)).toEqual([credit])
  })

  it('is in an exported seed with given references, which reports the number of returned credits', async () => {
    const world = await startFrozen()
    const given = await world.steer('control.credits.create', {
      body: { to: world.colones, amount: 5, sinpe_reference: reference.pin },
    })
    const generated = await world.steer('control.credits.create', { body: { to: phone, amount: 6 } })
    await schedule(world, { to: world.dollars })
    await world.steer('control.accounts.set', { params: { id: world.dollars }, body: { status: 'closed' } })
    await advance(world, 3 * hour)
    const { seed, left_out } = await world.steer('control.seed')
    expect(left_out).toEqual(['scheduled credits that were returned (1)'])
    const copy = await world.make({ from: { seed } })
    expect(await received(copy)).toEqual([generated, given])
    const again = await copy.ask('control.credits.create', {
      body: { to: copy.colones, amount: 5, sinpe_reference: reference.pin },
    })
    expect(again.status).toBe(422)
  })

  it('survives kills of an emulator with a data file, and arrives once', async () => {
    const data = join(newFolder(), 'world.db')
    await withFile(data, async (world) => void (await schedule(world)), '--clock', saturday)
    await withFile(data, async (world) => {
      expect(await listed(world)).toMatchObject([{ status: 'scheduled', due_at: '2030-01-05T14:00:00.000000Z' }])
      await advance(world, 2 * hour)
    })
    await withFile(data, async (world) => {
      expect(await listed(world)).toMatchObject([{ status: 'received' }])
      await advance(world, 24 * hour)
      expect(await received(world)).toMatchObject([{ created_at: '2030-01-05T14:00:00.000000Z' }])
      expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
    })
  })

  it('arrives after a restart if it fell due while no emulator ran', async () => {
    const data = join(newFolder(), 'world.db')
    const soon = async (world: WorldUnderTest) => void (await schedule(world, { after_ms: 300 }))
    await withFile(data, soon, '--clock', 'running')
    await withFile(data, async (world) => {
      await expect.poll(() => received(world), { timeout: 10_000 }).toHaveLength(1)
      expect(await listed(world)).toMatchObject([{ status: 'received' }])
    })
  })
})

/** Runs the built emulator on a data file until `work` ends, then kills it. */
async function withFile(data: string, work: (world: WorldUnderTest) => Promise<void>, ...flags: string[]) {
  const emulator = await startEmulate(['--data', data, '--settle', 'manual', ...flags])
  const { base_url, token } = emulator.ready
  await work(worldAt(base_url, { token, accounts: [] }))
  await emulator.kill()
}

/** A reference that no rail issues: its check digit would be 10. */
const withoutCheckDigit = Array.from({ length: 100 }, (_, at) => `2026010537022010000102${`${at}`.padStart(2, '0')}`)
  .filter((digits) => sinpeCheckDigit(digits) === 10)
  .map((digits) => `${digits}0`)[0] as string

describe('the reference of a credit', () => {
  const give = (world: WorldUnderTest, sinpe_reference: string, to = world.colones) =>
    world.ask('control.credits.create', { body: { to, amount: 5, sinpe_reference } })

  it.each([
    ['24 digits', reference.pin.slice(1), 'The sinpe_reference field must be 25 digits.'],
    ['a letter', `${reference.pin.slice(0, -1)}x`, 'The sinpe_reference field must be 25 digits.'],
    [
      'no such date',
      reference.pin.replace('20260105', '20260230'),
      /^The reference must begin with a date that exists/,
    ],
    ['the entity of the emulator', reference.pin.replace('370', '999'), /^Digits 9 to 11 must be the code of another/],
    ['another rail', reference.sinpe_movil, 'Digits 12 to 15 must be 2201 for pin, not 8300'],
    ['a check digit of 10', withoutCheckDigit, /^No reference has these first 24 digits/],
    ['a wrong check digit', reference.pin.replace(/0$/, '1'), 'The last digit is a check digit: it should be 0'],
  ])('is refused for %s, with the reason', async (_, wrong, message) => {
    const world = await startFrozen()
    const before = await shownBy(world)
    const { status, body } = await give(world, wrong)
    expect(status).toBe(422)
    const told = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(body).toMatchObject({ message: told, errors: { sinpe_reference: [told] } })
    expect(await shownBy(world)).toEqual(before)
  })

  it('belongs to only one credit of a world, immediate or scheduled', async () => {
    const world = await startFrozen()
    await schedule(world, { sinpe_reference: reference.sinpe_movil })
    expect((await give(world, reference.pin)).status).toBe(201)
    const before = await shownBy(world)
    for (const [used, to] of [
      [reference.pin, world.colones],
      [reference.sinpe_movil, phone],
    ] as const) {
      for (const id of ['control.credits.create', 'control.credits.schedule'] as const) {
        const time = id === 'control.credits.schedule' && { after_ms: hour }
        const answer = await world.ask(id, { body: { to, amount: 5, sinpe_reference: used, ...time } })
        expect(answer).toMatchObject({
          status: 422,
          body: { errors: { sinpe_reference: [expect.stringContaining('already')] } },
        })
      }
    }
    expect(await shownBy(world)).toEqual(before)
    const other = await world.make()
    expect((await give(other, reference.pin)).status).toBe(201)
  })

  it('is accepted with any date, bank and number, but only with the right check digit', async () => {
    const world = await startFrozen()
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    const digits = fc
      .record({ day, entity: fc.integer({ min: 0, max: 998 }), number: fc.integer({ min: 0, max: 999_999_999 }) })
      .map(({ day, entity, number }) => {
        const date = day.toISOString().slice(0, 10).replaceAll('-', '')
        return `${date}${`${entity}`.padStart(3, '0')}2201${`${number}`.padStart(9, '0')}`
      })
    const used = new Set<string>()
    await fc.assert(
      fc.asyncProperty(digits, async (first) => {
        if (used.has(first)) return
        used.add(first)
        const answers = []
        for (let last = 0; last < 10; last++) answers.push((await give(world, `${first}${last}`)).status)
        const right = sinpeCheckDigit(first)
        expect(answers).toEqual(answers.map((_, last) => (last === right ? 201 : 422)))
      }),
      { numRuns: 20 },
    )
  })
})
