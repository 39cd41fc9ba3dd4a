import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildIban } from '../../src/contract/iban.ts'
import { classify } from '../../src/values/classify.ts'
import { compareDocuments, parseDocument } from '../../src/values/document.ts'
import { parseIban, parsePhone, parseRecipient } from '../../src/values/recipient.ts'
import { growth, linear, longTexts } from '../output/growth.ts'

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(''))
const phone = fc.tuple(fc.constantFrom('2', '6', '7', '8'), digits(7)).map(([first, rest]) => first + rest)
const iban = fc.tuple(digits(3), digits(14)).map(([entity, account]) => buildIban(entity, account))

/** Characters that people and programs put between the characters of a value. */
const separators = fc.constantFrom('', ' ', '-', '.', '\u00a0', '\u2011', '\u2013', '\u202f', '−')

const parted = (text: string, separator: string, size: number): string =>
  text.match(new RegExp(`.{1,${size}}`, 'g'))?.join(separator) ?? ''

const messageOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was accepted')
}

describe('a phone', () => {
  const prefixes = fc.constantFrom('', '506', '+506', '00506', '506-', '(506) ', '+(506)', '[506]', 'tel:', 'tel:+506-')

  test('is the same however it is written', () => {
    fc.assert(
      fc.property(phone, prefixes, separators, fc.constantFrom(1, 2, 4), (number, prefix, separator, size) => {
        const text = `${prefix}${separator}${parted(number, separator, size)} `
        expect(parsePhone(text)).toBe(number)
        expect(parseRecipient(text)).toEqual({ recipient_phone: number })
        expect(classify(text)).toMatchObject({ kind: 'phone', good: true })
      }),
    )
  })

  test.each(['\u202e', '\u2066', '\u200b', '\u200e', '\ufeff', '\u00ad', '\u3164', '\u{e0031}', '\u001b'])(
    'with %j, which nobody sees, is refused wherever it stands',
    (unseen) => {
      const code = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      for (const text of [`${unseen}88881234`, `8888${unseen}1234`, `+506 8888 1234${unseen}`]) {
        const told = new RegExp(`^--to ".+" has an invisible character, U\\+${code}, at position \\d+\\.$`)
        expect(() => parsePhone(text, '--to')).toThrow(told)
        expect(() => parseRecipient(text, '--to')).toThrow(told)
      }
    },
  )

  test('of another country is never one of Costa Rica', () => {
    fc.assert(
      fc.property(fc.constantFrom('+', '00'), digits(8), separators, (prefix, number, separator) => {
        if (number.startsWith('506')) return
        expect(() => parsePhone(prefix + parted(number, separator, 4))).toThrow('of another country')
      }),
    )
  })

  test('that a spreadsheet has made a number of is the same where no digit is lost', () => {
    const spellings = fc.constantFrom(
      (digits: string) => `${digits}.0`,
      (digits: string) => `${digits},00`,
      (digits: string) => `${digits}.000`,
      (digits: string) => `${digits[0]}.${digits.slice(1)}E${digits.length - 1}`,
      (digits: string) => `${digits[0]},${digits.slice(1)}E+${String(digits.length - 1).padStart(2, '0')}`,
      (digits: string) => `${digits[0]}.${digits.slice(1)}00e+${digits.length - 1}`,
    )
    fc.assert(
      fc.property(phone, fc.constantFrom('', '506'), spellings, (number, prefix, spell) => {
        const text = spell(prefix + number)
        expect(parsePhone(text)).toBe(number)
        expect(parseRecipient(text)).toEqual({ recipient_phone: number })
        expect(classify(text)).toMatchObject({ kind: 'phone', good: true })
      }),
    )
  })

  test.each([
    ['8.7E+07', 'a spreadsheet has shortened it, and digits are lost'],
    ['8,70E7', 'a spreadsheet has shortened it, and digits are lost'],
    ['8.700000E7', 'a spreadsheet has shortened it, and digits are lost'],
    ['8.70000015E7', 'a spreadsheet has shortened it, and digits are lost'],
    ['8700000.0', 'looks like a phone with 7 digits'],
    ['870000.00', 'looks like an amount'],
  ])('%s, a number without all its digits, is refused', (text, why) => {
    expect(messageOf(() => parseRecipient(text))).toContain(why)
  })

  test.each([
    ['8888-123', "'8888-123' is not a Costa Rican phone number: a phone has 8 digits"],
    ['８８８８１２３４', '８, a digit of another script'],
    ['٨٨٨٨١٢٣٤', '٨, a digit of another script'],
    ['88O81234', 'the letter O'],
    ['18881234', 'begins with 2, 6, 7 or 8, not with 1'],
    ['+1 305 555 0100', 'begins with + and not with 506'],
    ['3-101-123456', 'looks like an identity document (of a legal entity), not like a phone'],
    ['ana@example.com', 'looks like an email address, not like a phone'],
    ['', 'it is empty'],
  ])('%j is refused', (text, why) => {
    expect(messageOf(() => parsePhone(text))).toContain(why)
  })
})

