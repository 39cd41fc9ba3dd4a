import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimal, formatMoney } from '../../src/contract/money.ts'
import { type Amount, type DecimalMark, parseAmount, parseMinorAmount } from '../../src/values/amount.ts'
import { growth, linear, longTexts } from '../output/growth.ts'
import { anyCharacter } from '../support/any_character.ts'

const minorAmount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

/** Reads an amount; undefined if payctl refuses the text. */
function read(text: string, mark?: DecimalMark): Amount | undefined {
  try {
    return parseAmount(text, { decimal: mark })
  } catch {
    return undefined
  }
}

/** Message and hint of the refusal of a text. */
function refusal(text: string, mark?: DecimalMark): { message: string; hint: string } {
  try {
    parseAmount(text, { name: '--amount', decimal: mark, howToSay: '--decimal comma' })
  } catch (error) {
    const { message, hint = '' } = error as { message: string; hint?: string }
    return { message, hint }
  }
  throw new Error(`${text} is an amount`)
}

const minorOf = (text: string, mark?: DecimalMark): number | undefined => read(text, mark)?.minor

/** Writes an amount with marks: `1 500,25`. */
function written(minor: number, group: string, mark: string): string {
  const [whole = '', fraction = ''] = decimal(minor).split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, group) + mark + fraction
}

const notations: readonly (readonly [group: string, mark: '.' | ','])[] = [
  ['', '.'],
  ['', ','],
  [',', '.'],
  ['.', ','],
  [' ', ','],
  [' ', '.'],
  ['\u00a0', ','],
  ['\u202f', ','],
  ["'", '.'],
  ['’', ','],
]
const currencies = [
  ['', '', undefined],
  ['₡', '', 'CRC'],
  ['¢ ', '', 'CRC'],
  ['CRC ', '', 'CRC'],
  ['', ' CRC', 'CRC'],
  ['₡', ' CRC', 'CRC'],
  ['', ' colones', 'CRC'],
  ['$', '', 'USD'],
  ['US$ ', '', 'USD'],
  ['', ' usd', 'USD'],
] as const

test('every amount is read back as it was written, in every notation, alike with and without its mark said', () => {
  const anyNotation = fc.constantFrom(...notations)
  const anyCurrency = fc.constantFrom(...currencies)
  fc.assert(
    fc.property(minorAmount, anyNotation, anyCurrency, (minor, [group, mark], [before, after, currency]) => {
      const text = `\u00a0 ${before}${written(minor, group, mark)}${after}\u00a0`
      expect(read(text)).toEqual({ minor, currency })
      expect(read(text, mark === '.' ? 'point' : 'comma')).toEqual({ minor, currency })
    }),
  )
})

test('an amount in the service’s own display form, and in minor units, is read back', () => {
  fc.assert(
    fc.property(minorAmount, (minor) => {
      expect(read(formatMoney(minor, 'CRC'))).toEqual({ minor, currency: 'CRC' })
      expect(parseMinorAmount(String(minor))).toBe(minor)
    }),
  )
})

const nearlyAmounts = fc.string({ unit: fc.constantFrom(..."0123456789.,' -+eE_٣９x₡$"), maxLength: 12 })

test('no text has one amount alone, and another when its decimal mark is said', () => {
  fc.assert(
    fc.property(nearlyAmounts, (text) => {
      const alone = minorOf(text)
      if (alone === undefined) return
      for (const mark of ['point', 'comma'] as const) expect([alone, undefined]).toContain(minorOf(text, mark))
    }),
    { numRuns: 5000 },
  )
})

test.each([
  ['anything', fc.string({ unit: anyCharacter })],
  ['what looks like one', nearlyAmounts],
])('the digits of what is read are those that were written: %s', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      const amount = read(text)
      if (!amount) return
      const digits = text.replace(/[^0-9]/g, '').replace(/^0+/, '')
      expect(`${amount.minor}00000`).toContain(digits.replace(/0+$/, ''))
      expect(text).toMatch(/^[^0-9]*[0-9][0-9., '’\u00a0\u202f]*[^0-9]*$/)
    }),
    { numRuns: 2000 },
  )
})

