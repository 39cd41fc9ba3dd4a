import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { PaymentStatus, type PaymentStatus as Status } from '../../../src/contract/index.ts'
import { full } from '../../support/full.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const hour = 3_600_000
const carlos = { recipient_phone: '87000001' }

const statusOf = async ({ client }: World, id: string) => (await client.call('payments.get', { params: { id } })).status

const balanceOf = async ({ client, colones }: World) =>
  (await client.call('accounts.balance', { params: { id: colones } })).balance

describe('a payment that is driven', () => {
  it('reaches its end in one call, with the usual entries and events', async () => {
    const world = await startWorld()
    const receiver = await startReceiver()
    const events = ['payment.created', 'payment.processing', 'payment.completed', 'payment.failed'] as const
    await world.client.call('webhooks.create', { body: { url: receiver.url, events: [...events] } })
    const before = await balanceOf(world)
    const { id } = await world.pay(carlos, 5000)

    const moved = await world.steer('control.payments.move', { params: { id }, body: { to: 'completed' } })

    expect(moved).toMatchObject({ id, status: 'completed', sinpe_reference: expect.any(String) })
    expect(moved).toEqual(await world.client.call('payments.get', { params: { id } }))
    expect(await balanceOf(world)).toBe(before - 5000)
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect(receiver.received.map(({ event }) => event)).toEqual(events.slice(0, 3))
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, unfinished: 0 })
  })

  it('takes one step, and goes on from there by itself', async () => {
    const world = await startWorld()
    await world.steer('control.clock.freeze')
    const { id } = await world.pay(carlos)
    await world.steer('control.payments.move', { params: { id }, body: { to: 'processing' } })
    await world.steer('control.clock.advance', { body: { ms: 499 } })
    expect(await statusOf(world, id)).toBe('processing')
    await world.steer('control.clock.advance', { body: { ms: 1 } })
    expect(await statusOf(world, id)).toBe('completed')
  })

  it('fails for the reason given, and the money comes back', async () => {
    const world = await startWorld()
    const before = await balanceOf(world)
    const { id } = await world.pay(carlos, 5000)
    const body = { to: 'failed' as const, state_code: 'account_closed' as const }
    const moved = await world.steer('control.payments.move', { params: { id }, body })
    expect(moved).toMatchObject({ status: 'failed', error_message: 'The destination account is closed' })
    expect(await balanceOf(world)).toBe(before)
  })

  it('fails for the payee’s own reason unless another is given', async () => {
    const world = await startWorld()
    const { id } = await world.pay({ recipient_phone: '87000013' })
    const moved = await world.steer('control.payments.move', { params: { id }, body: { to: 'failed' } })
    expect(moved).toMatchObject({ status: 'failed', error_message: 'The destination account is closed' })
  })

  it('fails with the given code and text; without a code it keeps its own', async () => {
    const world = await startWorld()
    const fail = async (body: { state_code?: string; error?: string }) => {
      const { id } = await world.pay({ recipient_phone: '87000013' })
      await world.steer('control.payments.move', { params: { id }, body: { to: 'failed', ...body } })
      const query = `SELECT state_code, error_message FROM payments WHERE id = '${id}'`
      return (await world.steer('control.sql', { body: { query } })).rows[0]
    }
    expect(await fail({ state_code: 'E-17', error: 'Monto fuera de horario' })).toEqual([
      'E-17',
      'Monto fuera de horario',
    ])
    expect(await fail({ state_code: 'constructor' })).toEqual([
      'constructor',
      'The payment was rejected by the destination entity',
    ])
    expect(await fail({ error: 'Cuenta inexistente' })).toEqual(['account_closed', 'Cuenta inexistente'])
    const { id } = await world.pay(carlos)
    const body = { to: 'completed', error: 'no' }
    expect((await world.ask('control.payments.move', { params: { id }, body })).body.errors).toHaveProperty('error')
  })

  it('completes without a fee if its payee’s cost stays unknown', async () => {
    const world = await startWorld()
    const { id } = await world.pay({ recipient_phone: '87000019' })
    const moved = await world.steer('control.payments.move', { params: { id }, body: { to: 'completed' } })
    expect(moved).toMatchObject({ status: 'completed', fee: null })
  })

  it('leaves what it was meant to stay in for ever', async () => {
    const world = await startWorld()
    const { id } = await world.pay({ recipient_phone: '87000011' })
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect(await statusOf(world, id)).toBe('processing')
    await world.steer('control.payments.move', { params: { id }, body: { to: 'timeout' } })
    expect(await statusOf(world, id)).toBe('timeout')
  })

  it('gets there later if that is asked, and can be sent elsewhere meanwhile', async () => {
    const world = await startWorld({ settle: 50 })
    await world.steer('control.clock.freeze')
    const { id } = await world.pay(carlos)
    const move = (to: Status, after_ms: number) =>
      world.steer('control.payments.move', { params: { id }, body: { to, after_ms } })
    expect(await move('completed', 2 * hour)).toMatchObject({ status: 'pending' })
    await world.steer('control.clock.advance', { body: { ms: hour } })
    expect(await statusOf(world, id)).toBe('processing')
    await world.steer('control.clock.advance', { body: { ms: hour - 1 } })
    expect(await statusOf(world, id)).toBe('processing')
    await move('system_error', 1000)
    await world.steer('control.clock.advance', { body: { ms: 999 } })
    expect(await statusOf(world, id)).toBe('processing')
    await world.steer('control.clock.advance', { body: { ms: 1 } })
    expect(await statusOf(world, id)).toBe('system_error')
  })

  it('takes only legal transitions, which a refusal names', async () => {
    const world = await startWorld()
    const { id } = await world.pay(carlos)
    const ask = (to: Status) => world.ask('control.payments.move', { params: { id }, body: { to } })
    const back = await ask('pending')
    expect(back.status).toBe(409)
    expect(back.body.message).toMatch(/^The payment is pending and can become processing, completed, failed, /)
    await ask('completed')
    for (const to of PaymentStatus.enum) {
      const { status, body } = await ask(to)
      expect(status).toBe(409)
      expect(body).toMatchObject({
        message: 'The payment is completed, which is final',
        errors: { legal: [] },
      })
    }
    const other = await world.pay(carlos)
    const body = { to: 'completed', state_code: 'rejected' }
    expect((await world.ask('control.payments.move', { params: { id: other.id }, body })).status).toBe(422)
    expect(await statusOf(world, other.id)).toBe('pending')
  })
})

