import { describe, expect } from 'vitest'
import { hours, minutes, payees, test } from './shop_test.ts'

const { carlos, ana, hardware, imports, closed, rejecting } = payees
const description = 'Invoice 4711, January'

describe('payouts', () => {
  test('a supplier is paid by IBAN, with the fee of the rail', async ({ world, clock, shop }) => {
    const amount = { value: 12_345_600, currency: 'CRC' } as const
    const { id } = await shop.payouts.paySupplier({
      payee: { iban: hardware.iban },
      holder: 'FERRETERIA EL ROBLE S.A.',
      amount,
      description,
    })
    await shop.payouts.run()
    const { payment_id } = shop.payouts.get(id)
    await clock.advance(minutes(1))
    await world.until.payment(payment_id ?? '', 'completed')
    expect(shop.payouts.get(id).status).toBe('completed')
    const closing = await shop.closeDay('2040-01-27')
    expect(closing).toMatchObject({ paid: { CRC: 12_345_600 }, fees: { CRC: 150 }, difference: { CRC: 0, USD: 0 } })
  })

  test('one in dollars leaves the account in dollars', async ({ clock, shop }) => {
    const amount = { value: 150_000, currency: 'USD' } as const
    const { id } = await shop.payouts.paySupplier({ payee: imports, holder: imports.name, amount, description })
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(id).status).toBe('completed')
    expect(await shop.closeDay('2040-01-27')).toMatchObject({
      paid: { CRC: 0, USD: 150_000 },
      difference: { CRC: 0, USD: 0 },
    })
  })

  test('an account of another holder, or of nobody, is not paid', async ({ world, shop }) => {
    const amount = { value: 500_000, currency: 'CRC' } as const
    const wrong = await shop.payouts.paySupplier({
      payee: { phone: ana.phone },
      holder: hardware.name,
      amount,
      description,
    })
    expect(wrong).toMatchObject({ status: 'held', reason: `The account is that of ${ana.name}` })
    const nobody = await shop.payouts.paySupplier({
      payee: { phone: '89999999' },
      holder: ana.name,
      amount,
      description,
    })
    expect(nobody).toMatchObject({ status: 'held', reason: 'There is no such account' })
    await shop.payouts.run()
    expect((await world.control.state()).payments).toMatchObject({ pending: 0 })
  })

  test('a refund goes back to who paid, once', async ({ clock, receive, shop }) => {
    const order = await shop.orders.place({ value: 640_000, currency: 'CRC' }, { phone: carlos.phone })
    await receive({ phone: carlos.phone }, 640_000)
    const credit = shop.orders.creditOf(order.id)
    if (!credit) throw new Error('The order is not paid')
    expect(shop.payouts.refund(credit)).toEqual(shop.payouts.refund(credit))
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.all()).toMatchObject([{ phone: carlos.phone, amount: 640_000, status: 'completed' }])
    expect(shop.orders.get(order.id).status).toBe('refunded')
  })

  test('a worker that is started again and again pays each supplier once', async ({ clock, open }) => {
    const shop = await open()
    await shop.books.open()
    const { iban, name: holder } = hardware
    for (let number = 1; number <= 6; number++) {
      const amount = { value: 100_000 + number, currency: 'CRC' } as const
      await shop.payouts.paySupplier({ payee: { iban }, holder, amount, description: `Invoice ${number}, January` })
    }
    const isDone = () => shop.payouts.all().every(({ status }) => status === 'completed')
    for (let round = 1; round <= 60 && !isDone(); round++) {
      const worker = await open({ database: shop.database, attempts: 1 }) // ends at its first failure
      await worker.payouts.run()
      await clock.advance(minutes(1))
      await worker.payouts.follow().catch(() => {})
    }
    expect(isDone()).toBe(true)
  })

  test('what the payee’s bank refuses is held with the reason, and goes elsewhere', async ({ clock, shop }) => {
    const amount = { value: 100_000, currency: 'CRC' } as const
    const known = await shop.payouts.paySupplier({
      payee: { iban: closed.iban },
      holder: closed.name,
      amount,
      description,
    })
    expect(known).toMatchObject({ status: 'held', reason: 'The account is closed' })
    const { id } = await shop.payouts.paySupplier({
      payee: { phone: rejecting.phone },
      holder: rejecting.name,
      amount,
      description,
    })
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(id)).toMatchObject({ status: 'held', payment_id: expect.any(String) })
    expect(shop.payouts.get(id).reason).toBeTruthy()
    const { CRC } = (await shop.closeDay('2040-01-27')).difference ?? {}
    expect(CRC).toBe(0)
    await clock.advance(hours(1))
    expect(shop.payouts.get(id).status).toBe('held')
  })
})
