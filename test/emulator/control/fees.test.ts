import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import type { SendPaymentBody } from '../../../src/contract/index.ts'
import { startSeeded } from '../seed_file/seeded.ts'
import { startWorld, type WorldUnderTest } from './world.ts'

const keyed = () => ({ headers: { 'X-Idempotency-Key': randomUUID() } })
const carlos = { recipient_phone: '87000001' }
const pacific = { recipient_iban: 'CR50010200100000000005' }

/** Fee in minor units, from the validation of a payment in colones. */
async function validated({ client, colones }: WorldUnderTest, order: Partial<SendPaymentBody>): Promise<number> {
  const body = { source_account_id: colones, amount: 1000, ...order }
  return (await client.call('payments.validate', { ...keyed(), body })).fee.value
}

describe('fees', () => {
  it('are those of the moment a payment is made', async () => {
    const { steer, client, colones, pay } = await startWorld()
    const usual = { pin: 100, pin_usd: 100, sinpe_movil: 0, own_accounts: 'same' }
    expect(await steer('control.fees.get')).toEqual(usual)
    const old = await pay({ recipient_phone: '87000001' })
    expect(await steer('control.fees.set', { body: { sinpe_movil: 250 } })).toEqual({ ...usual, sinpe_movil: 250 })
    const body = { source_account_id: colones, amount: 1000, recipient_phone: '87000001' }
    expect(await client.call('payments.validate', { ...keyed(), body })).toMatchObject({ fee: { value: 250 } })
    const dear = await pay({ recipient_phone: '87000001' })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    const feeOf = async (id: string) => (await client.call('payments.get', { params: { id } })).fee?.value
    expect([await feeOf(old.id), await feeOf(dear.id)]).toEqual([0, 250])
    expect(await steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it('are in colones for a whole rail; dollars have separate fees', async () => {
    const world = await startWorld({ settle: 'instant' })
    await world.steer('control.fees.set', { body: { pin: 60_000 } })
    const fromDollars = { source_account_id: world.dollars, ...pacific }
    expect(await validated(world, fromDollars)).toBe(100)
    await world.steer('control.fees.set', { body: { pin_usd: 25 } })
    expect(await validated(world, fromDollars)).toBe(25)
    expect(await validated(world, { recipient_iban: 'CR73015100100000000001' })).toBe(60_000)

    const { id } = await world.pay(pacific, 1000, world.dollars)
    const { fee } = await world.client.call('payments.get', { params: { id } })
    expect(fee).toEqual({ value: 25, currency: 'USD', formatted: '0.25 USD' })
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it('depend on the band of the amount, which includes its upper end', async () => {
    const world = await startWorld({ settle: 'instant' })
    const bands = [
      { up_to: 100_000, fee: 0 },
      { up_to: 500_000, fee: 150 },
      { up_to: null, fee: 300 },
    ]
    await world.steer('control.fees.set', { body: { sinpe_movil: bands } })
    const feeOf = (amount: number) => validated(world, { ...carlos, amount })
    expect([await feeOf(1), await feeOf(100_000)]).toEqual([0, 0])
    expect([await feeOf(100_001), await feeOf(500_000)]).toEqual([150, 150])
    expect([await feeOf(500_001), await feeOf(200_000_000)]).toEqual([300, 300])

    const before = (await world.client.call('accounts.balance', { params: { id: world.colones } })).balance
    await world.pay(carlos, 500_001)
    const after = (await world.client.call('accounts.balance', { params: { id: world.colones } })).balance
    expect(before - after).toBe(500_301)
  })

  it('are as usual between accounts of one user, or nothing if so set', async () => {
    const world = await startWorld()
    const own = (await world.client.call('accounts.create', { body: { currency: 'CRC' } })).iban
    const { iban: neighbours } = await world.steer('control.accounts.get', {
      params: { id: demo.neighbour.account.id },
    })
    expect(await validated(world, { recipient_iban: own })).toBe(100)
    await world.steer('control.fees.set', { body: { own_accounts: 'free' } })
    expect(await validated(world, { recipient_iban: own })).toBe(0)
    expect(await validated(world, { recipient_iban: neighbours })).toBe(100)
    expect(await validated(world, { recipient_iban: 'CR73015100100000000001' })).toBe(100)
  })

  it('are those of the seed, for its payments too, and go back to them with a reset', async () => {
    const emulator = await startSeeded({
      extends: 'demo',
      fees: {
        pin_usd: [
          { up_to: 500, fee: 1 },
          { up_to: null, fee: 7 },
        ],
        own_accounts: 'free',
      },
      accounts: [{ alias: 'savings', user: demo.user.id }],
      payments: [
        { account: demo.accounts[1].id, to: 'CR50010200100000000005', amount: 501 },
        { account: demo.accounts[0].id, to: 'savings', amount: 501 },
      ],
    })
    const { control } = emulator
    const rows = await control.sql({ query: 'SELECT currency, fee FROM payments ORDER BY currency' })
    expect(rows).toMatchObject({
      rows: [
        ['CRC', 0],
        ['CRC', 0],
        ['USD', 7],
      ],
    })
    await control.fees.set({ pin_usd: 9 })
    await control.reset()
    expect(await control.fees.get()).toMatchObject({ pin: 100, pin_usd: [{ up_to: 500 }, { fee: 7 }] })
  })
})

it.each([
  [{ pin: -1 }, 'pin'],
  [{ pin: 1.5 }, 'pin'],
  [{ sinpe_movil: '100' }, 'sinpe_movil'],
  [{ pin_usd: [] }, 'pin_usd'],
  [{ pin_usd: [{ up_to: 100, fee: 1 }] }, 'pin_usd'],
  [
    {
      pin: [
        { up_to: null, fee: 1 },
        { up_to: null, fee: 2 },
      ],
    },
    'pin',
  ],
  [
    {
      pin: [
        { up_to: 200, fee: 1 },
        { up_to: 100, fee: 2 },
        { up_to: null, fee: 3 },
      ],
    },
    'pin',
  ],
  [{ own_accounts: 'cheap' }, 'own_accounts'],
])('%j is refused and changes nothing', async (body, field) => {
  const { ask, steer } = await startWorld()
  const before = await steer('control.fees.get')
  const answer = await ask('control.fees.set', { body })
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
  expect(await steer('control.fees.get')).toEqual(before)
})
