import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { receiver } from '../../support/receiver.ts'
import { world } from './world.ts'

describe('a receiver that fails', () => {
  test('is tried again after 10 and 100 seconds of the world’s clock, under the same id', async () => {
    await using target = await receiver((response) => response.writeHead(500).end('no'))
    await using here = await world({ clock: '2030-01-05T12:00:00Z' })
    await here.subscribe(target.url, ['payment.created'])
    await here.pay()
    await here.advance(9)
    expect(target.received).toHaveLength(1)
    await here.advance(2)
    expect(target.received).toHaveLength(2)
    await here.advance(98)
    expect(target.received).toHaveLength(2)
    await here.advance(3)
    expect(target.received).toHaveLength(3)
    expect(new Set(target.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1)
    expect(target.received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3'])
    expect(new Set(target.received.map(({ text }) => text)).size).toBe(1)
  })

  test('suspends its subscription after the last attempt, with the reason', async () => {
    await using target = await receiver((response) => response.writeHead(503).end())
    await using here = await world()
    const { id } = await here.subscribe(target.url, ['payment.created'], { max_attempts: 2 })
    await here.pay()
    await here.advance(10_000)
    expect(target.received).toHaveLength(2)
    expect(await here.subscription(id)).toMatchObject({
      active: false,
      suspended_reason: 'Delivery failed 2 times: Answered 503',
    })
  })

  test('after an accepted attempt is suspended with the number of failed attempts', async () => {
    const statuses = [200, 500]
    await using target = await receiver((response) => response.writeHead(statuses.shift() ?? 500).end())
    await using here = await world()
    const { deliveries } = here.emulator.control
    const { id } = await here.subscribe(target.url, ['payment.created'], { max_attempts: 2 })
    await here.pay()
    await here.advance(0)
    const [delivery] = (await deliveries.list()).data
    await deliveries.resend({ id: delivery?.id ?? '' })
    await here.advance(0)
    expect((await here.subscription(id)).suspended_reason).toBe('Delivery failed 1 times: Answered 500')
  })

  test('and then succeeds is not tried further', async () => {
    let calls = 0
    await using target = await receiver((response) => response.writeHead(++calls === 1 ? 500 : 200).end())
    await using here = await world()
    const { id } = await here.subscribe(target.url, ['payment.created'])
    await here.pay()
    await here.advance(10_000)
    expect(target.received).toHaveLength(2)
    expect(await here.subscription(id)).toMatchObject({ active: true, suspended_at: null })
  })

  test('is tried again although others have been given up meanwhile', async () => {
    await using target = await receiver((response) => response.writeHead(500).end())
    await using here = await world()
    for (const [path, max_attempts] of [
      ['a', 1],
      ['b', 3],
      ['c', 1],
    ] as const) {
      await here.subscribe(`${target.url}/${path}`, ['payment.created'], { max_attempts })
    }
    await here.pay()
    await here.advance(1)
    expect(target.received).toHaveLength(3)
    await here.advance(10)
    expect(target.received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '1', '1', '2'])
  })

  test('is not followed if it redirects', async () => {
    await using elsewhere = await receiver()
    await using target = await receiver((response) => response.writeHead(307, { Location: elsewhere.url }).end())
    await using here = await world()
    const { id } = await here.subscribe(target.url, ['payment.created'], { max_attempts: 1 })
    await here.pay()
    await here.advance(1)
    expect(elsewhere.received).toEqual([])
    expect((await here.subscription(id)).suspended_reason).toMatch(/redirects are not followed/)
  })

  test('because nobody listens says so', async () => {
    const gone = await receiver()
    await gone[Symbol.asyncDispose]()
    await using here = await world()
    const { id } = await here.subscribe(gone.url, ['payment.created'], { max_attempts: 1 })
    await here.pay()
    await here.advance(1)
    expect((await here.subscription(id)).suspended_reason).toMatch(/ECONNREFUSED/)
    expect(here.faults).toEqual([])
  })
})

test('a slow answer does not set the time of the last delivery back', async () => {
  const held: ServerResponse[] = []
  await using target = await receiver((response) => {
    if (held.length === 0) held.push(response)
    else response.writeHead(204).end()
  })
  await using here = await world()
  const { id } = await here.subscribe(target.url, ['payment.created'])
  await here.emulator.control.clock.speed({ speed: 100 })
  await here.pay()
  await target.until(1)
  await pause(50)
  await here.pay()
  await vi.waitFor(async () => expect((await here.subscription(id)).last_sent_at).not.toBeNull())
  const { last_sent_at } = await here.subscription(id)
  held[0]?.writeHead(204).end()
  await here.emulator.control.wait({ deliveries: 2 })
  expect((await here.subscription(id)).last_sent_at).toBe(last_sent_at)
})

describe('suspending and resuming', () => {
  test('by hand during the last attempt keeps the given reason and time', async () => {
    const held: ServerResponse[] = []
    await using target = await receiver((response) => void held.push(response))
    await using here = await world({ clock: '2030-01-05T12:00:00Z' })
    const { id } = await here.subscribe(target.url, ['payment.created'], { max_attempts: 1 })
    await here.pay()
    await target.until(1)
    const suspended = await here.client.call('webhooks.suspend', { params: { id }, body: { reason: 'mending it' } })
    held[0]?.writeHead(500).end()
    await vi.waitFor(async () => {
      expect((await here.emulator.control.deliveries.list()).data[0]?.status).toBe('exhausted')
    })
    const { suspended_at } = suspended
    expect(await here.subscription(id)).toMatchObject({ suspended_reason: 'mending it', suspended_at })
  })

  test('keeps events and delivers them after resuming, in order', async () => {
    await using target = await receiver()
    await using here = await world()
    const { id } = await here.subscribe(target.url, ['payment.created'])
    await here.client.call('webhooks.suspend', { params: { id }, body: {} })
    const sent = [await here.pay(), await here.pay(), await here.pay()]
    await here.advance(100)
    expect(target.received).toEqual([])
    const resumed = await here.client.call('webhooks.resume', { params: { id } })
    expect(resumed).toEqual({ id, active: true, suspended_webhooks_count: 3, retry_job_dispatched: true })
    await target.until(3)
    expect(target.received.map(({ body }) => body.data.id).sort()).toEqual(sent.map((payment) => payment.id).sort())
  })

  test('resuming sends deliveries that wait for a retry at once', async () => {
    let broken = true
    await using target = await receiver((response) => response.writeHead(broken ? 500 : 200).end())
    await using here = await world()
    const { id } = await here.subscribe(target.url, ['payment.created'])
    await here.pay()
    await here.advance(11) // two attempts; the third is 100 s away, longer than the test
    expect(target.received).toHaveLength(2)
    await here.client.call('webhooks.suspend', { params: { id }, body: { reason: 'mending it' } })
    expect((await here.subscription(id)).suspended_reason).toBe('mending it')
    broken = false
    await here.client.call('webhooks.resume', { params: { id } })
    await target.until(3)
    expect(target.received[2]?.headers['x-webhook-attempt']).toBe('3')
  })

  test('twice is a conflict', async () => {
    await using here = await world()
    const { id } = await here.subscribe('http://127.0.0.1:9/', ['payment.created'])
    await expect(here.client.call('webhooks.resume', { params: { id } })).rejects.toMatchObject({
      status: 409,
      message: 'Webhook subscription is not suspended',
    })
    await here.client.call('webhooks.suspend', { params: { id }, body: {} })
    await expect(here.client.call('webhooks.suspend', { params: { id }, body: {} })).rejects.toMatchObject({
      status: 409,
      message: 'Webhook subscription is already suspended',
    })
  })

  test('deleting drops what was queued', async () => {
    await using target = await receiver()
    await using here = await world()
    const { id } = await here.subscribe(target.url, ['payment.created'])
    await here.client.call('webhooks.suspend', { params: { id }, body: {} })
    await here.pay()
    expect(await here.client.call('webhooks.delete', { params: { id } })).not.toHaveProperty('active')
    await here.advance(1000)
    expect(target.received).toEqual([])
    expect(here.faults).toEqual([])
  })
})
