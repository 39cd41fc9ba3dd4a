import { describe, expect, it } from 'vitest'
import type { FaultBody } from '../../../src/contract/index.ts'
import { type Received, receiver } from '../../support/receiver.ts'
import { allPaymentEvents, world } from '../webhooks/world.ts'

const eventsOf = (all: readonly Received[]) => all.map(({ body }) => body.event)
const idsOf = (all: readonly Received[]) => all.map(({ headers }) => headers['x-webhook-id'])

/** A payment whose three events are delivered under these fault rules. */
async function paid(...rules: FaultBody[]) {
  const here = await world()
  const hook = await receiver()
  const { id } = await here.subscribe(hook.url, allPaymentEvents)
  for (const rule of rules) here.emulator.control.addFault(rule)
  await here.pay()
  await here.advance(2)
  return {
    ...here,
    hook,
    subscription: id,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]()
      await hook[Symbol.asyncDispose]()
    },
  }
}

const usual = ['payment.created', 'payment.processing', 'payment.completed']

describe('deliveries', () => {
  it('take their usual way under a rule for others', async () => {
    await using here = await paid({ event: 'payment.failed', fault: 'drop', times: null })
    expect(eventsOf(here.hook.received)).toEqual(usual)
    expect(new Set(idsOf(here.hook.received)).size).toBe(3)
  })

  it('are made twice, with the same id and the next number', async () => {
    await using here = await paid({ event: 'payment.completed', fault: 'duplicate' })
    const { received } = here.hook
    expect(eventsOf(received)).toEqual([...usual, 'payment.completed'])
    const [first, second] = received.slice(2)
    expect(second?.text).toBe(first?.text)
    expect(second?.headers['x-webhook-id']).toBe(first?.headers['x-webhook-id'])
    expect([first, second].map((each) => each?.headers['x-webhook-attempt'])).toEqual(['1', '2'])
    expect(here.faults).toEqual([])
  })

  it('never leave', async () => {
    await using here = await paid({ event: 'payment.completed', fault: 'drop' })
    expect(eventsOf(here.hook.received)).toEqual(usual.slice(0, 2))
    await here.advance(3600)
    expect(here.hook.received).toHaveLength(2)
    await here.pay()
    await here.advance(2)
    expect(eventsOf(here.hook.received).slice(2)).toEqual(usual)
  })

  it('are late by the world’s time', async () => {
    await using here = await paid({ event: 'payment.created', delay_ms: 600_000 })
    expect(eventsOf(here.hook.received)).toEqual(usual.slice(1))
    await here.advance(500)
    expect(here.hook.received).toHaveLength(2)
    await here.advance(100)
    expect(eventsOf(here.hook.received).slice(2)).toEqual(['payment.created'])
  })

  it('are overtaken by the next one', async () => {
    await using here = await paid({ event: 'payment.processing', fault: 'reorder' })
    expect(eventsOf(here.hook.received)).toEqual(['payment.created', 'payment.completed', 'payment.processing'])
  })

  it('go out after a minute if no other follows', async () => {
    await using here = await paid({ event: 'payment.completed', fault: 'reorder' })
    expect(eventsOf(here.hook.received)).toEqual(usual.slice(0, 2))
    await here.advance(61)
    expect(eventsOf(here.hook.received)).toEqual(usual)
    await here.pay()
    await here.advance(2)
    expect(eventsOf(here.hook.received).slice(3)).toEqual(usual)
  })

  it('of one subscription go wrong and those of another do not', async () => {
    await using here = await world()
    await using first = await receiver()
    await using second = await receiver()
    const { id } = await here.subscribe(first.url, ['payment.created'])
    await here.subscribe(second.url, ['payment.created'])
    here.emulator.control.addFault({ subscription: id, fault: 'drop', times: null })
    await here.pay()
    await here.pay()
    await here.advance(2)
    expect(eventsOf(second.received)).toEqual(['payment.created', 'payment.created'])
    expect(first.received).toEqual([])
  })

  it('are counted by their rule, as a receiver that fails does not change', async () => {
    await using here = await world()
    await using hook = await receiver((response) => response.writeHead(500).end())
    await here.subscribe(hook.url, ['payment.created'], { max_attempts: 2 })
    here.emulator.control.addFault({ event: '*', fault: 'duplicate', times: 5 })
    await here.pay()
    await here.advance(60)
    expect(hook.received.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2'])
    const list = await fetch(`${here.emulator.controlUrl}/_emulator/faults`)
    expect(((await list.json()) as { data: unknown }).data).toEqual([
      { id: 1, event: '*', fault: 'duplicate', times: 4, matched: 1, fired: 1 },
    ])
  })
})
