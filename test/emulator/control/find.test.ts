import { describe, expect, it } from 'vitest'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const carlos = 'CR73015100100000000001'

const find = async ({ steer }: World, id: string) =>
  (await steer('control.find', { query: { id } })).map(({ matched, kind, id }) => [matched, kind, id])

/** A world with a completed payment, made with the key `rent-1`, and a delivered event. */
async function busyWorld() {
  const world = await startWorld()
  const { url } = await startReceiver()
  const hook = await world.client.call('webhooks.create', { body: { url, events: ['payment.completed'] } })
  const { id } = await world.client.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'rent-1' },
    body: { source_account_id: world.colones, amount: 150_025, recipient_iban: carlos },
  })
  await world.steer('control.payments.move', { params: { id }, body: { to: 'completed' } })
  const payment = await world.steer('control.payments.get', { params: { id } })
  return { world, payment, hook }
}

describe('any id', () => {
  it('leads to what has it, whatever its kind', async () => {
    const { world, payment, hook } = await busyWorld()
    const { id, channel_reference, sinpe_reference = '', deliveries, events, user_id } = payment
    const found = (text: string) => find(world, text)
    expect(await found(id)).toEqual([['id', 'payment', id]])
    expect(await found(` ${id.toUpperCase()} `)).toEqual([['id', 'payment', id]])
    expect(await found(channel_reference)).toEqual([['channel_reference', 'payment', id]])
    expect(await found(sinpe_reference)).toEqual([['sinpe_reference', 'payment', id]])
    expect(await found('rent-1')).toEqual([
      ['idempotency_key', 'payment', id],
      ['idempotency_key', 'request', 'r2'],
    ])
    expect(await found('r2')).toEqual([['request_id', 'request', 'r2']])
    expect(await found(deliveries[0]?.id ?? '')).toEqual([['delivery_id', 'delivery', deliveries[0]?.id]])
    expect(await found(events[0]?.id ?? '')).toEqual([['event_id', 'payment', id]])
    expect(await found(hook.id ?? '')).toEqual([['id', 'subscription', hook.id]])
    expect(await found(world.colones)).toEqual([['id', 'account', world.colones]])
    expect(await found(user_id)).toEqual([['id', 'user', user_id]])
  })

  it('of an address leads to its holder and the payments to it, as people write it', async () => {
    const { world, payment } = await busyWorld()
    const { id } = await world.pay({ recipient_phone: '88005678' }, 500)
    const expected = [
      ['iban', 'registry_entry', carlos],
      ['iban', 'payment', payment.id],
    ]
    expect(await find(world, carlos)).toEqual(expected)
    expect(await find(world, 'CR73 0151 0010 0000 0000 01')).toEqual(expected)
    expect(await find(world, 'CR76099910000000000001')).toEqual([['iban', 'account', world.colones]])
    const phone = await find(world, '+506 8800-5678')
    expect(phone).toMatchObject([
      ['phone', 'user', expect.any(String)],
      ['phone', 'payment', id],
    ])
  })

  it('of a payment within the world leads to the records of both sides', async () => {
    const world = await startWorld({ settle: 'instant' })
    const { id } = await world.pay({ recipient_phone: '88005678' }, 500)
    const { channel_reference, sinpe_reference = '' } = await world.steer('control.payments.get', { params: { id } })
    for (const reference of [channel_reference, sinpe_reference]) {
      const both = await find(world, reference)
      expect(both).toMatchObject([
        [expect.any(String), 'payment', id],
        [expect.any(String), 'payment', expect.any(String)],
      ])
    }
  })

  it('of money from another bank is its reference, and the key that the emulator made', async () => {
    const { world } = await busyWorld()
    const sinpe_reference = '2026010537083000000000961'
    const body = { to: '88001234', amount: 500, sinpe_reference }
    const scheduled = await world.steer('control.credits.schedule', { body: { ...body, after_ms: 0 } })
    await world.steer('control.clock.advance', { body: { ms: 0 } })
    const matches = await find(world, sinpe_reference)
    expect(matches.map(([, kind]) => kind)).toEqual(['payment', 'scheduled_credit'])
    const { idempotency_key } = await world.steer('control.payments.get', { params: { id: matches[0]?.[2] ?? '' } })
    expect(await find(world, idempotency_key)).toEqual([['idempotency_key', 'payment', matches[0]?.[2]]])
    expect(scheduled.id).toBe(matches[1]?.[2])
  })

  it('leads to the request with a key that made no payment', async () => {
    const { world } = await busyWorld()
    const headers = { 'X-Idempotency-Key': 'refused-1' }
    const body = { source_account_id: world.colones, amount: 1, recipient_iban: 'CR00' }
    await world.client.call('payments.create', { headers, body } as never).catch(() => {})
    expect(await find(world, 'refused-1')).toEqual([['idempotency_key', 'request', 'r3']])
  })

  it('that is a part leads to ids with it, else to payments with the text', async () => {
    const { world, payment } = await busyWorld()
    expect(await find(world, `...${payment.id.slice(-6)}`)).toEqual([['part_of_id', 'payment', payment.id]])
    expect(await find(world, 'ent-1')).toEqual([['text', 'payment', payment.id]])
    expect(await find(world, 'Carlos')).toEqual([['text', 'payment', payment.id]])
    expect(await find(world, 'nobody')).toEqual([])
    expect((await world.ask('control.find', { query: { id: '' } })).status).toBe(422)
  })
})
