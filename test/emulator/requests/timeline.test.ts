import { describe, expect, it } from 'vitest'
import { startReceiver } from '../control/receiver.ts'
import { startWorld, type World } from '../control/world.ts'

/** Kind, description and status of each entry of a timeline. */
const told = async ({ steer }: World, id: string) =>
  (await steer('control.timeline', { params: { id } })).map(({ kind, what, status }) => [kind, what, status])

describe('the timeline of a payment', () => {
  it('has the request, the statuses, what was booked, the events, the deliveries, and moves of the clock, in order', async () => {
    const world = await startWorld()
    const { url } = await startReceiver()
    await world.steer('control.clock.freeze')
    await world.client.call('webhooks.create', { body: { url, events: ['payment.created', 'payment.completed'] } })
    const { id } = await world.pay({ recipient_phone: '87000001' }, 150_025)
    await world.steer('control.wait', { body: { deliveries: 1 } })
    await world.steer('control.clock.advance', { body: { ms: 3_600_000 } })
    await world.client.call('payments.get', { params: { id } })
    const delivered = (event: string) => `${event}, attempt 1: delivered (${url})`
    const expected = [
      ['request', 'POST /api/payments', '201'],
      ['status', 'the payment is pending', 'pending'],
      ['entry', `hold: available of ${world.colones}`, null],
      ['entry', `hold: held of ${world.colones}`, null],
      ['event', 'event payment.created', null],
      ['delivery', delivered('payment.created'), '200'],
      ['clock', expect.stringContaining('the clock was moved to '), null],
      ['status', 'the payment is processing', 'processing'],
      ['status', 'the payment is completed', 'completed'],
      ['entry', `capture: held of ${world.colones}`, null],
      ['entry', 'capture: rail of sinpe_movil', null],
      ['event', 'event payment.completed', null],
      ['delivery', delivered('payment.completed'), '200'],
      ['request', `GET /api/payments/${id}`, '200'],
    ]
    expect(await told(world, id)).toEqual(expected)
    expect(await told(world, id.toUpperCase())).toEqual(expected)
    expect(await told(world, 'r2')).toEqual(expected)
    const all = await world.steer('control.timeline', { params: { id } })
    expect(all[2]?.amount).toEqual({ value: -150_025, currency: 'CRC', formatted: '-1,500.25 CRC' })
    expect(Date.parse(all[7]?.at ?? '') - Date.parse(all[0]?.at ?? '')).toBe(500)
    expect(Date.parse(all[13]?.at ?? '') - Date.parse(all[0]?.at ?? '')).toBe(3_600_000)
  })

  it('says why it failed to be delivered, and when that is tried again', async () => {
    const world = await startWorld()
    await world.client.call('webhooks.create', { body: { url: 'http://127.0.0.1:9/hook', events: ['payment.failed'] } })
    const { id } = await world.pay({ recipient_phone: '87000006' })
    await world.steer('control.clock.advance', { body: { ms: 1000 } })
    const all = (await told(world, id)).slice(-6)
    expect(all).toMatchObject([
      ['status', 'the payment is failed', 'failed'],
      ['entry', `release: held of ${world.colones}`, null],
      ['entry', `release: available of ${world.colones}`, null],
      ['event', 'event payment.failed', null],
      ['delivery', expect.stringMatching(/attempt 1: .*ECONNREFUSED/), null],
      ['delivery', expect.stringMatching(/attempt 2 is due \(http/), null],
    ])
  })

  it('shows an answer that was lost, and the repetition that found the payment', async () => {
    const world = await startWorld()
    await world.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'lose_answer' } })
    const send = () =>
      world.client.call('payments.create', {
        headers: { 'X-Idempotency-Key': 'k1' },
        body: { source_account_id: world.colones, amount: 100, recipient_phone: '87000001' },
      })
    await expect(send()).rejects.toThrow()
    const { id } = await send()
    const requests = (await told(world, id)).filter(([kind]) => kind === 'request')
    expect(requests).toEqual([
      ['request', 'POST /api/payments: the answer was lost; fault lose_answer', '201'],
      ['request', 'POST /api/payments: its key was known', '201'],
    ])
  })

  it('of a request without a payment is that request, and of what there is not, a 404', async () => {
    const world = await startWorld()
    await world.client.call('user.get')
    expect(await told(world, 'r1')).toEqual([['request', 'GET /api/user', '200']])
    for (const id of ['r2', world.colones]) {
      expect((await world.ask('control.timeline', { params: { id } })).status).toBe(404)
    }
    expect((await world.ask('control.timeline', { params: { id: 'x' } })).status).toBe(422)
  })
})
