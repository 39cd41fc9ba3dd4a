import { expect, test } from 'vitest'
import { receiver } from './receiver.ts'
import { world } from './world.ts'

test('many subscriptions to one event each get it once, dead ones among them', async () => {
  await using target = await receiver()
  await using here = await world({ rateLimit: null })
  const urls = Array.from({ length: 300 }, (_, index) =>
    index % 3 === 0 ? `http://127.0.0.1:9/${index}` : `${target.url}?subscriber=${index}`,
  )
  for (const url of urls) await here.subscribe(url, ['payment.created'])
  await here.pay()
  await here.pay()
  await target.until(400)
  await here.advance(5)
  expect(target.received).toHaveLength(400)
  expect(here.faults).toEqual([])
})

test('what is told of one payment arrives in order, even when it all happens at once', async () => {
  await using target = await receiver()
  await using here = await world({ rateLimit: null, settle: 0 })
  await here.subscribe(target.url, ['payment.created', 'payment.processing', 'payment.completed'])
  const sent: string[] = []
  for (let count = 0; count < 60; count++) sent.push((await here.pay()).id)
  await target.until(180)
  for (const id of sent) {
    const told = target.received.filter(({ body }) => body.data.id === id).map(({ body }) => body.event)
    expect(told).toEqual(['payment.created', 'payment.processing', 'payment.completed'])
  }
  expect(new Set(target.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(180)
})