test.each([
  ['Carlos Jiménez Mora', "'Carlos Jiménez Mora' is not a phone or an IBAN, nor the name of a saved payee."],
  ['last', 'nor the name of a saved payee'],
  ['WhatsApp: 8700-0001', 'it has the letter W in it'],
  ['+1 305 555 0100', "'+1 305 555 0100' looks like a phone of another country."],
  ['CR05 0152 0200 1026 2840 6', 'is not a Costa Rican IBAN: it has 19 digits after CR'],
  ['C R05 O152 O2OO 1O26 284O 66', 'is the letter O, not a digit'],
])('%j is not a payee', (text, why) => {
  expect(messageOf(() => parseRecipient(text))).toContain(why)
})

describe('an IBAN', () => {
  const cases = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.toLowerCase(),
  )
  const prefixes = fc.constantFrom('', 'IBAN ', 'IBAN: ', 'iban', 'IBAN-', '\u200eIBAN\u00a0')

  test('is the same however it is written', () => {
    fc.assert(
      fc.property(iban, prefixes, separators, cases, (number, prefix, separator, cased) => {
        const text = ` ${prefix}${cased(parted(number, separator, 4))}`
        expect(parseIban(text)).toBe(number)
        expect(parseRecipient(text)).toEqual({ recipient_iban: number })
        expect(classify(text)).toMatchObject({ kind: 'iban', words: 'an IBAN', good: true })
      }),
    )
  })

  test.each(['\u202e', '\u2067'])('with %j, which changes the order of its digits, is refused', (mark) => {
    expect(() => parseRecipient(`CR05 0152 0200 1026 2840${mark} 66`)).toThrow('has an invisible character')
  })

  test('with a digit of another script, or a wrong one, is refused', () => {
    fc.assert(
      fc.property(iban, fc.integer({ min: 2, max: 21 }), fc.constantFrom(...'0123456789٣９OоI'), (number, at, by) => {
        if (number[at] === by) return
        expect(() => parseIban(number.slice(0, at) + by + number.slice(at + 1))).toThrow()
      }),
    )
  })

  test.each([
    ['CR06015202001026284066', 'has a typing error: its check digits are 06, but the other digits give 05'],
    ['DE89370400440532013000', 'it begins with DE, not with CR'],
    ['15202001026284066', 'it has 17 digits, like the cuenta cliente that came before IBANs'],
    ['05015202001026284066', 'it has 20 digits without CR before them'],
    ['8888-1234', 'looks like a phone, not like an IBAN'],
    ['155812345678', 'looks like an identity document (DIMEX), not like an IBAN'],
  ])('%s is refused', (text, why) => {
    expect(messageOf(() => parseIban(text))).toContain(why)
  })

  test('made of a cuenta cliente is shown to compare with', () => {
    expect(() => parseIban('152-02001026284066')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('CR05 0152 0200 1026 2840 66') }),
    )
  })
})

