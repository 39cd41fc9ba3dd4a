import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildIban, formatIban, ibanFault, normalizeIban } from '../../src/contract/index.ts'

const valid = [
  'CR05015202001026284066',
  'CR02010200000000000001',
  'CR06037010600471851492',
  'CR41037010700577264928',
  'CR27010400128230020117',
  'CR19037010600733756399',
  'CR36012080001000000027',
  'CR61010200100000000001',
  'CR12010400100000000001',
  'CR73015100100000000001',
  'CR97015200100000000001',
  'CR22016100100000000001',
  'CR53081300100000000001',
]

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(''))
const iban = fc.tuple(digits(3), digits(14)).map(([entity, account]) => buildIban(entity, account))

const replaceAt = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + by.length)

describe('an IBAN', () => {
  test.each(valid)('%s is good', (sample) => {
    expect(ibanFault(sample)).toBeNull()
  })

  test.each(valid)('%s is what its entity and account give', (sample) => {
    expect(buildIban(sample.slice(5, 8), sample.slice(8))).toBe(sample)
  })

  test('with wrong check digits is refused with the right ones', () => {
    expect(ibanFault('CR37012345678901234567')).toEqual({ reason: 'check digits', expected: '38' })
  })

  test('that is built is good, and 1 modulo 97 by plain arithmetic', () => {
    fc.assert(
      fc.property(iban, (built) => {
        expect(ibanFault(built)).toBeNull()
        expect(BigInt(`${built.slice(4)}1227${built.slice(2, 4)}`) % 97n).toBe(1n)
      }),
    )
  })

  test('with any one digit changed is not good', () => {
    fc.assert(
      fc.property(iban, (built) => {
        for (let at = 2; at < built.length; at++) {
          for (const digit of '0123456789') {
            if (digit !== built[at]) expect(ibanFault(replaceAt(built, at, digit))).not.toBeNull()
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  test('with two neighbours swapped is not good', () => {
    fc.assert(
      fc.property(iban, (built) => {
        for (let at = 2; at < built.length - 1; at++) {
          const [a = '', b = ''] = built.slice(at, at + 2)
          if (a !== b) expect(ibanFault(replaceAt(built, at, b + a))).not.toBeNull()
        }
      }),
    )
  })

  test.each([
    '',
    'CR',
    'CR6101020010000000000',
    'CR610102001000000000011',
    'GB61010200100000000001',
    'cr61010200100000000001',
    'CR61 0102',
  ])('"%s" has not the form of one', (text) => {
    expect(ibanFault(text)).toEqual({ reason: 'form' })
  })

  test('is printed in groups of four, and read back from there', () => {
    expect(formatIban('CR05015202001026284066')).toBe('CR05 0152 0200 1026 2840 66')
    fc.assert(
      fc.property(iban, (built) => {
        expect(normalizeIban(formatIban(built))).toBe(built)
        expect(normalizeIban(formatIban(built).toLowerCase().replaceAll(' ', '-'))).toBe(built)
        expect(normalizeIban(`\u200e${formatIban(built).replaceAll(' ', '\u00a0')}\ufeff`)).toBe(built)
      }),
    )
  })
})
