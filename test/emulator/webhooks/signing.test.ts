import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { type EventName, verifyDelivery } from '../../../src/index.ts'
import { type Received, receiver } from '../../support/receiver.ts'
import { newFolder } from '../store/folder.ts'
import { crc, world } from './world.ts'

const name = 'X-Signature'
const signatureOf = ({ headers }: Received) => headers['x-signature']
const events: EventName[] = ['payment.created']

const isSigned = (delivery: Received | undefined, secret: string) =>
  delivery !== undefined && verifyDelivery(delivery.text, signatureOf(delivery), secret)

test('a signature covers the bytes of a delivery, with PHP’s escapes, so a body that is serialised again does not verify', async () => {
  await using target = await receiver()
  await using here = await world({ signDeliveries: name })
  const { secret } = await here.subscribe(target.url, events, { headers: { 'x-SIGNATURE': 'mine', 'X-Shop': 'a' } })
  const description = 'Alquiler 1/2 de enero: ₡ 🙂'
  const body = { source_account_id: crc, amount: 100, recipient_phone: '87000001', description }
  await here.client.call('payments.create', { headers: { 'X-Idempotency-Key': 'one' }, body })

  const [delivery] = await target.until(1)

  expect(delivery?.text).toContain(String.raw`"description":"Alquiler 1\/2 de enero: \u20a1 \ud83d\ude42"`)
  expect(delivery?.text).toContain(String.raw`Carlos Jim\u00e9nez Mora`)
  expect(delivery?.body.data.description).toBe(description)
  expect(delivery?.headers['x-shop']).toBe('a')
  expect(isSigned(delivery, secret)).toBe(true)
  expect(verifyDelivery(JSON.stringify(delivery?.body), delivery && signatureOf(delivery), secret)).toBe(false)
  expect(isSigned(delivery, `${secret}x`)).toBe(false)
  expect(JSON.stringify(target.received)).not.toContain(secret)
})

test('bad_signature breaks the signature of the first attempt, and the next one is right', async () => {
  await using target = await receiver()
  await using strict = await receiver((response, delivery) =>
    response.writeHead(isSigned(delivery, secret) ? 204 : 401).end(),
  )
  await using here = await world({ signDeliveries: name, clock: '2040-01-05T12:00:00Z' })
  const { id, secret } = await here.subscribe(strict.url, events)
  const other = await here.subscribe(target.url, events)
  await here.emulator.control.faults.add({ fault: 'bad_signature', subscription: id })

  await here.pay()
  await strict.until(1)
  await here.advance(10)

  expect(strict.received.map((delivery) => isSigned(delivery, secret))).toEqual([false, true])
  expect(strict.received.map(signatureOf)).toEqual([1, 2].map(() => expect.stringMatching(/^[0-9a-f]{64}$/)))
  expect(isSigned(target.received[0], other.secret)).toBe(true)
})

test('bad_signature is refused where deliveries are not signed', async () => {
  await using here = await world()
  await expect(here.emulator.control.faults.add({ fault: 'bad_signature' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/set signature_header in the delivery settings/),
  })
})

test('a subscription with only a hash of its secret gets nothing, and its attempts show the reason', async () => {
  await using target = await receiver()
  await using here = await world({ clock: '2040-01-05T12:00:00Z' })
  const { id } = await here.subscribe(target.url, events, { max_attempts: 1 })
  await here.emulator.control.deliverySettings.set({ signature_header: name })
  await here.pay()
  await here.advance(1)
  expect(target.received).toEqual([])
  expect(await here.subscription(id)).toMatchObject({
    active: false,
    suspended_reason: expect.stringMatching(/only the hash of the subscription’s secret is stored/),
  })
})

test('the secret is in the file only while deliveries are signed, and is gone after off and on', async () => {
  const data = join(newFolder(), 'world.db')
  await using target = await receiver()
  const first = await world({ data, signDeliveries: name })
  const { secret } = await first.subscribe(target.url, events)
  await first[Symbol.asyncDispose]()
  expect(readFileSync(data).includes(secret)).toBe(true)

  await using again = await world({ data, signDeliveries: name })
  await again.pay()
  const [delivery] = await target.until(1)
  expect(isSigned(delivery, secret)).toBe(true)
  const query = `SELECT * FROM subscriptions`
  expect(JSON.stringify(await again.emulator.control.sql({ query }))).not.toContain(secret)
  expect(JSON.stringify(await again.emulator.control.seed())).not.toContain(secret)

  await again.emulator.control.deliverySettings.set({ signature_header: null })
  await again.pay()
  await target.until(2)
  expect(target.received[1]?.headers).not.toHaveProperty('x-signature')
  expect(target.received[1]?.text).toContain('Carlos Jiménez Mora')

  await again.emulator.control.deliverySettings.set({ signature_header: name })
  await again.pay()
  await again.advance(1)
  const [latest] = (await again.emulator.control.deliveries.list()).data
  expect(latest).toMatchObject({ status: 'pending', attempts: 1 })
  expect(target.received).toHaveLength(2)
})

test('the secret of a seed signs, also after a reset, whichever of seed and emulator switches signing on', async () => {
  const seed = (url: string, more: object) => ({
    ...{ extends: 'demo' as const, subscriptions: [{ url, events, secret: 'the secret of the seed' }] },
    ...more,
  })
  for (const [more, options] of [
    [{ deliveries: { signature_header: name } }, {}],
    [{}, { signDeliveries: name }],
  ] as const) {
    await using target = await receiver()
    const data = join(newFolder(), 'world.db')
    const start = () => world({ data, seed: seed(target.url, more), ...options })
    await (await start())[Symbol.asyncDispose]()
    await using here = await start()
    await here.emulator.control.reset()
    await here.pay()
    const [delivery] = await target.until(1)
    expect(isSigned(delivery, 'the secret of the seed')).toBe(true)
  }
})

test('a header that deliveries have themselves carries no signature', async () => {
  for (const signDeliveries of ['Host', 'x-webhook-id', 'X Y', '']) {
    await expect(startEmulator({ signDeliveries })).rejects.toThrow('The option signDeliveries takes')
  }
})
