import { expect, test } from 'vitest'
import { Clock } from '../../emulator/clock.ts'
import { idsOn } from '../../emulator/random.ts'

test('ids are UUIDs of version 7, each greater than the one before, also within a millisecond', () => {
  const ids = idsOn(new Clock())

  const made = Array.from({ length: 50_000 }, ids)

  expect(made.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  )
  expect(new Set(made).size).toBe(made.length)
  expect(made.toSorted()).toEqual(made)
})

test('ids carry the world’s time', () => {
  const clock = new Clock({ offset_ms: 86_400_000, frozen_at: null })
  const before = clock.now()

  const ms = Number.parseInt(idsOn(clock)().replaceAll('-', '').slice(0, 12), 16)

  expect(ms).toBeGreaterThanOrEqual(before)
  expect(ms).toBeLessThanOrEqual(clock.now())
})
