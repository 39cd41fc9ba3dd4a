import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { cutTo, hanging, textWidth, wordsWrapped, wrapped } from '../../src/run/cell_lines.ts'
import { growth, linear, longTexts } from '../output/growth.ts'

const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '日', '👩‍👧', 'e\u0301', '-') })
const widths = fc.integer({ min: 2, max: 20 })

describe('the width of a text', () => {
  it('is what string-width says for every character of the first plane', () => {
    const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code))
    expect(characters.filter((one) => textWidth(one) !== stringWidth(one))).toEqual([])
  })
})

describe('prose', () => {
  it('breaks neither inside a number nor between an amount and its currency', () => {
    const question = 'Send 1,500.25 CRC to 8700 0001, from CR76 0999 1000 0000 0000 01? It is back on CR76 ... 0001.'
    for (let width = 30; width < question.length; width += 1) {
      const lines = wordsWrapped(question, width)
      expect(lines.join(' ')).toBe(question)
      for (const whole of ['1,500.25 CRC', '8700 0001', 'CR76 0999 1000 0000 0000 01', 'CR76 ... 0001']) {
        expect(lines.filter((line) => line.includes(whole))).toHaveLength(1)
      }
      expect(wrapped(question, width)).toEqual(lines)
    }
  })
})

describe('a text that is cut', () => {
  it('fits, and says so where something is missing', () => {
    fc.assert(
      fc.property(texts, widths, (text, width) => {
        const cut = cutTo(text, width)
        expect(stringWidth(cut)).toBeLessThanOrEqual(width)
        if (stringWidth(text) <= width) expect(cut).toBe(text)
        else expect(cut.endsWith('…') && text.startsWith(cut.slice(0, -1))).toBe(true)
      }),
    )
  })

  it.each([
    ['María Fernández', 8, 'María F…'],
    ['日本語の名前', 6, '日本…'],
    ['日本語の名前', 7, '日本語…'],
  ])('%s in %i cells', (text, width, cut) => {
    expect(cutTo(text, width)).toBe(cut)
  })
})

describe('a text that goes on below', () => {
  it('is all there, in lines that fit', () => {
    fc.assert(
      fc.property(texts, widths, (text, width) => {
        const lines = wrapped(text, width)
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      }),
    )
  })

  it.each([
    ['-5,000,000,000.00 CRC', 17, ['-5,000,000,000.00', 'CRC']],
    ['the account of the payee is closed', 12, ['the account', 'of the payee', 'is closed']],
    ['019a2e5c-7b1d', 8, ['019a2e5c', '-7b1d']],
    ['', 8, ['']],
  ])('%s in %i cells', (text, width, lines) => {
    expect(wrapped(text, width)).toEqual(lines)
  })
})

it.each([
  ['  Warning      the account has too little', 32, ['  Warning      the account has', '               too little']],
  ['  nobody has this phone', 14, ['  nobody has', '  this phone']],
  ['nobody has this phone', 14, ['nobody has', 'this phone']],
  ['  To        Ana', 80, ['  To        Ana']],
])('%s goes on below its text in %i cells', (text, width, lines) => {
  expect(hanging(text, width)).toEqual(lines)
})

it.each(longTexts)('takes no longer than it is long: %s', async (_, make) => {
  const both = (size: number) => [cutTo(make(size), 40), wrapped(make(size), 40)]
  expect(await growth(both, 8_000)).toBeLessThan(linear)
})
