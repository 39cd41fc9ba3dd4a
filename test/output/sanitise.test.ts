import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeHidden, printable, printableLines } from '../../src/run/sanitise.ts'
import { hostileText, unseen } from './hostile_text.ts'

it('leaves nothing in a line that cannot be seen', () => {
  fc.assert(fc.property(hostileText, (text) => !unseen.test(printable(text))))
})

it('leaves nothing in lines that cannot be seen but their ends', () => {
  fc.assert(fc.property(hostileText, (text) => !unseen.test(printableLines(text).replaceAll('\n', ''))))
})

it.each([
  ['a zero-width space', 'An\u200ba'],
  ['a zero-width joiner', 'An\u200da'],
  ['tags', 'Ana\u{e0001}\u{e0050}\u{e0041}\u{e0059}'],
  ['a variation selector', 'An\ufe0fa'],
  ['a variation selector of the supplement', 'An\u{e0100}a'],
  ['a filler', 'An\u3164a'],
  ['a soft hyphen', 'A\u00adna'],
  ['a byte order mark', '\ufeffAna'],
])('takes away %s', (_, text) => {
  expect([printable(text), printableLines(text)]).toEqual(['Ana', 'Ana'])
  expect(JSON.parse(escapeHidden(JSON.stringify(text)))).toBe(text)
  expect(escapeHidden(JSON.stringify(text))).toMatch(/^[\x20-\x7e]+$/)
})

it('leaves other text as it is', () => {
  const text = 'María Ñandú, 日本, 👩‍👧 👩🏽‍🚀 🏳️‍🌈 ❤️ “ok” ₡1.500,00'
  expect([printable(text), printableLines(text), escapeHidden(text)]).toEqual([text, text, text])
})

it('puts several lines on one', () => {
  expect(printable('a\r\nb\nc\td')).toBe('a b c d')
  expect(printableLines('a\r\nb\rc\nd\te')).toBe('a\nb\nc\nd e')
})

it('escapes in JSON what JSON.stringify leaves, and changes no value', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const json = escapeHidden(JSON.stringify(text))
      expect(json).not.toMatch(unseen)
      expect(JSON.parse(json)).toBe(text)
    }),
  )
})