test.each(longTexts)('is refused in no more time than its text is long: %s', async (_, make) => {
  expect(await growth((size) => read(`1${make(size)}`), 8_000)).toBeLessThan(linear)
})

describe('has one reading', () => {
  test.each([
    ['1500', 150_000],
    ['1500.25', 150_025],
    ['1500,25', 150_025],
    ['1500.2', 150_020],
    ['1,50', 150],
    ['1.500,25', 150_025],
    ['1,500.25', 150_025],
    ['1 500,25', 150_025],
    ['1 500', 150_000],
    ["1'500.25", 150_025],
    ['1.500.250', 150_025_000],
    ['1,500,250', 150_025_000],
    ['1.500.250,75', 150_025_075],
    ['0.500', 50],
    ['0,500', 50],
    ['0.05', 5],
    ['007.50', 750],
    ['1500.2500', 150_025],
    ['₡1.500,25', 150_025],
    ['CRC 1500', 150_000],
    ['5\n', 500],
  ])('%s', (text, minor) => {
    expect(minorOf(text)).toBe(minor)
  })
})

describe('has two readings, and is refused with both', () => {
  test.each([
    ['1.500', '1500 or 1.50', { point: 150, comma: 150_000 }],
    ['1,500', '1500 or 1.50', { point: 150_000, comma: 150 }],
    ['₡1.000', '1000 or 1.00', { point: 100, comma: 100_000 }],
    ['12,345', '12345 or 12.345', { point: 1_234_500, comma: undefined }],
    ['500.250', '500250 or 500.25', { point: 50_025, comma: 50_025_000 }],
    ['1500.250', '1500250 or 1500.25', { point: 150_025, comma: undefined }],
    ['1.500,250', '1500250 or 1500.25', { point: undefined, comma: 150_025 }],
    ['1,500.250', '1500250 or 1500.25', { point: 150_025, comma: undefined }],
    ['1 500,250', '1500250 or 1500.25', { point: undefined, comma: 150_025 }],
  ])('%s', (text, readings, said) => {
    const { message, hint } = refusal(text)
    expect(message).toBe(`--amount "${text}" has two readings: ${readings}.`)
    expect(hint).toMatch(/^Write \d.+, or name the decimal mark: --decimal comma$/)
    expect({ point: minorOf(text, 'point'), comma: minorOf(text, 'comma') }).toEqual(said)
  })

  test('where nobody can say the mark, only how to write it', () => {
    expect(() => parseAmount('1.500')).toThrow(expect.objectContaining({ hint: 'Write 1500 or 1.50' }))
  })
})

