import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { full } from '../../support/full.ts'
import { receiver } from '../../support/receiver.ts'
import { world } from './world.ts'

const subscriptions = full ? 300 : 60

test('many subscriptions to one event each get it once, dead ones among them', async () => {
  await using target = await receiver()
  await using here = await world({ rateLimit: null })
  const urls = Array.from({ length: subscriptions }, (_, index) =>
    index % 3 === 0 ? `http://127.0.0.1:9/${index}` : `${target.url}?subscriber=${index}`,
  )
  for (const url of urls) await here.subscribe(url, ['payment.created'])
  await here.pay()
  await here.pay()
  const living = (subscriptions / 3) * 2
  await target.until(2 * living)
  await here.advance(5)
  expect(target.received).toHaveLength(2 * living)
  expect(here.faults).toEqual([])
})

/** A receiver that holds deliveries until `accept` answers all of them, the last one first. */
async function holdingReceiver() {
  const held: ServerResponse[] = []
  let isOpen = false
  const take = (response: ServerResponse) => response.writeHead(204).end()
  const target = await receiver((response) => {
    if (isOpen) take(response)
    else held.push(response)
  })
  return {
    ...target,
    accept: () => {
      for (const response of held.splice(0).reverse()) take(response)
    },
    /** Answers every delivery at once from now on. */
    open() {
      isOpen = true
      this.accept()
    },
  }
}

test('of one payment no event is sent before the one before it is answered, even when all are due at once', async () => {
  await using target = await holdingReceiver()
  await using here = await world({ rateLimit: null })
  const order = ['payment.created', 'payment.processing', 'payment.completed'] as const
  const { id: subscription } = await here.subscribe(target.url, [...order])
  await here.client.call('webhooks.suspend', { params: { id: subscription }, body: {} })
  const payments = 5 // fewer events than the limit of concurrent deliveries to one subscription
  const ids: string[] = []
  for (let count = 0; count < payments; count++) {
    ids.push((await here.pay()).id)
    await here.advance(60)
  }
  await here.client.call('webhooks.resume', { params: { id: subscription } })

  for (const [at, event] of order.entries()) {
    await target.until((at + 1) * payments)
    const held = target.received.slice(at * payments).map(({ body }) => [body.event, body.data.id])
    expect(held.toSorted()).toEqual(ids.map((id) => [event, id]).toSorted())
    target.accept()
  }

  await here.advance(60)
  expect(target.received).toHaveLength(order.length * payments)
  expect(new Set(target.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(order.length * payments)
})

test('a missing answer delays only the events of its payment', async () => {
  const held: ServerResponse[] = []
  let heldPayment: string | undefined
  await using target = await receiver((response, { body }) => {
    heldPayment ??= body.data.id
    if (body.data.id === heldPayment) held.push(response)
    else response.writeHead(204).end()
  })
  await using here = await world({ settle: 'instant', rateLimit: null })
  const order = ['payment.created', 'payment.processing', 'payment.completed'] as const
  await here.subscribe(target.url, [...order])
  const payments = 40
  for (let count = 0; count < payments; count++) await here.pay()
  const others = order.length * (payments - 1)

  await target.until(1 + others)
  const eventsOf = (id: string) =>
    target.received.filter(({ body }) => body.data.id === id).map(({ body }) => body.event)
  expect(eventsOf(heldPayment ?? '')).toEqual(['payment.created'])
  for (const id of new Set(target.received.map(({ body }) => body.data.id))) {
    if (id !== heldPayment) expect(eventsOf(id)).toEqual(order)
  }

  for (const [at] of order.entries()) {
    await target.until(others + at + 1)
    for (const response of held.splice(0)) response.writeHead(204).end()
  }
  await here.advance(60)
  expect(eventsOf(heldPayment ?? '')).toEqual(order)
  expect(target.received).toHaveLength(others + order.length)
})

test('a missing answer delays no delivery that is due later', async () => {
  await using target = await holdingReceiver()
  await using here = await world({ rateLimit: null })
  await here.subscribe(target.url, ['payment.created'])
  await here.pay()
  await target.until(1)
  here.emulator.control.addFault({ event: 'payment.created', delay_ms: 600_000 })
  const { id: delayed } = await here.pay()
  await here.pay()
  await target.until(2)

  await here.emulator.control.clock.speed({ speed: 100_000 })
  await target.until(3)
  expect(target.received.at(-1)?.body.data.id).toBe(delayed)
})

test('a suspension stops what was read as due before it, until it is resumed', async () => {
  await using target = await holdingReceiver()
  await using here = await world({ rateLimit: null })
  const { id } = await here.subscribe(target.url, ['payment.created'])
  await here.client.call('webhooks.suspend', { params: { id }, body: {} })
  const payments = 60
  for (let count = 0; count < payments; count++) await here.pay()
  await here.client.call('webhooks.resume', { params: { id } })
  const atOnce = 16
  await target.until(atOnce)
  target.accept()
  await target.until(2 * atOnce) // the emulator has now read more due deliveries than it has sent

  await here.client.call('webhooks.suspend', { params: { id }, body: {} })
  target.open()
  await here.advance(60)

  expect(target.received).toHaveLength(2 * atOnce)
  await here.client.call('webhooks.resume', { params: { id } })
  await target.until(payments)
  await here.advance(60)
  expect(new Set(target.received.map(({ body }) => body.data.id)).size).toBe(payments)
  expect(target.received).toHaveLength(payments)
  expect(here.faults).toEqual([])
})
