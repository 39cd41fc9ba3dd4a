import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimits } from '../../emulator/rate_limits.ts'

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
