import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { channelReference, sinpeCheckDigit, sinpeReference } from '../../../emulator/domain/sinpe.ts'
import type { Channel } from '../../../src/contract/index.ts'

const samples = ['2026010537022010000102590', '2026010537083000000000961']
const weights = [2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7]

const channel = fc.constantFrom<Channel>('pin', 'sinpe_movil')
const sequence = fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 499_999_999 }))
const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2036, 0, 1) })

/** Date in Costa Rica, by the platform's time-zone data. */
const dateThere = (ms: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Costa_Rica' }).format(ms).replaceAll('-', '')

describe('a SINPE reference', () => {
  test.each(samples)('ends in the check digit of the other digits in public documentation: %s', (sample) => {
    expect(sinpeCheckDigit(sample.slice(0, 24))).toBe(Number(sample[24]))
  })

  test('the check digit is the weighted sum modulo 11', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 24, maxLength: 24 }), (digits) => {
        const sum = digits.reduce((total, digit, at) => total + digit * (weights[at] ?? Number.NaN), 0)
        expect(sinpeCheckDigit(digits.join(''))).toBe(sum % 11)
      }),
    )
  })

  test('is 25 digits: local date, entity, service, kind, sequence number, check digit', () => {
    fc.assert(
      fc.property(sequence, channel, moment, (seq, by, now) => {
        const reference = sinpeReference(seq, by, now)
        expect(reference).toMatch(/^\d{25}$/)
        expect(reference.slice(0, 8)).toBe(dateThere(now))
        expect(reference.slice(8, 15)).toBe(by === 'pin' ? '9992201' : '9998300')
        expect(sinpeCheckDigit(reference.slice(0, 24))).toBe(Number(reference[24]))
      }),
    )
  })

  test('is different for all payments of a day', () => {
    fc.assert(
      fc.property(sequence, channel, moment, (first, by, now) => {
        const made = Array.from({ length: 500 }, (_, at) => sinpeReference(first + at, by, now))
        expect(new Set(made).size).toBe(500)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a channel reference', () => {
  test('is 25 digits: local date, 0000, the rail, the payment’s number', () => {
    fc.assert(
      fc.property(sequence, channel, moment, (seq, by, now) => {
        const digit = by === 'pin' ? '1' : '2'
        expect(channelReference(seq, by, now)).toBe(`${dateThere(now)}0000${digit}${String(seq).padStart(12, '0')}`)
      }),
    )
  })

  test('changes its date at midnight in Costa Rica', () => {
    expect(channelReference(1, 'pin', Date.UTC(2026, 0, 6, 5, 59, 59, 999)).slice(0, 8)).toBe('20260105')
    expect(channelReference(1, 'pin', Date.UTC(2026, 0, 6, 6)).slice(0, 8)).toBe('20260106')
  })
})
