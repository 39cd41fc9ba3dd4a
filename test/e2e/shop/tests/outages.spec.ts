import { describe, expect } from 'vitest'
import { hours, minutes, payees, test } from './shop_test.ts'

const { carlos, hardware } = payees
const amount = { value: 110_000, currency: 'CRC' } as const
const invoice = {
  payee: { phone: hardware.phone },
  holder: hardware.name,
  amount,
  description: 'Invoice 4711, January',
}

describe('a bank in trouble', () => {
  test('says how long to wait, and is obeyed', async ({ world, clock, shop }) => {
    await world.control.faults.add({ endpoint: 'payments.create', status: 429, retry_after: 90 })
    const before = clock.now()
    const { id } = await shop.payouts.paySupplier(invoice)
    await shop.payouts.run()
    expect(clock.now() - before).toBe(90_000)
    expect(shop.payouts.get(id).status).toBe('sent')
  })

  test('has a limit that is used up, until the minute is over', async ({ world, clock, shop }) => {
    await shop.payouts.paySupplier(invoice)
    await clock.advance(10_000)
    await world.control.rateLimit.set({ exhausted: true })
    await shop.payouts.run()
    expect(new Date(clock.now()).toISOString()).toBe('2040-01-27T15:01:00.000Z')
    expect(shop.payouts.all()).toMatchObject([{ status: 'sent' }])
  })

  test('does not know its balances for a while', async ({ world, shop }) => {
    await world.control.faults.add({ endpoint: 'accounts.balance', status: 503, times: 3 })
    expect((await shop.closeDay('2040-01-27')).difference).toEqual({ CRC: 0, USD: 0 })
    expect((await world.control.faults.list({ which: 'all' }))[0]).toMatchObject({ fired: 3 })
  })

  test('has no rates: what is priced in colones is sold all the same', async ({ world, receive, shop }) => {
    await world.control.fx.set({ offline: true })
    const dollars = { value: 1000, currency: 'USD' } as const
    await expect(shop.orders.place(dollars, { phone: carlos.phone })).rejects.toThrow(
      'Exchange rates are currently unavailable',
    )
    const order = await shop.orders.place(amount, { phone: carlos.phone })
    await receive({ phone: carlos.phone }, 110_000)
    expect(shop.orders.get(order.id).status).toBe('paid')
    await world.control.fx.set({ offline: false })
    expect((await shop.orders.place(dollars, { phone: carlos.phone })).due).toBe(512_040)
  })

  test('has a rail that is out of order until the afternoon', async ({ world, clock, shop }) => {
    await world.control.rails.set({ sinpe_movil: 'offline' })
    const { id } = await shop.payouts.paySupplier(invoice)
    while (clock.now() < Date.parse('2040-01-27T14:00:00-06:00')) {
      await shop.payouts.run()
      expect(shop.payouts.get(id)).toMatchObject({ status: 'queued', payment_id: null })
      await clock.advance(hours(1))
    }
    await world.control.rails.set({ sinpe_movil: 'online' })
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(id)).toMatchObject({ status: 'completed', attempt: 6 })
    expect(await shop.closeDay('2040-01-27')).toMatchObject({ paid: { CRC: 110_000 }, difference: { CRC: 0 } })
  })
})