const step = fc.oneof(
  fc.record({
    do: fc.constant('pay' as const),
    to: fc.constantFrom('87000001', '87000006', '87000008', '87000011', '87000012', '87000019', 'own'),
    amount: fc.integer({ min: 1, max: 5000 }),
  }),
  fc.record({
    do: fc.constant('move' as const),
    which: fc.nat(9),
    to: fc.constantFrom(...PaymentStatus.enum),
    after_ms: fc.constantFrom(null, 0, 1, 500, 5000),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 500, 1000) }),
  fc.record({ do: fc.constant('balance' as const), balance: fc.integer({ min: 0, max: 1_000_000 }) }),
)

it('the ledger balances and every payment ends once, whatever is moved by hand', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const world = await startWorld({ rateLimit: null })
      const other = (await world.client.call('accounts.create', { body: { currency: 'CRC' } })).iban
      const ids: string[] = []
      for (const one of steps) {
        if (one.do === 'wait') await world.steer('control.clock.advance', { body: { ms: one.ms } })
        else if (one.do === 'balance') {
          const params = { id: world.colones }
          await world.steer('control.accounts.set', { params, body: { balance: one.balance } })
        } else if (one.do === 'pay') {
          const to = one.to === 'own' ? { recipient_iban: other } : { recipient_phone: one.to }
          await world.pay(to, one.amount).then(
            ({ id }) => ids.push(id),
            (error) => expect(error.message).toContain('Insufficient'),
          )
        } else if (ids.length > 0) {
          const { to, after_ms } = one
          const params = { id: ids[one.which % ids.length] }
          const before = await statusOf(world, params.id ?? '')
          const answer = await world.ask('control.payments.move', { params, body: { to, after_ms } })
          const legal =
            before === 'pending' ? to !== 'pending' : before === 'processing' && !['pending', before].includes(to)
          expect(answer.status).toBe(legal ? 200 : 409)
          if (legal && !after_ms) expect(await statusOf(world, params.id ?? '')).toBe(to)
        }
        expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
      }
      await world.steer('control.clock.runUntilIdle', { body: {} })
      expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
      await world.emulator.close()
    }),
    { numRuns: full ? 100 : 6 },
  )
}, 60_000)

