import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localDate, timestamp, timestampOrNull } from '../../../emulator/domain/time.ts'

test('a timestamp has whole seconds and six more digits', () => {
  expect(timestamp(Date.UTC(2026, 0, 5, 18, 0, 0, 999))).toBe('2026-01-05T18:00:00.000000Z')
  expect(timestampOrNull(null)).toBeNull()
  expect(timestampOrNull(0)).toBe('1970-01-01T00:00:00.000000Z')
})

test('the local date is Costa Rica’s, as the platform knows it', () => {
  const there = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Costa_Rica' })
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) }), (ms) => {
      expect(localDate(ms)).toBe(there.format(ms).replaceAll('-', ''))
    }),
  )
})
