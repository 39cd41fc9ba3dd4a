import { describe, expect, it } from 'vitest'
import type { ChaosProfile } from '../../../src/contract/index.ts'
import { startReceiver } from '../control/receiver.ts'
import { startWorld } from '../control/world.ts'

const events = ['payment.created', 'payment.processing', 'payment.completed'] as const

/**
 * Pays in a world with delivery faults, and moves the clock by these milliseconds; returns the events so far after each
 * move.
 */
async function delivered(profile: ChaosProfile, ...moves: readonly number[]) {
  const here = await startWorld({ clock: '2030-01-05T12:00:00Z', chaos: { seed: 1, profile } })
  const receiver = await startReceiver()
  await here.client.call('webhooks.create', { body: { url: receiver.url, events: [...events] } })
  await here.pay({ recipient_phone: '87000001' })
  const seen: string[][] = []
  for (const ms of moves) {
    await here.steer('control.clock.advance', { body: { ms } })
    seen.push(receiver.received.map(({ event }) => event))
  }
  return seen
}

describe('deliveries', () => {
  it('come once more after they were accepted', async () => {
    const [, all] = await delivered({ duplicate_deliveries: 1, late_ms: 5000 }, 1000, 5000)
    expect(all?.toSorted()).toEqual([...events, ...events].toSorted())
  })

  it('come late, by the world’s time', async () => {
    const [none, all] = await delivered({ late_deliveries: 1, late_ms: 3_600_000 }, 0, 3_601_000)
    expect([none, all?.toSorted()]).toEqual([[], events.toSorted()])
  })

  it('are overtaken, and come all the same', async () => {
    const [, all] = await delivered({ reordered_deliveries: 1, late_ms: 3_600_000 }, 1000, 3_601_000)
    expect(all?.toSorted()).toEqual(events.toSorted())
    expect(all?.[0]).toBe('payment.processing')
  })
})
