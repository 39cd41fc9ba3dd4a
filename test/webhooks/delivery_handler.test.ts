import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../src/webhooks/delivery.ts'
import { DeliveryHandler } from '../../src/webhooks/delivery_handler.ts'
import type { Outcome, Routes } from '../../src/webhooks/forward.ts'
import type { SavedFile } from '../../src/webhooks/saved_deliveries.ts'

const delivery = (id: number): Delivery => ({
  receivedAt: '2026-01-05T12:00:00.000Z',
  headers: [['X-Webhook-Id', `whd_${id}`]],
  body: Buffer.from(JSON.stringify({ event: 'payment.completed', timestamp: null, data: { id: `p${id}` } })),
})

const outcome = (status: number | null): Outcome => ({ status, error: null, durationMs: 1, body: Buffer.from('taken') })

function handlerOf(parts: { saved?: unknown; forwarder?: unknown; limit?: number } = {}) {
  const faults: unknown[] = []
  const arrived: unknown[] = []
  const handler = new DeliveryHandler({
    saved: parts.saved ? [parts.saved as SavedFile] : [],
    forwarder: parts.forwarder as Routes | undefined,
    isWanted: () => true,
    onExcluded: () => {},
    limit: parts.limit ?? Number.POSITIVE_INFINITY,
    onArrival: ({ delivery_id }) => arrived.push(delivery_id),
    onFault: (error) => faults.push(error),
  })
  return { handler, faults, arrived }
}

async function printed(handler: DeliveryHandler) {
  handler.close()
  const found = []
  for await (const { event, isNew } of handler.events) found.push([event.delivery_id, isNew])
  return found
}

describe('a delivery', () => {
  it('is saved before it is acknowledged, and printed once however often it comes', async () => {
    const saved: string[] = []
    const file = { append: async ({ headers }: Delivery) => void saved.push(headers[0]?.[1] ?? '') }
    const { handler, arrived } = handlerOf({ saved: file })
    for (const id of [1, 2, 1]) expect(await handler.handle(delivery(id))).toEqual({ status: 200 })
    expect([saved, arrived]).toEqual([
      ['whd_1', 'whd_2'],
      ['whd_1', 'whd_2'],
    ])
    expect(await printed(handler)).toEqual([
      ['whd_1', true],
      ['whd_2', true],
    ])
  })

  it('that cannot be saved is answered 500 and is not printed', async () => {
    const full = new Error('no room')
    const { handler, faults } = handlerOf({ saved: { append: () => Promise.reject(full) } })
    expect(await handler.handle(delivery(1))).toEqual({ status: 500 })
    expect([faults, await printed(handler)]).toEqual([[full], []])
  })

  it('that is forwarded is answered as the target answers, each time it comes', async () => {
    const answers = [outcome(201), outcome(null)]
    const { handler } = handlerOf({ forwarder: { send: async () => answers.shift() } })
    expect(await handler.handle(delivery(1))).toMatchObject({ status: 201, body: Buffer.from('taken') })
    expect(await handler.handle(delivery(1))).toMatchObject({ status: 502 })
    expect(await printed(handler)).toEqual([
      ['whd_1', true],
      ['whd_1', false],
    ])
  })

  it('beyond the limit, or after the end, is answered 503: the service tries again', async () => {
    const { handler } = handlerOf({ limit: 1 })
    const statuses = []
    for (const id of [1, 2, 1]) statuses.push((await handler.handle(delivery(id))).status)
    handler.close()
    statuses.push((await handler.handle(delivery(1))).status)
    expect(statuses).toEqual([200, 503, 200, 503])
  })

  it('is new again after a new subscription', async () => {
    const { handler } = handlerOf()
    await handler.handle(delivery(1))
    handler.forgetDeliveries()
    await handler.handle(delivery(1))
    expect(await printed(handler)).toHaveLength(2)
  })

  it('waits for its acknowledgement while 1,000 are not printed', async () => {
    const { handler } = handlerOf()
    for (let id = 1; id <= 1_000; id += 1) await handler.handle(delivery(id))
    let isAcknowledged = false
    const last = handler.handle(delivery(1_001)).then(() => {
      isAcknowledged = true
    })
    await new Promise(setImmediate)
    expect(isAcknowledged).toBe(false)
    await handler.events[Symbol.asyncIterator]().next()
    await last
    expect(isAcknowledged).toBe(true)
  })
})

it('the name and the number of a delivery are read in whatever case they come', async () => {
  const { handler } = handlerOf()
  const headers = [
    ['x-webhook-id', 'whd_1'],
    ['X-WEBHOOK-ATTEMPT', '2'],
  ] as const
  await handler.handle({ ...delivery(1), headers })
  await handler.handle({ ...delivery(2), headers })
  handler.close()
  const found = []
  for await (const { event } of handler.events) found.push([event.delivery_id, event.attempt])
  expect(found).toEqual([['whd_1', 2]])
})

describe('a recovered event', () => {
  const recovered = { event: { ...printable(), recovered: true }, delivery: delivery(1) }

  it.each([
    [204, true],
    [302, false],
    [500, false],
    [null, false],
  ])('that the target answers with %j is accepted: %j', async (status, isAccepted) => {
    const { handler } = handlerOf({ forwarder: { send: async () => outcome(status) } })
    const [result] = await Promise.all([handler.handleRecovered(recovered, 1), handler.events.end()])
    expect(result).toBe(isAccepted)
  })
})

function printable() {
  return { received_at: '', delivery_id: null, attempt: null, event: 'payment.completed', timestamp: null, data: {} }
}
