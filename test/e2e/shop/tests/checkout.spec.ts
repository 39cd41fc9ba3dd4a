import { describe, expect } from 'vitest'
import { minutes, payees, test } from './shop_test.ts'

const { carlos, ana, imports } = payees

describe('checkout', () => {
  test('an order is paid by SINPE Móvil', async ({ receive, shop }) => {
    const order = await shop.orders.place({ value: 1_250_000, currency: 'CRC' }, { phone: carlos.phone })
    const credit = await receive({ phone: carlos.phone }, 1_250_000)
    expect(shop.orders.get(order.id).status).toBe('paid')
    expect(shop.orders.creditOf(order.id)).toMatchObject({ id: credit, payer_name: carlos.name })
  })

  test('an order is paid from an account, and not by another customer', async ({ receive, shop }) => {
    const order = await shop.orders.place({ value: 2500, currency: 'USD' }, { iban: imports.iban })
    await receive({ iban: 'CR48016100100000000018', dollars: true }, 2500)
    expect(shop.orders.get(order.id).status).toBe('open')
    await receive({ iban: imports.iban, dollars: true }, 2500)
    expect(shop.orders.get(order.id).status).toBe('paid')
  })

  test('a price in dollars is paid in colones, at the rate when it was asked for', async ({ world, receive, shop }) => {
    const order = await shop.orders.place({ value: 10_00, currency: 'USD' }, { phone: carlos.phone })
    expect(order).toMatchObject({ due: 512_040, currency: 'CRC' })
    await world.control.fx.set({ bid: 600, ask: 620 })
    await receive({ phone: carlos.phone }, 512_040)
    expect(shop.orders.get(order.id).status).toBe('paid')
  })

  test('too little money pays nothing, and goes back', async ({ clock, receive, shop }) => {
    const order = await shop.orders.place({ value: 900_000, currency: 'CRC' }, { phone: ana.phone })
    await receive({ phone: ana.phone }, 899_999)
    const [credit, ...others] = shop.orders.unmatched()
    expect(others).toEqual([])
    if (!credit) throw new Error('The credit is not there')
    const refund = shop.payouts.refund(credit)
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(refund.id)).toMatchObject({ status: 'completed', phone: ana.phone, amount: 899_999 })
    expect(shop.orders.get(order.id).status).toBe('open')
  })

  test('money for an order that has expired waits for a person', async ({ clock, receive, shop }) => {
    const order = await shop.orders.place({ value: 400_000, currency: 'CRC' }, { phone: carlos.phone })
    await clock.advance(minutes(16))
    await receive({ phone: carlos.phone }, 400_000)
    expect(shop.orders.get(order.id).status).toBe('expired')
    expect(shop.orders.unmatched()).toMatchObject([{ amount: 400_000 }])
  })
})
