import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatMoney } from '../../src/contract/money.ts'
import { decimal } from '../../src/money/decimal.ts'
import { parseAmount, parseMinorAmount } from '../../src/values/amount.ts'
import { growth, linear, longTexts } from '../output/growth.ts'

const minorAmount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

test('every amount is read back as it was written', () => {
  fc.assert(
    fc.property(minorAmount, (minor) => {
      expect(parseAmount(decimal(minor))).toEqual({ minor })
      expect(parseMinorAmount(String(minor))).toEqual({ minor })
    }),
  )
})

test('a whole amount and one decimal mean what they say', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90_071_992_547_409 }), fc.integer({ min: 0, max: 9 }), (whole, tenths) => {
      expect(parseAmount(String(whole))).toEqual({ minor: whole * 100 })
      expect(parseAmount(`${whole}.${tenths}`)).toEqual({ minor: whole * 100 + tenths * 10 })
    }),
  )
})

test('the display form is refused, with the amount it means', () => {
  fc.assert(
    fc.property(minorAmount, (minor) => {
      const parsed = parseAmount(formatMoney(minor, 'CRC'))
      expect(parsed).toMatchObject({ hint: `Did you mean ${decimal(minor)}?` })
    }),
  )
})

const nearlyAmounts = fc.string({ unit: fc.constantFrom(...'0123456789.,-+ eE_٣９x'), maxLength: 12 })

test.each([
  ['anything', fc.string({ unit: 'binary' })],
  ['what looks like one', nearlyAmounts],
])('nothing is accepted but digits with at most two decimals: %s', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      const accepted = 'minor' in parseAmount(text)
      expect(accepted).toBe(/^[0-9]+(\.[0-9]{1,2})?$/.test(text) && /[1-9]/.test(text))
    }),
    { numRuns: 2000 },
  )
})

test.each(longTexts)('is refused in no more time than its text is long: %s', async (_, make) => {
  expect(await growth((size) => parseAmount(`1${make(size)}`), 8_000)).toBeLessThan(linear)
})

describe('is refused with a suggestion', () => {
  test.each([
    ['1,000.00', 'Did you mean 1000.00?'],
    ['1.234', 'Did you mean 1234 or 1.23?'],
    ['1.234.567,89', 'Did you mean 1234567.89?'],
    ['1500,25', 'Did you mean 1500.25?'],
    ['1 500.25', 'Did you mean 1500.25?'],
    ['₡1500', 'Did you mean 1500?'],
    ['1500 CRC', 'Did you mean 1500?'],
    ['-5', 'Did you mean 5?'],
    ['0.001', 'Write it like 1500.25'],
    ['0.0004', 'Write it like 1500.25'],
    ['0,00', 'Write it like 1500.25'],
    ['.5', 'Did you mean 0.5?'],
    ['5.', 'Did you mean 5?'],
    ['12.3456', 'Did you mean 12.34?'],
    ['1e3', 'Write it like 1500.25'],
    ['١٢', 'Write it like 1500.25'],
    ['', 'Write it like 1500.25'],
    ['0x10', 'Write it like 1500.25'],
    ['NaN', 'Write it like 1500.25'],
    ['5\n', 'Did you mean 5?'],
  ])('%j', (text, hint) => {
    expect(parseAmount(text)).toMatchObject({ hint })
  })
})

test.each(['0', '0.00', '000', '90071992547409.92', '9'.repeat(400)])('%s is out of range', (text) => {
  expect(parseAmount(text)).not.toHaveProperty('minor')
})

test('the largest amount is exact', () => {
  expect(parseAmount('90071992547409.91')).toEqual({ minor: Number.MAX_SAFE_INTEGER })
})

test.each([
  ['-5', 'is negative'],
  ['−5', 'is negative'],
  ['١٢', 'has digits other than 0 to 9'],
  ['0.001', 'has more than two decimals'],
  ['', 'is empty'],
])('%j %s', (text, fault) => {
  expect(parseAmount(text)).toMatchObject({ fault: expect.stringContaining(fault) })
})

test.each([0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])('%d minor units are no decimal', (minor) => {
  expect(decimal(minor)).toBe('')
})
