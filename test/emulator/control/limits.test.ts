import { describe, expect, it } from 'vitest'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const carlos = { recipient_phone: '87000001' }
const failing = { recipient_phone: '87000006' }

/** A world whose clock stands still at 23:59:30 on 5 January, Costa Rica's time. */
async function startLate(limits: { payment?: number; day?: number; answer?: 'refuse' | 'late' }): Promise<World> {
  const world = await startWorld({ clock: '2030-01-06T05:59:30Z' })
  const { answer, ...sinpe_movil } = limits
  await world.steer('control.limits.set', { body: { sinpe_movil, ...(answer && { answer }) } })
  return world
}

/** Statuses, newest first. */
const statuses = async ({ client }: World) =>
  (await client.call('payments.history', { query: { transfer_type: 'debit' } })).data.map(({ status }) => status)

describe('a limit of SINPE Móvil', () => {
  it('is off until it is set', async () => {
    const world = await startWorld()
    expect(await world.steer('control.limits.get')).toEqual({
      sinpe_movil: { payment: null, day: null },
      answer: 'refuse',
    })
    for (const amount of [20_000_000, 20_000_000, 20_000_000, 150_000_000]) await world.pay(carlos, amount)
    expect(await statuses(world)).toEqual(['pending', 'pending', 'pending', 'pending'])
  })

  it('makes create and validate refuse a larger amount, but not over PIN', async () => {
    const world = await startLate({ payment: 10_000_000 })
    expect(await world.pay(carlos, 10_000_000)).toMatchObject({ status: 'pending' })
    const message = 'The amount exceeds the SINPE Móvil limit of 100,000.00 CRC for a payment'
    const refusal = { status: 422, message, errors: { amount: [message] } }
    await expect(world.pay(carlos, 10_000_001)).rejects.toMatchObject(refusal)
    const validation = world.client.call('payments.validate', {
      headers: { 'X-Idempotency-Key': 'limit' },
      body: { source_account_id: world.colones, amount: 10_000_001, ...carlos },
    })
    await expect(validation).rejects.toMatchObject(refusal)
    expect(await world.pay({ recipient_iban: 'CR73015100100000000001' }, 10_000_001)).toMatchObject({ channel: 'pin' })
  })

  it('counts the payments of an account since midnight in Costa Rica', async () => {
    const world = await startLate({ day: 50_000_000 })
    await world.pay(carlos, 20_000_000)
    await world.pay(carlos, 20_000_000)
    await expect(world.pay(carlos, 10_000_001)).rejects.toMatchObject({
      message: 'The amount exceeds the SINPE Móvil limit of 500,000.00 CRC for a day: 100,000.00 CRC is left today',
    })
    await world.pay(carlos, 10_000_000)

    const { id } = await world.client.call('accounts.create', { body: { currency: 'CRC' } })
    await world.steer('control.accounts.set', { params: { id }, body: { balance: 50_000_000 } })
    expect(await world.pay(carlos, 50_000_000, id)).toMatchObject({ status: 'pending' })

    await world.steer('control.clock.advance', { body: { ms: 29_999 } })
    await expect(world.pay(carlos, 1)).rejects.toMatchObject({ status: 422 })
    await world.steer('control.clock.advance', { body: { ms: 1 } })
    expect(await world.pay(carlos, 50_000_000)).toMatchObject({ status: 'pending' })
  })

  it('does not count payments that ended without success', async () => {
    const world = await startLate({ day: 1000 })
    await world.pay(failing, 1000)
    await expect(world.pay(carlos, 1)).rejects.toMatchObject({ status: 422 })
    await world.steer('control.clock.advance', { body: { ms: 1000 } })
    expect(await statuses(world)).toEqual(['failed'])
    expect(await world.pay(carlos, 1000)).toMatchObject({ status: 'pending' })
  })

  it('refuses late if so set: the payment fails with limit_exceeded, and its money is returned', async () => {
    const world = await startLate({ payment: 5000, day: 8000, answer: 'late' })
    const receiver = await startReceiver()
    await world.client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.failed'] } })
    const balance = async () => (await world.client.call('accounts.balance', { params: { id: world.colones } })).balance
    const before = await balance()
    for (const amount of [5001, 5000, 3001, 3000])
      expect(await world.pay(carlos, amount)).toMatchObject({ status: 'pending' })
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect(await statuses(world)).toEqual(['completed', 'failed', 'completed', 'failed'])
    expect(receiver.received.map(({ data }) => data)).toMatchObject([
      { state_code: 'limit_exceeded' },
      { state_code: 'limit_exceeded' },
    ])
    expect(await balance()).toBe(before - 8000)
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
  })

  it('counts a payment over a limit that was moved by hand to complete later', async () => {
    const world = await startLate({ payment: 5000, day: 8000, answer: 'late' })
    const { id } = await world.pay(carlos, 6000)
    await world.steer('control.payments.move', { params: { id }, body: { to: 'completed', after_ms: 10_000 } })
    await world.pay(carlos, 3000)
    await world.pay(carlos, 2000)
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect(await statuses(world)).toEqual(['completed', 'failed', 'completed'])
  })

  it('is set and lifted one by one, and stays with a fork and an export', async () => {
    const world = await startLate({ payment: 5000, day: 8000 })
    const set = await world.steer('control.limits.set', { body: { sinpe_movil: { payment: null }, answer: 'late' } })
    expect(set).toEqual({ sinpe_movil: { payment: null, day: 8000 }, answer: 'late' })
    const fork = await world.make({ from: { world: 'default' } })
    expect(await fork.steer('control.limits.get')).toEqual(set)
    const { seed } = await world.steer('control.seed')
    const copy = await world.make({ from: { seed } })
    expect(await copy.steer('control.limits.get')).toEqual(set)
    await world.steer('control.reset')
    expect(await world.steer('control.limits.get')).toMatchObject({ sinpe_movil: { day: null } })
  })
})

it.each([
  [{ sinpe_movil: { day: 0 } }, 'sinpe_movil.day'],
  [{ sinpe_movil: { payment: 1.5 } }, 'sinpe_movil.payment'],
  [{ answer: 'later' }, 'answer'],
  [{ pin: { day: 1 } }, 'pin'],
])('%j is refused and changes nothing', async (body, field) => {
  const { ask, steer } = await startWorld()
  const before = await steer('control.limits.get')
  const answer = await ask('control.limits.set', { body })
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
  expect(await steer('control.limits.get')).toEqual(before)
})
