import { describe, expect, it } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const carlos = 'CR73015100100000000001'

const balanceOf = async ({ client, colones }: World, id = colones) =>
  (await client.call('accounts.balance', { params: { id } })).balance
const giveBack = ({ ask }: World, id: string) => ask('control.payments.return', { params: { id } })

describe('a completed payment that is returned', () => {
  it.each([
    ['pin', { recipient_iban: carlos }],
    ['sinpe_movil', { recipient_phone: '87000001' }],
  ] as const)(
    'credits its payer over %s with the amount, names its reference, and stays completed',
    async (channel, to) => {
      const world = await startWorld({ settle: 'instant' })
      const receiver = await startReceiver()
      await world.client.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
      const { id } = await world.pay(to, 5000)
      const paid = await world.client.call('payments.get', { params: { id } })
      const before = await balanceOf(world)

      const credit = await world.steer('control.payments.return', { params: { id } })

      expect(credit).toMatchObject({
        transfer_type: 'credit',
        status: 'completed',
        channel,
        amount: paid.amount,
        description: `Return of ${paid.sinpe_reference}`,
        payer: { name: paid.payee.name, document_number: paid.payee.document_number },
        payee: { name: paid.payer.name },
      })
      expect(await balanceOf(world)).toBe(before + 5000)
      expect(await world.client.call('payments.get', { params: { id } })).toEqual(paid)
      expect(await world.client.call('payments.get', { params: { id: credit.id } })).toEqual(credit)
      await world.steer('control.clock.advance', { body: { ms: 0 } })
      expect(receiver.received).toMatchObject([
        { event: 'transaction.received', data: { id: credit.id, description: credit.description } },
      ])
      expect(await world.steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
    },
  )

  it('is returned only once, in a fork of its world too', async () => {
    const world = await startWorld({ settle: 'instant' })
    const { id } = await world.pay({ recipient_iban: carlos }, 5000)
    await world.steer('control.payments.return', { params: { id } })
    const before = await balanceOf(world)
    const fork = await world.make({ from: { world: 'default' } })
    for (const each of [world, fork]) {
      const again = await each.ask('control.payments.return', { params: { id } })
      expect(again).toMatchObject({ status: 409, body: { message: 'The payment has already been returned' } })
    }
    expect(await balanceOf(world)).toBe(before)
    expect((await world.steer('control.seed')).left_out).toContain('information on which payments were returned (1)')
  })
})

describe('a return', () => {
  it.each([
    ['87000006', 'The payment is failed: only a completed payment can be returned'],
    ['87000011', 'The payment is processing: only a completed payment can be returned'],
  ])('is impossible for a payment to %s that did not complete', async (recipient_phone, message) => {
    const world = await startWorld({ settle: 'instant' })
    const { id } = await world.pay({ recipient_phone })
    expect(await giveBack(world, id)).toMatchObject({ status: 409, body: { message } })
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it('is impossible for a payment between two accounts of the emulator, and for its credit', async () => {
    const world = await startWorld({ settle: 'instant' })
    const { iban } = await world.client.call('accounts.create', { body: { currency: 'CRC' } })
    const { id } = await world.pay({ recipient_iban: iban })
    expect((await giveBack(world, id)).body.message).toContain('send a payment back instead')
    const { data } = await world.client.call('payments.history', { query: { transfer_type: 'credit' } })
    expect((await giveBack(world, data[0]?.id ?? '')).body.message).toContain('only a sent payment')
  })

  it('is impossible if the payer’s account is closed or the rail is offline', async () => {
    const world = await startWorld({ settle: 'instant' })
    const { id } = await world.pay({ recipient_iban: carlos })
    await world.steer('control.rails.set', { body: { pin: 'offline' } })
    expect(await giveBack(world, id)).toMatchObject({ status: 409, body: { message: 'The payment rail is offline' } })
    await world.steer('control.rails.set', { body: { pin: 'online' } })
    const params = { id: world.colones }
    await world.steer('control.accounts.set', { params, body: { status: 'closed' } })
    expect((await giveBack(world, id)).body.message).toBe('The payer’s account is closed')
    await world.steer('control.accounts.set', { params, body: { status: 'active' } })
    expect((await giveBack(world, id)).status).toBe(201)
    expect((await giveBack(world, demo.user.id)).status).toBe(404)
  })
})
