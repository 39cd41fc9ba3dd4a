import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPhone, nationalPhone, normalizePhone } from '../../src/contract/index.ts'

const national = fc
  .tuple(fc.constantFrom('2', '6', '7', '8'), fc.integer({ min: 0, max: 9_999_999 }))
  .map(([first, rest]) => first + String(rest).padStart(7, '0'))

describe('a phone number', () => {
  test.each(['22223333', '60001234', '70001234', '88001234', '50688001234'])('%s is one', (phone) => {
    expect(isPhone(phone)).toBe(true)
  })

  test.each([
    '',
    '8800123',
    '880012345',
    '18001234',
    '50788001234',
    '5068800123',
    '+50688001234',
    '8800 1234',
    '88001234\n',
  ])('"%s" is none', (phone) => {
    expect(isPhone(phone)).toBe(false)
  })

  test('is the same however people write it', () => {
    const prefix = fc.constantFrom('', '506', '+506', '00506', '+506 ', '(506) ', '506-', '\u202a+506\u00a0')
    const separator = fc.constantFrom('', ' ', '-', '.', '\u2011', '\u2013', '\u200b')
    fc.assert(
      fc.property(national, prefix, separator, (digits, before, between) => {
        const phone = normalizePhone(`${before}${digits.slice(0, 4)}${between}${digits.slice(4)}`)
        expect(isPhone(phone)).toBe(true)
        expect(nationalPhone(phone)).toBe(digits)
      }),
    )
  })
})
