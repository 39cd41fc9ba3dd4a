import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startWorld, type World } from './control/world.ts'

const hour = 3_600_000
const key = 'order-7'

/** Pays with the key. */
const pay = ({ client, colones }: World) =>
  client.call('payments.create', {
    headers: { 'X-Idempotency-Key': key },
    body: { source_account_id: colones, recipient_phone: '87000001', amount: 1000 },
  })

const passes = ({ steer }: World, ms: number) => steer('control.clock.advance', { body: { ms } })

describe('an emulator that forgets keys', () => {
  test('repeats the original answer until then, and afterwards makes another payment with the key', async () => {
    const world = await startWorld({ keyTtl: 24 * hour })
    const first = await pay(world)
    await passes(world, 23 * hour)
    expect((await pay(world)).id).toBe(first.id)
    await passes(world, 2 * hour)

    const second = await pay(world)

    expect(second.id).not.toBe(first.id)
    expect((await pay(world)).id).toBe(second.id)
    const { data } = await world.client.call('payments.history', { query: { transfer_type: 'debit' } })
    expect(data.map(({ id, idempotency_key }) => [id, idempotency_key])).toEqual([
      [second.id, key],
      [first.id, key],
    ])
    expect(world.emulator.control.checkLedger()).toMatchObject({ balanced: true })
  })

  test('validates a payment with a forgotten key', async () => {
    const world = await startWorld({ keyTtl: 24 * hour })
    const validate = () =>
      world.client.call('payments.validate', {
        headers: { 'X-Idempotency-Key': key },
        body: { source_account_id: world.colones, recipient_phone: '87000001', amount: 1000 },
      })
    await pay(world)
    await expect(validate()).rejects.toMatchObject({ status: 409 })
    await passes(world, 25 * hour)
    expect(await validate()).toMatchObject({ channel: 'sinpe_movil' })
  })

  test('keeps both payments in its file, where the key is the last one’s', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const before = await startWorld({ data, keyTtl: 24 * hour })
    await pay(before)
    await passes(before, 25 * hour)
    const second = await pay(before)
    await before.emulator.close()

    const after = await startWorld({ data, keyTtl: 24 * hour })

    expect((await pay(after)).id).toBe(second.id)
  })

  test('exports both payments, and a world of that seed repeats the last one', async () => {
    const before = await startWorld({ keyTtl: 24 * hour })
    const first = await pay(before)
    await passes(before, 25 * hour)
    const second = await pay(before)
    const { seed } = await before.emulator.control.seed()

    const after = await startWorld({ seed })

    expect((await after.emulator.control.seed()).seed.payments).toEqual(seed.payments)
    expect((await pay(after)).id).toBe(second.id)
    const { data } = await after.client.call('payments.history', { query: { transfer_type: 'debit' } })
    expect(data.map(({ id, idempotency_key }) => [id, idempotency_key])).toEqual([
      [second.id, key],
      [first.id, key],
    ])
  })
})

test('keys are otherwise saved for ever', async () => {
  const world = await startWorld()
  const first = await pay(world)
  await passes(world, 53 * 24 * hour)
  expect((await pay(world)).id).toBe(first.id)
})
