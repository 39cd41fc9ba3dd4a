import { describe, expect } from 'vitest'
import type { Shop } from '../program/shop.ts'
import { type Fixtures, minutes, payees, test } from './shop_test.ts'

const { hardware } = payees

const queue = (shop: Shop) =>
  shop.payouts.paySupplier({
    payee: { iban: hardware.iban },
    holder: hardware.name,
    amount: { value: 250_000, currency: 'CRC' },
    description: 'Invoice 4711, January',
  })

/** Expects that the shop and the bank have exactly one payment each, and that both are the same payment. */
async function expectPaidOnce({ world, clock, shop }: Pick<Fixtures, 'world' | 'clock' | 'shop'>): Promise<void> {
  await clock.advance(minutes(1))
  expect(shop.payouts.all()).toMatchObject([{ status: 'completed', in_doubt: 0 }])
  expect((await world.control.state()).payments).toMatchObject({ completed: 1, pending: 0, processing: 0, failed: 0 })
  expect(await shop.closeDay('2040-01-27')).toMatchObject({
    paid: { CRC: 250_000 },
    strangers: [],
    difference: { CRC: 0 },
  })
}

describe('a payment without an answer', () => {
  test('that was made is not made again', async ({ world, clock, shop }) => {
    await world.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
    await queue(shop)
    await shop.payouts.run()
    await expectPaidOnce({ world, clock, shop })
  })

  test('that never arrived is sent again', async ({ world, clock, shop }) => {
    await world.control.faults.add({ endpoint: 'payments.create', fault: 'reset', times: 2 })
    await queue(shop)
    await shop.payouts.run()
    await expectPaidOnce({ world, clock, shop })
  })

  test('or with one that can’t be read is not made again', async ({ world, clock, shop }) => {
    const faults = ['truncate', 'malformed', 'drip'] as const
    for (const fault of faults) await world.control.faults.add({ endpoint: 'payments.create', fault })
    await queue(shop)
    await shop.payouts.run()
    expect((await world.control.faults.list({ which: 'all' })).map(({ fired }) => fired)).toEqual([1, 1, 1])
    await expectPaidOnce({ world, clock, shop })
  })

  test('stays in doubt as long as the bank is out of order', async ({ world, clock, shop }) => {
    await world.control.faults.add({ endpoint: 'payments.create', status: 500, until: '2040-01-27T09:30:00-06:00' })
    const { id } = await queue(shop)
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'queued', in_doubt: 1 })
    await clock.advance(minutes(10))
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'queued', in_doubt: 1 })
    await clock.advance(minutes(20))
    await shop.payouts.run()
    await expectPaidOnce({ world, clock, shop })
  })

  test('is looked for in the history before it is sent again', async ({ world, clock, shop }) => {
    await world.control.faults.add({ event: '*', fault: 'drop', times: null })
    await world.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
    await world.control.faults.add({ endpoint: 'payments.create', fault: 'reset', times: null })
    const { id } = await queue(shop)
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'queued', in_doubt: 1 })
    const sent = async () => (await world.control.faults.list()).find(({ fault }) => fault === 'reset')?.fired
    const before = await sent()
    await clock.advance(minutes(1))
    await world.control.faults.add({ endpoint: 'payments.history', status: 403 })
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'held', in_doubt: 1 })
    shop.payouts.release(id)
    await shop.payouts.run()
    expect(await sent()).toBe(before)
    await expectPaidOnce({ world, clock, shop })
  })
})
