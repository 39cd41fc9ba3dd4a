import { describe, expect } from 'vitest'
import { hours, minutes, payees, test } from './shop_test.ts'

const { carlos, ana, hardware, imports } = payees
const invoice = (value: number) => ({
  payee: { iban: hardware.iban },
  holder: hardware.name,
  amount: { value, currency: 'CRC' } as const,
  description: 'Invoice 4711, January',
})

describe('the end of the month', () => {
  test('is local: the last minute is January, the next one February', async ({ world, clock, receive, shop }) => {
    await world.control.clock.at({ time: '2040-01-31T23:59:30-06:00' })
    await receive({ phone: carlos.phone }, 1_000)
    await clock.advance(minutes(1))
    await receive({ phone: ana.phone }, 2_000)
    expect((await shop.closeDay('2040-01-31')).received.CRC).toBe(1_000)
    expect((await shop.closeDay('2040-02-01')).received.CRC).toBe(2_000)
  })

  test('a batch that was cut off is resumed: each supplier is paid once', async ({ world, clock, open, shop }) => {
    for (let value = 1; value <= 10; value++) await shop.payouts.paySupplier(invoice(value * 1000))
    await world.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer', after: 4, times: null })
    const dying = await open({ database: shop.database, pause: async () => Promise.reject(new Error('killed')) })
    await expect(dying.payouts.run()).rejects.toThrow('killed')
    await world.control.faults.clear()
    expect(shop.payouts.all().filter(({ status }) => status === 'sent')).toHaveLength(4)
    await clock.advance(minutes(1))
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.all().every(({ status }) => status === 'completed')).toBe(true)
    const closing = await shop.closeDay('2040-01-27')
    expect(closing).toMatchObject({ paid: { CRC: 55_000 }, fees: { CRC: 1500 }, difference: { CRC: 0, USD: 0 } })
  })

  test('two workers on one queue pay each supplier once', async ({ world, clock, open, shop }) => {
    for (let value = 1; value <= 12; value++) await shop.payouts.paySupplier(invoice(value * 1000))
    const other = await open({ database: shop.database })
    await Promise.all([shop.payouts.run(), other.payouts.run()])
    await clock.advance(minutes(1))
    expect((await world.control.state()).payments).toMatchObject({ completed: 12 })
    expect((await shop.closeDay('2040-01-27')).paid.CRC).toBe(78_000)
  })

  test('work that continues after the end of its world gets an error, and is counted', async ({
    emulator,
    world,
    shop,
  }) => {
    const { name } = world
    await world.close()
    await expect(shop.closeDay('2040-01-27')).rejects.toThrow(`The world ${name} ended at`)
    const ended = (await emulator.control.worlds.list({ status: 'ended', per_page: 1000 })).data
    const found = ended.find((world) => world.name === name)
    expect(found).toMatchObject({ status: 'ended', ended_by: 'deletion', late_requests: 1 })
  })

  test('a busy month adds up, in both currencies; what somebody else paid is noticed', async ({
    world,
    clock,
    receive,
    shop,
  }) => {
    for (let day = 0; day < 3; day++) {
      await receive({ phone: carlos.phone }, 400_000 + day)
      await receive({ iban: imports.iban, dollars: true }, 9_000 + day)
      await shop.payouts.paySupplier(invoice(123_000 + day))
      await shop.payouts.run()
      await clock.advance(hours(24))
    }
    const body = { source_account_id: shop.books.account('CRC').account_id, recipient_phone: ana.phone, amount: 5_000 }
    const { id } = await shop.bank.pay('from-a-telephone', body)
    await world.control.payments.move({ id, to: 'completed' })
    const saturday = await shop.closeDay('2040-01-28')
    expect(saturday).toMatchObject({
      received: { CRC: 400_001, USD: 9_001 },
      paid: { CRC: 123_001 },
      fees: { CRC: 150 },
    })
    const monday = await shop.closeDay('2040-01-30')
    expect(monday).toMatchObject({ received: { CRC: 0, USD: 0 }, paid: { CRC: 5_000 }, fees: { CRC: 0 } })
    expect(monday).toMatchObject({ strangers: [id], unfinished: 0, difference: { CRC: 0, USD: 0 } })
  })
})
