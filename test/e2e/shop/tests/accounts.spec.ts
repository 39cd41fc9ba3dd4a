import { describe, expect } from 'vitest'
import type { Shop } from '../program/shop.ts'
import { hours, minutes, payees, test } from './shop_test.ts'

const { hardware, lost, ana } = payees
const amount = { value: 1_000_000, currency: 'CRC' } as const
const description = 'Invoice 4711, January'
const invoice = { payee: { iban: hardware.iban }, holder: hardware.name, amount, description }

const sourceOf = (shop: Shop) => shop.books.account('CRC').account_id

describe('accounts', () => {
  test('an inactive one pays when it is active again', async ({ world, clock, shop }) => {
    await world.control.accounts.set({ id: sourceOf(shop), status: 'inactive' })
    const { id } = await shop.payouts.paySupplier(invoice)
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'held', reason: 'Source account is inactive' })
    await world.control.accounts.set({ id: sourceOf(shop), status: 'active' })
    shop.payouts.release(id)
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(id).status).toBe('completed')
  })

  test('one that is too low pays when money has come', async ({ world, clock, receive, shop }) => {
    await world.control.accounts.set({ id: sourceOf(shop), balance: 1_000_100 })
    const { id } = await shop.payouts.paySupplier(invoice)
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'held', reason: 'Insufficient balance' })
    await receive({ phone: ana.phone }, 50)
    shop.payouts.release(id)
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(id).status).toBe('completed')
    expect((await world.control.accounts.get({ id: sourceOf(shop) })).balance.value).toBe(0)
  })

  test('pay the fee of the day: a change of it is in the books', async ({ world, clock, shop }) => {
    await shop.payouts.paySupplier(invoice)
    await shop.payouts.run()
    await world.control.fees.set({ pin: 275 })
    await shop.payouts.paySupplier({ ...invoice, description: 'Invoice 4712, January' })
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(await shop.closeDay('2040-01-27')).toMatchObject({ fees: { CRC: 425 }, difference: { CRC: 0, USD: 0 } })
  })

  test('get back what a payment held that the rail has lost', async ({ clock, shop }) => {
    const { id } = await shop.payouts.paySupplier({
      payee: { phone: lost.phone },
      holder: lost.name,
      amount,
      description,
    })
    await shop.payouts.run()
    expect(await shop.closeDay('2040-01-27')).toMatchObject({ unfinished: 1, difference: null })
    await clock.advance(hours(1))
    await shop.payouts.follow()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'held' })
    expect(await shop.closeDay('2040-01-27')).toMatchObject({ unfinished: 0, difference: { CRC: 0, USD: 0 } })
  })
})
