import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimits } from '../../emulator/http/rate_limits.ts'
import { startWorld } from './control/world.ts'

const minute = 60_000

test('in every minute each caller has exactly its limit, whatever the others do', () => {
  const calls = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), wait: fc.nat(20_000) }), { maxLength: 80 })
  fc.assert(
    fc.property(calls, fc.integer({ min: 1, max: 5 }), fc.nat(minute), (requests, limit, start) => {
      const limits = new RateLimits(limit)
      const used = new Map<string, number>()
      let now = start
      for (const { key, wait } of requests) {
        now += wait
        const slot = `${key} ${Math.floor(now / minute)}`
        const count = (used.get(slot) ?? 0) + 1
        used.set(slot, count)
        expect(limits.count(key, now)).toEqual({
          limit,
          remaining: Math.max(0, limit - count),
          reset: (Math.floor(now / minute) + 1) * 60,
          exceeded: count > limit,
        })
      }
    }),
  )
})

test('a refusal has the remaining seconds of the window', async () => {
  const { emulator, steer } = await startWorld({ rateLimit: 1 })
  const ask = () =>
    fetch(`${emulator.baseUrl}/api/user`, { headers: { Authorization: `Bearer ${emulator.token}` } }).then(
      ({ status, headers }) => ({ status, wait: headers.get('retry-after'), reset: headers.get('x-ratelimit-reset') }),
    )
  const { now } = await steer('control.clock.freeze')
  await steer('control.clock.advance', { body: { ms: minute - (Date.parse(now) % minute) } })
  const reset = String(Date.parse((await steer('control.clock.get')).now) / 1000 + 60)
  expect(await ask()).toEqual({ status: 200, wait: null, reset })

  const waits: (string | null)[] = []
  for (const ms of [0, 1000, 29_000, 29_999, 0]) {
    await steer('control.clock.advance', { body: { ms } })
    const refused = await ask()
    expect(refused).toMatchObject({ status: 429, reset })
    waits.push(refused.wait)
  }

  expect(waits).toEqual(['60', '59', '30', '1', '1'])
})
