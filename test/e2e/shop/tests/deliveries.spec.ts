import { describe, expect } from 'vitest'
import { hours, minutes, payees, test } from './shop_test.ts'

const { carlos, hardware } = payees

describe('deliveries', () => {
  test('one that comes twice pays once', async ({ world, receive, shop }) => {
    await world.control.faults.add({ event: 'transaction.received', fault: 'duplicate' })
    const first = await shop.orders.place({ value: 70_000, currency: 'CRC' }, { phone: carlos.phone })
    const second = await shop.orders.place({ value: 70_000, currency: 'CRC' }, { phone: carlos.phone })
    await receive({ phone: carlos.phone }, 70_000)
    const [{ attempts } = { attempts: 0 }] = (await world.control.deliveries.list()).data
    expect(attempts).toBe(2)
    expect([first, second].map(({ id }) => shop.orders.get(id).status)).toEqual(['paid', 'open'])
  })

  test('one that is late finds its order paid by then', async ({ world, clock, shop }) => {
    await world.control.faults.add({ event: 'transaction.received', delay_ms: minutes(10) })
    const order = await shop.orders.place({ value: 70_000, currency: 'CRC' }, { iban: carlos.iban })
    await world.control.credits.create({ to: shop.books.account('CRC').iban, amount: 70_000, from_iban: carlos.iban })
    expect(shop.orders.get(order.id).status).toBe('open')
    expect(await shop.closeDay('2040-01-27')).toMatchObject({
      received: { CRC: 70_000 },
      difference: { CRC: 0, USD: 0 },
    })
    expect(shop.orders.get(order.id).status).toBe('paid')
    await clock.advance(minutes(10))
    expect((await world.control.deliveries.list()).data).toMatchObject([{ status: 'delivered' }])
    expect(shop.orders.unmatched()).toEqual([])
  })

  test('those of a payment may come in the wrong order', async ({ world, clock, shop }) => {
    await world.control.faults.add({ event: 'payment.processing', fault: 'reorder' })
    const amount = { value: 300_000, currency: 'CRC' } as const
    const { id } = await shop.payouts.paySupplier({
      payee: hardware,
      holder: hardware.name,
      amount,
      description: 'Invoice 4711, January',
    })
    await shop.payouts.run()
    await clock.advance(minutes(5))
    const order = (await world.control.deliveries.list()).data.map(({ event, status }) => `${event} ${status}`)
    expect(order.sort()).toEqual(['payment.completed delivered', 'payment.processing delivered'])
    expect(shop.payouts.get(id).status).toBe('completed')
  })

  test('one that never comes is found when the day is closed', async ({ world, receive, shop }) => {
    await world.control.faults.add({ event: '*', fault: 'drop', times: null })
    const order = await shop.orders.place({ value: 55_500, currency: 'CRC' }, { iban: carlos.iban })
    await receive({ iban: carlos.iban }, 55_500)
    expect(shop.orders.get(order.id).status).toBe('open')
    await shop.closeDay('2040-01-27')
    expect(shop.orders.get(order.id).status).toBe('paid')
    expect((await world.control.faults.list())[0]).toMatchObject({ fired: 1 })
  })

  test('one from a stranger is refused', async ({ world, receive, shop }) => {
    const order = await shop.orders.place({ value: 80_000, currency: 'CRC' }, { phone: carlos.phone })
    await receive({ phone: '87000002' }, 80_000)
    const [{ id } = { id: '' }] = (await world.control.deliveries.list()).data
    const { body } = await world.control.deliveries.get({ id })
    const forged = JSON.stringify(body)
      .replaceAll('87000002', carlos.phone)
      .replace(/"id":"[^"]*"/, `"id":"${order.id}"`)
    for (const secret of ['', 'Bearer ', 'Bearer guessed', `Bearer ${'x'.repeat(32)}`]) {
      const { status } = await fetch(shop.hookUrl, { method: 'POST', body: forged, headers: { Authorization: secret } })
      expect(status).toBe(401)
    }
    expect(shop.orders.get(order.id).status).toBe('open')
  })

  test('those that came while the shop was down are tried again', async ({ world, clock, shop }) => {
    const order = await shop.orders.place({ value: 91_000, currency: 'CRC' }, { phone: carlos.phone })
    shop.maintain(true)
    const { id } = await world.control.credits.create({
      to: String(world.user.phone),
      amount: 91_000,
      from_phone: carlos.phone,
    })
    await clock.advance(minutes(1))
    expect(shop.orders.get(order.id).status).toBe('open')
    shop.maintain(false)
    await clock.advance(hours(1))
    expect(shop.orders.creditOf(order.id)).toMatchObject({ id })
  })
})
