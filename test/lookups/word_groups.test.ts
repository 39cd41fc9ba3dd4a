import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildIban } from '../../src/contract/iban.ts'
import { groupedWords } from '../../src/lookups/word_groups.ts'
import { parseIban, parsePhone } from '../../src/values/recipient.ts'

const names = ['ana', 'iban', 'cr', 'luz-2']
const isName = (word: string) => names.includes(word.toLowerCase())
const grouped = (line: string) => groupedWords(line.split(/\s+/), isName)

describe('words of one line', () => {
  test.each([
    ['8700 0001', ['8700 0001']],
    ['+506 8700 0001', ['+506 8700 0001']],
    ['tel: +506 8700 0001', ['tel: +506 8700 0001']],
    ['(506) 8700 0001 87000002', ['(506) 8700 0001', '87000002']],
    ['8700 0001 8700 0002', ['8700 0001', '8700 0002']],
    ['8700-0001, 8700-0002; 8700 0003', ['8700-0001', '8700-0002', '8700 0003']],
    ['87000001,87000002', ['87000001', '87000002']],
    ['8,7000001E7 87000001,0', ['8,7000001E7', '87000001,0']],
    ['CR05 0152 0200 1026 2840 66', ['CR05 0152 0200 1026 2840 66']],
    ['IBAN: CR05 0152 0200 1026 2840 66 8700 0001', ['IBAN: CR05 0152 0200 1026 2840 66', '8700 0001']],
    ['cr 05 0152 0200 1026 2840 66', ['cr 05 0152 0200 1026 2840 66']],
    ['ana 8700 0001 luz-2', ['ana', '8700 0001', 'luz-2']],
  ])('%s are %j', (line, values) => {
    expect(grouped(line)).toEqual(values)
  })

  test.each([
    ['CR05 0152 0200 1026 2840 67 8700 0001', ['CR05 0152 0200 1026 2840 67', '8700 0001']],
    [
      'CR05 0152 0200 1026 2840 CR73 0151 0010 0000 0000 01',
      ['CR05 0152 0200 1026 2840', 'CR73 0151 0010 0000 0000 01'],
    ],
    ['CR05 O152 0200 1026 2840 66', ['CR05 O152 0200 1026 2840 66']],
    ['CR05 01520200 82628400 66', ['CR05 01520200 82628400 66']],
    ['05 0152 82001026 2840 66', ['05 0152 82001026 2840 66']],
    ['8700 000', ['8700 000']],
    ['8700 0001 8700', ['8700 0001 8700']],
    ['12 88001234 87000001', ['12', '88001234', '87000001']],
    ['87000001 8700000', ['87000001', '8700000']],
    ['8700 0001 abc 8700 0002', ['8700 0001', 'abc', '8700 0002']],
    ['87000001 -', ['87000001', '-']],
  ])('%s, in which something is wrong, are %j', (line, values) => {
    expect(grouped(line)).toEqual(values)
  })

  test('an empty word is a value that is refused later', () => {
    expect(groupedWords([''], isName)).toEqual([''])
  })

  test('that can be read in two ways are refused with both', () => {
    expect(() => grouped('iban CR05 0152 0200 1026 2840 66')).toThrow(
      "'iban CR05 0152 0200 1026 2840 66' can be read in two ways: the payee iban, the IBAN CR05 0152 0200 1026 2840 66, or the IBAN CR05 0152 0200 1026 2840 66.",
    )
    expect(grouped('iban, CR05 0152 0200 1026 2840 66')).toEqual(['iban', 'CR05 0152 0200 1026 2840 66'])
    expect(groupedWords(['iban CR05 0152 0200 1026 2840 66'], isName)).toHaveLength(1)
  })
})

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(''))
const phone = fc.tuple(fc.constantFrom('2', '6', '7', '8'), digits(7)).map(([first, rest]) => first + rest)
const iban = fc.tuple(digits(3), digits(14)).map(([entity, account]) => buildIban(entity, account))

/** A value, split into words of any lengths. */
const inWords = (values: fc.Arbitrary<string>) =>
  fc
    .tuple(values, fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 22, maxLength: 22 }))
    .map(([value, lengths]) => {
      const words = [value.slice(0, /^(CR|\+)/.test(value) ? 4 : lengths[21])]
      for (let rest = value.slice(words[0]?.length); rest !== ''; rest = rest.slice(words.at(-1)?.length)) {
        words.push(rest.slice(0, lengths[words.length]))
      }
      return { value, words }
    })

const normalized = (text: string) => (/^CR/i.test(text) ? parseIban(text) : parsePhone(text))

describe('any phones and IBANs', () => {
  const listed = fc.array(fc.oneof(inWords(phone), inWords(iban), inWords(phone.map((number) => `+506${number}`))), {
    minLength: 1,
    maxLength: 6,
  })

  test('in words of any lengths are read as they were, or refused', () => {
    fc.assert(
      fc.property(listed, (all) => {
        const words = all.flatMap((one) => one.words)
        expect(groupedWords(words, () => false).map(normalized)).toEqual(
          all.map(({ value }) => (value.startsWith('CR') ? value : value.slice(-8))),
        )
      }),
    )
  })

  test('with a word missing are never joined into another phone or IBAN', () => {
    fc.assert(
      fc.property(listed, fc.nat(), (all, at) => {
        const words = all.flatMap((one) => one.words)
        const left = words.toSpliced(at % words.length, 1)
        const values = all.map(({ value }) => value.replace('+506', ''))
        for (const text of groupedWords(left, () => false)) {
          if (left.includes(text)) continue
          try {
            expect(values).toContain(normalized(text))
          } catch (error) {
            if ((error as Error).name !== 'UsageError') throw error
          }
        }
      }),
    )
  })
})
