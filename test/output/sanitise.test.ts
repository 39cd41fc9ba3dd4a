import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeControls, printable, printableLines } from '../../src/output/sanitise.ts'
import { hostileText } from './hostile_text.ts'

const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

it('leaves no control character in a line', () => {
  fc.assert(fc.property(hostileText, (text) => !controls.test(printable(text))))
})

it('leaves no control character but line ends in lines', () => {
  fc.assert(fc.property(hostileText, (text) => !controls.test(printableLines(text).replace(/[\r\n]/g, ''))))
})

it('leaves other text as it is', () => {
  const text = 'María Ñandú, 日本, 👩‍👧 “ok” ₡1.500,00'
  expect([printable(text), printableLines(text), escapeControls(text)]).toEqual([text, text, text])
})

it('puts several lines on one', () => {
  expect(printable('a\r\nb\nc\td')).toBe('a b c d')
})

it('escapes in JSON what JSON.stringify leaves, and changes no value', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const json = escapeControls(JSON.stringify(text))
      expect(json).not.toMatch(controls)
      expect(JSON.parse(json)).toBe(text)
    }),
  )
})
