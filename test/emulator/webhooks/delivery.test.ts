import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { events } from '../../../src/contract/index.ts'
import { receiver } from '../../support/receiver.ts'
import { allPaymentEvents, crc, world } from './world.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })
const isEvent = ajv.compile({ anyOf: Object.values(events) })

describe('each step of a payment is delivered', () => {
  test('created, processing and completed arrive in order, in the shape of the contract', async () => {
    await using target = await receiver()
    await using here = await world()
    await here.subscribe(target.url, allPaymentEvents)
    const payment = await here.pay()
    await here.advance(10)
    expect(target.received.map(({ body }) => [body.event, body.data.status])).toEqual([
      ['payment.created', 'pending'],
      ['payment.processing', 'processing'],
      ['payment.completed', 'completed'],
    ])
    for (const { body } of target.received) {
      expect(isEvent(body), JSON.stringify(isEvent.errors)).toBe(true)
      expect(body.data.id).toBe(payment.id)
    }
    const [created, processing, completed] = target.received.map(({ body }) => body.data)
    expect(created).toMatchObject({ fee: null, completed_at: null, sinpe_reference: null, transfer_type: 'debit' })
    expect(processing).toMatchObject({ fee: null, completed_at: null })
    expect(completed?.fee).toEqual({ value: 0, currency: 'CRC', formatted: '0.00 CRC' })
    expect(completed?.sinpe_reference).toMatch(/^\d{25}$/)
    expect(completed?.completed_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(here.faults).toEqual([])
  })

  test('a failed one carries error and state_code, and neither fee nor completed_at', async () => {
    await using target = await receiver()
    await using here = await world()
    await here.subscribe(target.url, ['payment.failed'])
    await here.pay('87000006')
    await here.advance(10)
    expect(target.received).toHaveLength(1)
    expect(target.received[0]?.body.data).toMatchObject({
      status: 'failed',
      fee: null,
      completed_at: null,
      error: 'The payment was rejected by the destination entity',
      state_code: 'rejected',
    })
  })

  test('the event of a failed payment has any code and text of its payee', async () => {
    await using target = await receiver()
    await using here = await world()
    const why = { state_code: 'RECHAZO_17', error: 'La cuenta destino está embargada' }
    const holder = { phone: '71112222', name: 'Pedro Mora', document_number: '0109990889', outcome: 'failed' as const }
    await here.emulator.control.registry.add({ ...holder, ...why })
    await here.subscribe(target.url, ['payment.failed'])
    const { id } = await here.pay('71112222')
    await here.pay('87000020')
    await here.advance(10)
    expect(target.received.map(({ body }) => body.data)).toMatchObject([
      why,
      { state_code: 'rejected', error: 'Destination account closed' },
    ])
    const payment = await here.client.call('payments.get', { params: { id } })
    expect(payment).toMatchObject({ status: 'failed', error_message: why.error })
  })

  test.each(['87000007', '87000008', '87000009', '87000010'])(
    'the end of a payment to %s is not told',
    async (phone) => {
      await using target = await receiver()
      await using here = await world()
      await here.subscribe(target.url, ['payment.created', 'payment.completed', 'payment.failed'])
      await here.pay(phone)
      await here.advance(60)
      expect(target.received.map(({ body }) => body.event)).toEqual(['payment.created'])
    },
  )

  test('money that arrives on an account of the world is delivered to its owner', async () => {
    await using target = await receiver()
    await using here = await world()
    const { id, iban } = await here.client.call('accounts.create', { body: { currency: 'CRC' } })
    await here.subscribe(target.url, ['transaction.received'])
    await here.client.call('payments.create', {
      headers: { 'X-Idempotency-Key': 'own' },
      body: { source_account_id: crc, amount: 12345, recipient_iban: iban },
    })
    await here.advance(10)
    expect(target.received).toHaveLength(1)
    const { data } = (target.received[0] as (typeof target.received)[number]).body
    expect(data).toMatchObject({ transfer_type: 'credit', status: 'completed', channel_reference: null, fee: null })
    expect(data.idempotency_key).toMatch(/^CREDIT_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}$/)
    expect(data.payee.iban).toBe(iban)
    expect(await here.client.call('accounts.balance', { params: { id } })).toMatchObject({ balance: 12345 })
  })

  test('an event nobody subscribed to goes nowhere', async () => {
    await using target = await receiver()
    await using here = await world()
    await here.subscribe(target.url, ['payment.completed'])
    await here.pay('87000006')
    await here.advance(10)
    expect(target.received).toEqual([])
  })
})

