import { describe, expect, it } from 'vitest'
import { startWorld, type World } from './world.ts'

const carlos = { recipient_phone: '87000001' }
const stuck = { recipient_phone: '87000011' }

const startFrozen = () => startWorld({ clock: '2030-01-05T12:00:00Z' })

const statusOf = async ({ client }: World, id: string) => (await client.call('payments.get', { params: { id } })).status
const balanceOf = async ({ client, colones }: World) =>
  (await client.call('accounts.balance', { params: { id: colones } })).balance
const advance = (world: World, ms: number) => world.steer('control.clock.advance', { body: { ms } })
const fail = (world: World, sinpe_movil: 'hang' | 'timeout' | 'complete') =>
  world.steer('control.rails.set', { body: { sinpe_movil: 'offline', under_way: { sinpe_movil } } })

/** Two payments under way: one submitted to the rail, one not yet. */
async function payTwo(world: World) {
  const submitted = await world.pay(carlos, 1000)
  await advance(world, 500)
  const pending = await world.pay(carlos, 2000)
  return { submitted: submitted.id, pending: pending.id }
}

describe('payments under way over a rail that goes offline', () => {
  it('hang with their money held until the rail is back', async () => {
    const world = await startFrozen()
    const before = await balanceOf(world)
    const { submitted, pending } = await payTwo(world)
    expect(await fail(world, 'hang')).toMatchObject({ sinpe_movil: 'offline', under_way: { sinpe_movil: 'hang' } })

    expect(await world.steer('control.clock.runUntilIdle', { body: {} })).toMatchObject({ idle: true })
    await advance(world, 3_600_000)
    expect([await statusOf(world, submitted), await statusOf(world, pending)]).toEqual(['processing', 'pending'])
    expect(await balanceOf(world)).toBe(before - 3000)
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, unfinished: 2 })

    await world.steer('control.rails.set', { body: { sinpe_movil: 'online' } })
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect([await statusOf(world, submitted), await statusOf(world, pending)]).toEqual(['completed', 'completed'])
    expect(await balanceOf(world)).toBe(before - 3000)
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, unfinished: 0 })
  })

  it('end without success if so set, submitted ones as timeout, and the money is returned', async () => {
    const world = await startFrozen()
    const before = await balanceOf(world)
    const { submitted, pending } = await payTwo(world)
    await fail(world, 'timeout')
    expect([await statusOf(world, submitted), await statusOf(world, pending)]).toEqual(['processing', 'pending'])
    await world.steer('control.clock.runUntilIdle', { body: {} })
    expect([await statusOf(world, submitted), await statusOf(world, pending)]).toEqual([
      'timeout',
      'service_unavailable',
    ])
    expect(await balanceOf(world)).toBe(before)
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [], unfinished: 0 })
  })

  it('complete by default, and payments over the other rail always complete', async () => {
    const world = await startFrozen()
    const { submitted, pending } = await payTwo(world)
    const { id } = await world.pay({ recipient_iban: 'CR73015100100000000001' })
    await fail(world, 'hang')
    expect(await world.steer('control.rails.set', { body: { sinpe_movil: 'offline' } })).toMatchObject({
      under_way: { pin: 'complete', sinpe_movil: 'complete' },
    })
    await world.steer('control.clock.runUntilIdle', { body: {} })
    const ids = [submitted, pending, id]
    expect(await Promise.all(ids.map((each) => statusOf(world, each)))).toEqual(['completed', 'completed', 'completed'])
  })

  it('can be moved by hand if they hang; those that hang because of their payee still hang when the rail is back', async () => {
    const world = await startFrozen()
    const { id: forEver } = await world.pay(stuck)
    const { submitted, pending } = await payTwo(world)
    await fail(world, 'hang')
    await advance(world, 60_000)
    await world.steer('control.payments.move', { params: { id: submitted }, body: { to: 'completed' } })
    await world.steer('control.payments.move', { params: { id: pending }, body: { to: 'failed' } })
    await world.steer('control.rails.set', { body: { sinpe_movil: 'online' } })
    await world.steer('control.clock.runUntilIdle', { body: {} })
    const ids = [forEver, submitted, pending]
    expect(await Promise.all(ids.map((each) => statusOf(world, each)))).toEqual(['processing', 'completed', 'failed'])
  })

  it('hang on in a fork and in a world of the exported seed, and go on in each alone', async () => {
    const world = await startFrozen()
    const { pending } = await payTwo(world)
    await fail(world, 'hang')
    await advance(world, 60_000)
    const { seed } = await world.steer('control.seed')
    const copies = [await world.make({ from: { world: 'default' } }), await world.make({ from: { seed } })]
    for (const copy of copies) {
      await copy.steer('control.clock.runUntilIdle', { body: {} })
      expect((await copy.steer('control.state')).unfinished).toBe(2)
      await copy.steer('control.rails.set', { body: { sinpe_movil: 'online' } })
      await copy.steer('control.clock.runUntilIdle', { body: {} })
      expect(await copy.steer('control.ledger')).toMatchObject({ balanced: true, unfinished: 0 })
    }
    expect(await statusOf(world, pending)).toBe('pending')
  })

  it('have no separate result while it is online', async () => {
    const { ask } = await startWorld()
    for (const body of [{ under_way: { pin: 'hang' } }, { pin: 'online', under_way: { pin: 'hang' } }]) {
      const { status, body: answer } = await ask('control.rails.set', { body })
      expect({ status, errors: answer.errors }).toEqual({
        status: 422,
        errors: { 'under_way.pin': ['The pin rail is online and has no maintenance'] },
      })
    }
  })
})
