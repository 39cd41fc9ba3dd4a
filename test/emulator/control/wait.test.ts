import { describe, expect, it } from 'vitest'
import { Clock } from '../../../emulator/clock.ts'
import { Waits } from '../../../emulator/observation/waits.ts'
import { startReceiver } from './receiver.ts'
import { startWorld } from './world.ts'

const carlos = { recipient_phone: '87000001' }

describe('a wait for a payment', () => {
  it('ends when the payment gets there by itself', async () => {
    const { steer, pay } = await startWorld({ settle: 40 })
    const { id } = await pay(carlos)
    const seen = await steer('control.wait', { body: { payment: id, status: 'completed' } })
    expect(seen).toEqual({ payment: { id, status: 'completed' } })
    expect(await steer('control.wait', { body: { payment: id, status: 'completed', timeout_ms: 0 } })).toEqual(seen)
  })

  it('is woken by what changes it, however many wait', async () => {
    const { steer, pay } = await startWorld()
    const { id } = await pay(carlos)
    const waits = ['processing', 'failed'] as const
    const all = waits.map((status) => steer('control.wait', { body: { payment: id, status } }))
    await steer('control.payments.move', { params: { id }, body: { to: 'processing' } })
    expect(await all[0]).toEqual({ payment: { id, status: 'processing' } })
    await steer('control.payments.move', { params: { id }, body: { to: 'failed' } })
    expect(await all[1]).toEqual({ payment: { id, status: 'failed' } })
  })

  it.each([
    ['that the move passes through', 'processing'],
    ['that the move ends in', 'completed'],
  ] as const)('ends with the status %s, whether it begins before, during or after the move', async (_, status) => {
    const { steer, pay } = await startWorld()
    for (let round = 0; round < 10; round++) {
      const { id } = await pay(carlos, 1)
      const body = { payment: id, status }
      const before = steer('control.wait', { body })
      if (round % 2 === 0) await steer('control.clock.get')
      await steer('control.clock.advance', { body: { ms: 60_000 } })
      for (const wait of [before, steer('control.wait', { body })])
        expect(await wait).toEqual({ payment: { id, status } })
    }
  })

  it('does not end with a status that the payment has not been in', async () => {
    const { ask, pay, steer } = await startWorld()
    const { id } = await pay({ recipient_phone: '87000009' })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    const ends = await ask('control.wait', { body: { payment: id, status: 'processing' } })
    const message = 'The payment is validation_failed, not processing, and will never be'
    expect(ends).toMatchObject({ status: 409, body: { message } })
  })

  it('reports the actual status at its time limit, or at once if the awaited status is impossible', async () => {
    const { ask, pay, steer } = await startWorld()
    const { id } = await pay(carlos)
    const late = await ask('control.wait', { body: { payment: id, status: 'completed', timeout_ms: 30 } })
    expect(late).toMatchObject({
      status: 409,
      body: {
        message: 'The payment is pending, not completed, after 30 ms',
        errors: { payment: { id, status: 'pending' } },
      },
    })
    await steer('control.payments.move', { params: { id }, body: { to: 'failed' } })
    const hopeless = await ask('control.wait', { body: { payment: id, status: 'completed', timeout_ms: 600_000 } })
    expect(hopeless.status).toBe(409)
    expect(hopeless.body.message).toBe('The payment is failed, not completed, and will never be')
  })
})

describe('a wait for deliveries', () => {
  it('counts those to a URL and of an event', async () => {
    const { steer, ask, pay, client } = await startWorld({ settle: 20 })
    const [one, other] = [await startReceiver(), await startReceiver()]
    await client.call('webhooks.create', { body: { url: one.url, events: ['payment.completed'] } })
    await client.call('webhooks.create', { body: { url: other.url, events: ['payment.created', 'payment.completed'] } })
    const waiting = steer('control.wait', { body: { deliveries: 2, url: one.url } })
    await pay(carlos)
    await pay(carlos)
    expect(await waiting).toMatchObject({ deliveries: { delivered: 2 } })
    expect(one.received).toHaveLength(2)
    expect(await steer('control.wait', { body: { deliveries: 6 } })).toMatchObject({ deliveries: { delivered: 6 } })
    const created = { deliveries: 2, url: other.url, event: 'payment.created' as const }
    expect(await steer('control.wait', { body: created })).toMatchObject({ deliveries: { delivered: 2, pending: 0 } })
    const more = await ask('control.wait', { body: { ...created, deliveries: 3, timeout_ms: 20 } })
    expect(more.body).toMatchObject({
      message: 'Delivered: 2 of 3, pending: 0, exhausted: 0, after 20 ms',
      errors: { deliveries: { delivered: 2, pending: 0, exhausted: 0 } },
    })
  })
})