describe('an account', () => {
  it('still gets the money of a payment if it is closed while the payment is in progress', async () => {
    const world = await startWorld()
    const { neighbour } = demo
    const { iban } = await world.steer('control.accounts.get', { params: { id: neighbour.account.id } })
    const { id } = await world.pay({ recipient_iban: iban }, 5000)
    await world.steer('control.accounts.set', { params: { id: neighbour.account.id }, body: { status: 'closed' } })
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect(await statusOf(world, id)).toBe('completed')
    const { balance, status } = await world.steer('control.accounts.get', { params: { id: neighbour.account.id } })
    expect({ status, balance: balance.value }).toEqual({ status: 'closed', balance: neighbour.account.balance + 5000 })
  })

  it('gets another balance by an entry and its counter-entry, without held money', async () => {
    const world = await startWorld()
    const { id } = await world.pay(carlos, 5000)
    const entries = (await world.steer('control.ledger')).entries
    const params = { id: world.colones }
    const set = await world.steer('control.accounts.set', { params, body: { balance: 150_025 } })
    expect(set.balance).toMatchObject({ value: 150_025, currency: 'CRC' })
    expect(await balanceOf(world)).toBe(150_025)
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, entries: entries + 2 })
    await world.steer('control.accounts.set', { params, body: { balance: 150_025 } })
    expect((await world.steer('control.ledger')).entries).toBe(entries + 2)
    await world.steer('control.payments.move', { params: { id }, body: { to: 'timeout' } })
    expect(await balanceOf(world)).toBe(155_025)
    await world.steer('control.accounts.set', { params, body: { balance: 0 } })
    await expect(world.pay(carlos, 1)).rejects.toMatchObject({ status: 422, message: 'Insufficient balance' })
  })

  it('shows when its status was set', async () => {
    const world = await startWorld()
    const params = { id: world.colones }
    await world.steer('control.clock.at', { body: { time: '2040-01-05T12:00:00Z' } })
    const before = await world.steer('control.accounts.get', { params })
    const set = await world.steer('control.accounts.set', { params, body: { status: 'inactive' } })
    expect(set.updated_at).toBe('2040-01-05T12:00:00.000000Z')
    expect(set).toEqual({ ...before, status: 'inactive', updated_at: set.updated_at })
  })

  it.each([
    ['inactive', 'account_blocked', 'The destination account is blocked'],
    ['closed', 'account_closed', 'The destination account is closed'],
  ] as const)('that is %s sends nothing, and what is sent to it fails', async (status, state_code, why) => {
    const world = await startWorld()
    const { id, iban } = await world.client.call('accounts.create', { body: { currency: 'CRC' } })
    const set = await world.steer('control.accounts.set', { params: { id }, body: { status, balance: 1000 } })
    expect(set).toMatchObject({ id, status })
    expect(await world.client.call('accounts.get', { params: { id } })).toEqual(set)
    await expect(world.pay(carlos, 10, id)).rejects.toMatchObject({
      status: 422,
      message: `Source account is ${status}`,
    })
    const sent = await world.pay({ recipient_iban: iban }, 10)
    await world.steer('control.clock.runUntilIdle', { body: {} })
    const found = await world.client.call('payments.get', { params: { id: sent.id } })
    expect(found, state_code).toMatchObject({ status: 'failed', error_message: why })
    await world.steer('control.accounts.set', { params: { id }, body: { status: 'active' } })
    expect(await world.pay(carlos, 10, id)).toMatchObject({ status: 'pending' })
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true })
  })
})

describe('the rate limit', () => {
  it('can be set, used up for all callers until the minute ends, and removed', async () => {
    const { steer, ask, emulator } = await startWorld({ rateLimit: null })
    const read = async () => {
      const headers = { Authorization: `Bearer ${emulator.token}` }
      const { status, headers: answered } = await fetch(`${emulator.baseUrl}/api/user`, { headers })
      return { status, limit: answered.get('x-ratelimit-limit'), remaining: answered.get('x-ratelimit-remaining') }
    }
    await steer('control.clock.at', { body: { time: '2040-01-05T12:00:30Z' } })
    expect(await read()).toEqual({ status: 200, limit: null, remaining: null })
    expect((await ask('control.rateLimit.set', { body: { exhausted: true } })).status).toBe(409)

    await steer('control.rateLimit.set', { body: { limit: 10 } })
    expect(await read()).toEqual({ status: 200, limit: '10', remaining: '9' })
    const resets_at = '2040-01-05T12:01:00.000000Z'
    const used = { limit: 10, exhausted: true, resets_at }
    expect(await steer('control.rateLimit.set', { body: { exhausted: true } })).toEqual(used)
    expect(await read()).toEqual({ status: 429, limit: '10', remaining: '0' })

    await steer('control.clock.advance', { body: { ms: 30_000 } })
    expect(await steer('control.rateLimit.get')).toMatchObject({ exhausted: false })
    expect(await read()).toMatchObject({ status: 200 })
    await steer('control.rateLimit.set', { body: { limit: null } })
    expect(await read()).toEqual({ status: 200, limit: null, remaining: null })
    await steer('control.rateLimit.set', { body: { limit: 1 } })
    await steer('control.reset')
    expect(await steer('control.rateLimit.get')).toMatchObject({ limit: null })
  })
})