describe('is refused', () => {
  test.each([
    ['', 'is empty', 'Write it like 1500.25'],
    ['CRC', 'has no digits', 'Write it like 1500.25'],
    ['-5', 'is negative', 'Did you mean 5?'],
    ['−5', 'is negative', 'Did you mean 5?'],
    ['(5.00)', 'is negative', 'Did you mean 5.00?'],
    ['1500-', 'is negative', 'Did you mean 1500?'],
    ['+5', 'is not a number', 'Did you mean 5?'],
    ['.5', 'begins with "."', 'Did you mean 0.5?'],
    ['5.', 'ends with "."', 'Did you mean 5?'],
    ['1500,', 'ends with ","', 'Did you mean 1500?'],
    ['0.001', 'has more than two decimals', 'Write it like 1500.25'],
    ['12.3456', 'has more than two decimals', 'Write it like 1500.25'],
    ['1.50.25', 'separators must group three digits', 'Write it like 1500.25'],
    ['1.500.25', 'separators must group three digits', 'Write it like 1500.25'],
    ['1.500.250.75', 'separators must group three digits', 'Write it like 1500.25'],
    ['0.500.000', 'separators must group three digits', 'Write it like 1500.25'],
    ['1,50,000', 'separators must group three digits', 'Write it like 1500.25'],
    ['15 00', 'separators must group three digits', 'Write it like 1500.25'],
    ["1'500 250", 'separators must group three digits', 'Write it like 1500.25'],
    ['1\n500', 'is not a number', 'Write it like 1500.25'],
    ['\u202e00.51', 'has an invisible character, U+202E, at position 1', 'Type the value again by hand'],
    ['15\u200b00', 'has an invisible character, U+200B, at position 3', 'Type the value again by hand'],
    ['1500\ufeff', 'has an invisible character, U+FEFF, at position 5', 'Type the value again by hand'],
    ['\u31641500', 'U+3164', 'Type the value again by hand'],
    ['1500\u0007', 'U+0007', 'Type the value again by hand'],
    ['15O0', 'has the letter O', 'Write it like 1500.25'],
    ['l500', 'has the letter l', 'Write it like 1500.25'],
    ['١٢', 'has digits other than 0 to 9', 'Write it like 1500.25'],
    ['１５００', 'has digits other than 0 to 9', 'Write it like 1500.25'],
    ['1e3', 'is not a number', 'Write it like 1500.25'],
    ['0x10', 'is not a number', 'Write it like 1500.25'],
    ['NaN', 'is not a number', 'Write it like 1500.25'],
    ['1500 EUR', 'is in EUR', 'Write it like 1500.25'],
    ['€ 15', 'is in €', 'Write it like 1500.25'],
    ['₡15 USD', 'names two currencies', 'Write it like 1500.25'],
    ['CR05 0152 0200 1026 2840 66', 'looks like an IBAN, not like an amount', 'Write it like 1500.25'],
    ['8888-1234', 'looks like a phone, not like an amount', 'Write it like 1500.25'],
    ['2026-11-22', 'looks like a date, not like an amount', 'Write it like 1500.25'],
    ['22/11/2026', 'looks like a date, not like an amount', 'Write it like 1500.25'],
    ['1-0234-0567', 'looks like an identity document, not like an amount', 'Write it like 1500.25'],
  ])('%j %s', (text, why, hint) => {
    const refused = refusal(text)
    expect(refused.message).toContain(why)
    expect(refused.hint.split(':')[0]).toBe(hint.split(':')[0])
  })

  test.each(['0', '0.00', '000', '0,000'])('%s, which is nothing', (text) => {
    expect(refusal(text).message).toBe('--amount must be greater than 0.')
  })

  test('what has another decimal mark than is said, with an example that has it', () => {
    expect(refusal('1500.25', 'comma')).toEqual({
      message: '--amount "1500.25" is not an amount with a decimal comma.',
      hint: 'Write it like 1500,25',
    })
  })

  test.each(['90071992547409.92', '9'.repeat(99)])('%s, which is too large', (text) => {
    expect(refusal(text)).toEqual({
      message: '--amount is too large.',
      hint: 'At most 90071992547409.91 can be written',
    })
    expect(minorOf('90071992547409.91')).toBe(Number.MAX_SAFE_INTEGER)
  })

  test.each([
    ['1500.25', 'comma'],
    ['1500,25', 'point'],
    ['1.500,25', 'point'],
    ['1,500.25', 'comma'],
  ] as const)('%s where the decimal mark is a %s', (text, mark) => {
    expect(refusal(text, mark).message).toBe(`--amount "${text}" is not an amount with a decimal ${mark}.`)
  })
})

test('the largest amount is exact', () => {
  expect(minorOf('90071992547409.91')).toBe(Number.MAX_SAFE_INTEGER)
})

test.each([0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])('%d minor units are not a decimal', (minor) => {
  expect(decimal(minor)).toBe('')
})
