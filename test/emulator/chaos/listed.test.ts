import { describe, expect, it } from 'vitest'
import type { ChaosFault, ChaosProfile } from '../../../src/contract/index.ts'
import { startEmulator } from '../../../src/testing/index.ts'
import { startReceiver } from '../control/receiver.ts'
import { startWorld } from '../control/world.ts'

/** Sends requests and payments to an emulator with chaos; returns the results that its clients and receivers saw. */
async function ran(profile: ChaosProfile, seed = 7) {
  const here = await startWorld({ clock: '2030-01-05T12:00:00Z', chaos: { seed, profile } })
  const receiver = await startReceiver()
  const program = here.client
  const seen: unknown[] = []
  const note = (outcome: Promise<unknown>) =>
    outcome.then(
      () => seen.push(200),
      ({ status }) => seen.push(status ?? 'none'),
    )
  for (let at = 0; at < 15; at += 1) await note(program.call('user.get'))
  for (let at = 0; at < 15; at += 1) {
    await note(here.pay({ recipient_phone: '87000001' }))
    await note(program.call('payments.serviceStatus').then(({ overall_status }) => void seen.push(overall_status)))
  }
  await note(program.call('webhooks.create', { body: { url: receiver.url, events: ['payment.completed'] } }))
  for (let at = 0; at < 9; at += 1) {
    await note(here.pay({ recipient_phone: '87000001' }))
    await here.steer('control.clock.advance', { body: { ms: 500 } })
    seen.push(receiver.received.map(({ event }) => event))
  }
  const { chaos } = here.emulator.report()
  return { seen, chaos }
}

describe('a profile with a list of faults', () => {
  it('repeats what another run has drawn, with any seed', async () => {
    const drawn = await ran({
      lost_answers: 0.1,
      too_many_requests: 0.2,
      rail_outages: 0.2,
      duplicate_deliveries: 0.4,
      late_deliveries: 0.3,
      most_in_a_row: 1000,
    })
    expect(new Set(drawn.chaos.faults.map(({ kind }) => kind)).size).toBe(5)
    expect(drawn.chaos.faults).toHaveLength(drawn.chaos.counts.reduce((sum, { fired }) => sum + fired, 0))
    const repeated = await ran({ faults: drawn.chaos.faults }, 1)
    expect(repeated.seen).toEqual(drawn.seen)
    expect(repeated.chaos.faults).toEqual(drawn.chaos.faults)
  })

  it('has these faults and no others, each in its world', async () => {
    const faults: ChaosFault[] = [
      { kind: 'too_many_requests', at: 'user.get', nth: 2 },
      { kind: 'too_many_requests', at: 'user.get', nth: 1, rng_stream: 'checkout' },
    ]
    await using emulator = await startEmulator({ chaos: { seed: 1, profile: { faults } } })
    await using world = await emulator.world({ rngStream: 'checkout' })
    const statuses = async (baseUrl: string, token: string) => {
      const headers = { Authorization: `Bearer ${token}` }
      const all: number[] = []
      for (let at = 0; at < 3; at += 1) all.push((await fetch(`${baseUrl}/api/user`, { headers })).status)
      return all
    }
    expect(await statuses(emulator.baseUrl, emulator.token)).toEqual([200, 429, 200])
    expect(await statuses(world.baseUrl, world.token)).toEqual([429, 200, 200])
    expect((await emulator.control.report()).chaos.faults).toEqual(faults)
  })

  it('is refused where a kind can’t happen', async () => {
    const wrong: ChaosProfile = { faults: [{ kind: 'late_deliveries', at: 'user.get', nth: 1 }] }
    await expect(startEmulator({ chaos: { seed: 1, profile: wrong } })).rejects.toThrow(
      'faults[0].at: late_deliveries happens at payment.created and the like',
    )
  })
})