describe('who sends, and what as', () => {
  test('a delivery identifies itself, and custom headers do not replace its headers', async () => {
    await using target = await receiver()
    await using here = await world()
    const headers = { 'X-Secret': 's3cret', Accept: 'text/x' }
    const { secret } = await here.subscribe(target.url, ['payment.created'], { headers })
    await here.pay()
    await target.until(1)
    expect(target.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^payctl-emulator\//),
      'x-webhook-id': expect.stringMatching(/^whd_\d{12}$/),
      'x-webhook-attempt': '1',
      'x-secret': 's3cret',
      accept: 'text/x',
    })
    // Contains neither a signature nor the subscription's secret.
    expect(Object.keys(target.received[0]?.headers ?? {}).toSorted()).toEqual(
      [
        ...['accept', 'connection', 'content-length', 'content-type', 'host', 'user-agent'],
        ...['x-secret', 'x-webhook-attempt', 'x-webhook-id'],
      ].toSorted(),
    )
    expect(JSON.stringify(target.received)).not.toContain(secret)
  })

  test('plain deliveries have no header that only the emulator sends, even in retries', async () => {
    await using target = await receiver((response, { headers }) =>
      response.writeHead(Object.keys(headers).some((name) => name.startsWith('x-')) ? 204 : 500).end(),
    )
    await using here = await world({ plainDeliveries: true, clock: '2040-01-05T12:00:00Z' })
    await here.subscribe(target.url, ['payment.created'])
    await here.pay()
    await target.until(1)
    await here.advance(10)
    expect(target.received.map(({ headers }) => Object.keys(headers).toSorted())).toEqual(
      [1, 2].map(() => ['connection', 'content-length', 'content-type', 'host', 'user-agent']),
    )

    expect(await here.emulator.control.deliverySettings.set({ plain: false })).toMatchObject({ plain: false })
    await here.advance(100)

    expect(target.received[2]?.headers).toMatchObject({ 'x-webhook-attempt': '3' })
  })

  test('are plain in a world whose seed says so, also after a reset and in a world made from its export', async () => {
    await using here = await world()
    const made = await here.emulator.control.worlds.create({
      from: { seed: { extends: 'demo', deliveries: { plain: true } } },
    })
    const control = here.emulator.controlOf(made.name)
    expect(await control.deliverySettings.get()).toMatchObject({ plain: true })
    await control.deliverySettings.set({ plain: false })
    await control.reset()
    expect(await control.deliverySettings.get()).toMatchObject({ plain: true })
    const { seed } = await control.seed()
    const again = await here.emulator.control.worlds.create({ from: { seed } })
    expect(await here.emulator.controlOf(again.name).deliverySettings.get()).toMatchObject({ plain: true })
    expect(await here.emulator.control.deliverySettings.get()).toMatchObject({ plain: false })
  })

  test('its own headers arrive in UTF-8, in any script', async () => {
    await using target = await receiver()
    await using here = await world()
    await here.subscribe(target.url, ['payment.created'], { headers: { 'X-Shop': 'Pulpería Ñandú ₡' } })
    await here.pay()
    const [first] = await target.until(1)
    expect(Buffer.from(String(first?.headers['x-shop']), 'latin1').toString()).toBe('Pulpería Ñandú ₡')
  })

  test('times are local to Costa Rica', async () => {
    await using target = await receiver()
    await using here = await world()
    await here.subscribe(target.url, ['payment.created'])
    const before = Date.now()
    await here.pay()
    await target.until(1)
    const { timestamp, data } = (target.received[0] as (typeof target.received)[number]).body
    expect(timestamp).toMatch(/-06:00$/)
    expect(Math.abs(Date.parse(timestamp) - before)).toBeLessThan(60_000)
    expect(Date.parse(`${data.created_at.replace(' ', 'T')}-06:00`)).toBe(Date.parse(timestamp))
  })

  test('an event tells when it happened, not when its payment was made', async () => {
    await using target = await receiver()
    await using here = await world({ settle: 20_000 })
    await here.subscribe(target.url, allPaymentEvents)
    await here.pay()
    await here.advance(20)
    const told = (await target.until(3)).map(({ body }) => Date.parse(body.timestamp))
    const [, , completed] = target.received.map(({ body }) => body.data)
    const [created = 0, processing = 0, ended = 0] = told
    expect(processing - created).toBeGreaterThanOrEqual(9_000)
    expect(ended - processing).toBeGreaterThanOrEqual(9_000)
    expect(Date.parse(`${completed?.completed_at?.replace(' ', 'T')}-06:00`)).toBe(ended)
  })

  test('last_sent_at shows on the subscription', async () => {
    await using target = await receiver()
    await using here = await world()
    const { id, last_sent_at } = await here.subscribe(target.url, ['payment.created'])
    expect(last_sent_at).toBeNull()
    await here.pay()
    await here.advance(0)
    expect((await here.subscription(id)).last_sent_at).toMatch(/^\d{4}-/)
  })
})

test('the name of a delivery is not given again when its subscription is gone', async () => {
  await using target = await receiver()
  await using here = await world()
  for (const _ of ['first', 'second']) {
    const { id } = await here.subscribe(target.url, ['payment.created'])
    await here.pay()
    await here.advance(1)
    await here.client.call('webhooks.delete', { params: { id } })
  }
  expect(target.received.map(({ headers }) => headers['x-webhook-id'])).toEqual([
    'whd_000000000001',
    'whd_000000000002',
  ])
})
