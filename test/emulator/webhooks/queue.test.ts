import { expect, test, vi } from 'vitest'
import { exchangeOverHttp } from '../../conformance/http_exchange.ts'
import { full } from '../../support/full.ts'
import { receiver } from '../../support/receiver.ts'
import { startTcp } from '../../support/stub.ts'
import { world } from './world.ts'

const live = 10
const dead = full ? 990 : 90
const payments = 20

test('twenty thousand queued deliveries to a thousand subscriptions, most of them dead, delay nobody', async () => {
  let connections = 0
  const mute = await startTcp(() => {
    connections += 1
  })
  await using target = await receiver()
  await using here = await world({ rateLimit: null })
  const { client, emulator } = here
  const deliveries = async () => {
    const origin = new URL(emulator.baseUrl)
    const headers = { Host: origin.host }
    const wire = { method: 'GET', url: '/_emulator/state', headers }
    return JSON.parse((await exchangeOverHttp(origin, wire)).text).data.deliveries
  }
  const urls = [
    `${mute}/`,
    ...Array.from({ length: dead - 1 }, (_, at) => `http://127.0.0.1:9/${at}`),
    ...Array.from({ length: live }, (_, at) => `${target.url}?subscriber=${at}`),
  ]
  for (const url of urls) await here.subscribe(url, ['payment.created'], { timeout: 120 })
  const sent: string[] = []

  for (let count = 0; count < payments; count++) sent.push((await here.pay()).id)
  await target.until(live * payments)

  const told = target.received.map(({ body }) => body.data.id)
  for (const id of sent) expect(told.filter((each) => each === id)).toHaveLength(live)
  await vi.waitFor(async () => {
    expect(await deliveries()).toEqual({ pending: dead * payments, delivered: live * payments, exhausted: 0 })
  }, 10_000)
  expect(connections).toBeGreaterThan(0)
  expect(connections).toBeLessThanOrEqual(payments)

  const asked = await Promise.all(
    Array.from({ length: full ? 50 : 10 }, () =>
      Promise.all([client.call('payments.history', { query: {} }), here.pay()]),
    ),
  )
  await target.until(live * (payments + asked.length))

  expect(target.received).toHaveLength(live * (payments + asked.length))
  await vi.waitFor(async () => expect((await deliveries()).delivered).toBe(live * (payments + asked.length)), 10_000)
  expect(here.faults).toEqual([])
})