describe('an identity document', () => {
  test.each([
    ['1-0234-0567', '0102340567', 'physical'],
    ['01-0234-0567', '0102340567', 'physical'],
    ['1 0234 0567', '0102340567', 'physical'],
    ['1\u20110234\u20110567', '0102340567', 'physical'],
    ['102340567', '102340567', 'physical'],
    ['0304930258', '0304930258', 'physical'],
    ['3-101-123456', '3101123456', 'legal'],
    ['3101123456', '3101123456', 'legal'],
    ['2-100-042005', '2100042005', 'government'],
    ['4-000-042139', '4000042139', 'autonomous'],
    ['155812345678', '155812345678', 'DIMEX'],
    ['1558-1234-5678', '155812345678', 'DIMEX'],
    ['512345678901', '512345678901', 'DIDI'],
    ['G1234567', 'G1234567', 'passport'],
    ['12345678', '12345678', 'passport'],
    ['\u200eC01X00T47', 'C01X00T47', 'passport'],
    ['304930258.0', '304930258', 'physical'],
  ])('%j is %s, %s', (text, number, kind) => {
    expect(parseDocument(text)).toEqual({ number, kind })
  })

  test.each([
    ['', 'it is empty'],
    ['1-O234-0567', 'the letter O'],
    ['1-0234-056', 'none has 8 digits beginning with 1'],
    ['９０２３４０５６７', '９, a digit of another script'],
    ['ana@example.com', 'characters other than digits'],
  ])('%j is refused', (text, why) => {
    expect(messageOf(() => parseDocument(text, '--document'))).toContain(why)
  })

  test.each([
    ['3-0493-0258', '0304930258', 'same'],
    ['304930258', '0304930258', 'same'],
    ['3.04930258E8', '304930258', 'same'],
    ['3-101-123456', '3101123456', 'same'],
    ['c01x00t47', 'C01X00T47', 'same'],
    ['3-0493-0258', '0304930259', 'other'],
    ['3101123456', '4101123456', 'other'],
    ['00123456', '123456', 'same'],
    ['3-0493-0258', '*****0258', 'not compared'],
    ['3-0493-0258', 'XXXXX0258', 'not compared'],
    ['3-0493-0258', 'No disponible', 'not compared'],
    ['3-0493-0258', '', 'not compared'],
    ['3-0493-0258', null, 'not compared'],
  ] as const)('%s and %s of the service are %s', (expected, actual, result) => {
    expect(compareDocuments(expected, actual)).toBe(result)
  })
})

test.each([
  ['CR06 0152 0200 1026 2840 66', 'an IBAN with wrong check digits'],
  ['CR05 0152 0200 1026 2840 6', 'a mistyped IBAN'],
  ['DE89 3704 0044 0532 0130 00', 'an IBAN of another country (DE)'],
  ['8888-123', 'a phone with 7 digits'],
  ['888812345', 'a phone with 9 digits, or an identity document'],
  ['+1 305 555 0100', 'a phone of another country'],
  ['ana@example.com', 'an email address'],
  ['1-0234-0567', 'an identity document'],
  ['3-101-123456', 'an identity document (of a legal entity)'],
  ['155812345678', 'an identity document (DIMEX)'],
  ['01a1ffeb-f792-7000-8000-00b83c888f6b', 'the id of a payment or an account'],
  ['int_8tvxwwmszemv', 'the id of an intent'],
  ['2026010537022010000102590', 'the reference of a payment'],
  ['₡1.500,25', 'an amount'],
  ['1500.25', 'an amount'],
  ['1500 CRC', 'an amount'],
  ['https://example.com/pay', 'a URL'],
  ['Ana Lucía Vega', undefined],
  ['proveedor-luz', undefined],
  ['', undefined],
])('%s looks like %s', (text, words) => {
  expect(classify(text)?.words).toBe(words)
})

describe('a recipient', () => {
  test.each([
    ['1-0234-0567', '--to "1-0234-0567" looks like an identity document, not like an IBAN or a phone.'],
    ['ana@example.com', '--to "ana@example.com" looks like an email address, not like an IBAN or a phone.'],
    ['int_8tvxwwmszemv', '--to "int_8tvxwwmszemv" looks like the id of an intent, not like an IBAN or a phone.'],
    ['1500.25', '--to "1500.25" looks like an amount, not like an IBAN or a phone.'],
    ['8888-123', '--to "8888-123" looks like a phone with 7 digits: a phone has 8 digits, with or without 506 before'],
    ['CR06015202001026284066', '--to "CR06015202001026284066" has a typing error: its check digits are 06'],
    ['8700-00x', '--to "8700-00x" looks like a phone, but it has the letter x in it'],
    ['Ana', '--to "Ana" is not a phone or an IBAN'],
    ['9'.repeat(1000), `--to "${'9'.repeat(60)}…" is not a phone or an IBAN`],
  ])('%j is refused', (text, message) => {
    expect(messageOf(() => parseRecipient(text, '--to'))).toContain(message)
  })

  test.each(longTexts)('is refused in no more time than its text is long: %s', async (_, make) => {
    const refused = (size: number) => messageOf(() => parseRecipient(`8${make(size)}`))
    expect(await growth(refused, 8_000)).toBeLessThan(linear)
  })
})
