import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatMoney, money } from '../../src/contract/index.ts'
import { plainMoney } from './plain_money.ts'

const minor = fc.oneof(fc.integer({ min: -100_000, max: 100_000 }), fc.maxSafeInteger())
const currency = fc.constantFrom('CRC', 'USD')

describe('money', () => {
  test.each([
    [10_000_000, 'CRC', '100,000.00 CRC'],
    [100, 'CRC', '1.00 CRC'],
    [0, 'USD', '0.00 USD'],
    [5, 'USD', '0.05 USD'],
    [-1, 'CRC', '-0.01 CRC'],
    [-123_456_789, 'USD', '-1,234,567.89 USD'],
    [99_999, 'CRC', '999.99 CRC'],
    [Number.MAX_SAFE_INTEGER, 'CRC', '90,071,992,547,409.91 CRC'],
  ])('%i %s is shown as %s', (value, code, formatted) => {
    expect(formatMoney(value, code)).toBe(formatted)
  })

  test('is shown as the platform’s own formatter shows it', () => {
    fc.assert(
      fc.property(minor, currency, (value, code) => {
        expect(formatMoney(value, code)).toBe(plainMoney(value, code))
      }),
    )
  })

  test('can be read back to the minor unit', () => {
    fc.assert(
      fc.property(minor, currency, (value, code) => {
        const [, sign, whole = '', cents = ''] = /^(-?)([\d,]+)\.(\d\d) [A-Z]{3}$/.exec(formatMoney(value, code)) ?? []
        const read = BigInt(whole.replaceAll(',', '')) * 100n + BigInt(cents)
        expect(sign === '-' ? -read : read).toBe(BigInt(value))
      }),
    )
  })

  test('on the wire it is value, currency and display form', () => {
    expect(money(1000, 'USD')).toEqual({ value: 1000, currency: 'USD', formatted: '10.00 USD' })
  })
})