describe('a wait for requests', () => {
  it('counts those to an endpoint since the world was made, whatever their answers', async () => {
    const { steer, ask, pay, client } = await startWorld()
    await steer('control.faults.add', { body: { endpoint: 'payments.create', status: 500 } })
    await expect(pay(carlos)).rejects.toThrow('the service answered 500')
    const waiting = steer('control.wait', { body: { requests: 2, endpoint: 'payments.create' } })
    await client.call('user.get')
    await pay(carlos)
    expect(await waiting).toEqual({ requests: { came: 2, answered: 2 } })
    const more = await ask('control.wait', { body: { requests: 3, endpoint: 'payments.create', timeout_ms: 20 } })
    expect(more).toMatchObject({
      status: 409,
      body: {
        message: 'Answered requests to payments.create: 2 of 3, after 20 ms',
        errors: { requests: { came: 2, answered: 2 } },
      },
    })
    expect(await steer('control.wait', { body: { requests: 3 } })).toEqual({ requests: { came: 3, answered: 3 } })
  })

  it('says that no more come within its time, and is refused as soon as one comes', async () => {
    const { steer, ask, pay } = await startWorld()
    const none = { max_requests: 0, endpoint: 'payments.create' as const }
    const seen = await steer('control.wait', { body: { ...none, timeout_ms: 20 } })
    expect(seen).toEqual({ requests: { came: 0, answered: 0 } })
    const long = ask('control.wait', { body: { ...none, timeout_ms: 600_000 } })
    await steer('control.faults.add', { body: { endpoint: 'payments.create', delay_ms: 50 } })
    const paying = pay(carlos)
    const refused = await long
    expect(refused.status).toBe(409)
    expect(refused.body.message).toBe('1 request to payments.create came, and the limit is 0')
    await paying
    const one = await steer('control.wait', { body: { ...none, max_requests: 1, timeout_ms: 0 } })
    expect(one).toEqual({ requests: { came: 1, answered: 1 } })
    expect((await ask('control.wait', { body: { ...none, timeout_ms: 600_000 } })).status).toBe(409)
  })
})

describe('a wait for an idle world', () => {
  it('ends where deliveries are sent one after another, and came due while one was sent', async () => {
    const world = await startWorld({ settle: 'instant', rngSeed: 1, clock: '2026-01-05T18:00:00Z' })
    const receiver = await startReceiver()
    await world.client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.created'] } })
    for (let payment = 0; payment < 5; payment++) await world.pay(carlos)
    const seen = await world.steer('control.wait', { body: { idle: true, timeout_ms: 5000 } })
    expect(seen).toEqual({ idle: { sending: false, next_due_at: null } })
  })

  it('ends when payments have ended and their webhooks have come', async () => {
    const { steer, pay, client } = await startWorld({ settle: 20 })
    const receiver = await startReceiver()
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.completed'] } })
    const done = { idle: { sending: false, next_due_at: null } }
    expect(await steer('control.wait', { body: { idle: true, timeout_ms: 0 } })).toEqual(done)
    for (let i = 0; i < 20; i++) await pay(carlos, 1)
    expect(await steer('control.wait', { body: { idle: true } })).toEqual(done)
    expect(receiver.received).toHaveLength(20)
    expect(await steer('control.state')).toMatchObject({ unfinished: 0, deliveries: { pending: 0 } })
  })

  it('says when the next step is due, and whether a delivery is under way', async () => {
    const { ask, pay, client } = await startWorld()
    const receiver = await startReceiver()
    receiver.answer(null)
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.created'] } })
    await pay(carlos)
    await expect.poll(() => receiver.received).toHaveLength(1)
    const { body } = await ask('control.wait', { body: { idle: true, timeout_ms: 20 } })
    expect(body.message).toMatch(
      /^The world is not idle: the next step is due at \S+Z, and deliveries are being sent, after 20 ms$/,
    )
    expect(body.errors).toMatchObject({ idle: { sending: true, next_due_at: expect.any(String) } })
  })
})

it.each([
  [{}, 'payment'],
  [{ idle: true, deliveries: 1 }, 'payment'],
  [{ payment: '01900000-0000-7000-8000-00000000ffff' }, 'status'],
  [{ idle: true, timeout_ms: 1e9 }, 'timeout_ms'],
  [{ requests: 1, max_requests: 1 }, 'payment'],
  [{ requests: 0 }, 'requests'],
  [{ requests: 1, endpoint: 'payments.make' }, 'endpoint'],
])('a wait for %j is refused', async (body, field) => {
  const { ask } = await startWorld()
  const answer = await ask('control.wait', { body })
  expect(answer.status).toBe(422)
  expect(Object.keys(answer.body.errors)).toEqual([field])
})

it('a wait for a payment that is not there is a 404', async () => {
  const { ask } = await startWorld()
  const body = { payment: '01900000-0000-7000-8000-00000000ffff', status: 'completed' }
  expect((await ask('control.wait', { body })).status).toBe(404)
})

it('a wait ends with its world: 410, which says so', async () => {
  const world = await startWorld()
  const { ask, made } = await world.make()
  const body = { deliveries: 1, timeout_ms: 600_000 }
  const [own, first] = [ask('control.wait', { body }), world.ask('control.wait', { body })]
  // Once these later waits have ended, both earlier waits have begun.
  const short = { deliveries: 1, timeout_ms: 100 }
  await Promise.all([ask('control.wait', { body: short }), world.ask('control.wait', { body: short })])
  await world.steer('control.worlds.delete', { params: { name: made.name } })
  await world.steer('control.reset')
  for (const { status, body } of [await own, await first]) {
    expect(status).toBe(410)
    expect(body.message).toMatch(/^The world ended during the wait/)
  }
})

describe('a wait whose client has gone', () => {
  it('ends at once, not with its time', async () => {
    const waits = new Waits(new Clock())
    const gone = new AbortController()
    const sight = { seen: 'pending', done: false }
    const [before, after] = [waits.until(() => sight, 600_000, gone.signal), Promise.resolve().then(() => gone.abort())]
    await after
    expect([await before, await waits.until(() => sight, 600_000, gone.signal)]).toEqual([sight, sight])
  })
})
