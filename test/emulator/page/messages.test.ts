import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import english from '../../../emulator/page/messages/en.json' with { type: 'json' }
import spanish from '../../../emulator/page/messages/es.json' with { type: 'json' }
import { findingsInMessages } from '../../english/english.ts'

const languages: Readonly<Record<string, Readonly<Record<string, string>>>> = { english, spanish }

const sources = globSync('emulator/page/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'))

/** Keys as literals; the beginnings of keys that a template completes; and keys of counts, without their forms. */
const literals = new Set(
  sources.flatMap((source) => [...source.matchAll(/['"]([a-z][\w.-]*)['"]/gi)].map(([, key]) => key)),
)
const beginnings = sources.flatMap((source) =>
  [...source.matchAll(/`([a-z][\w.]*\.)\$\{/gi)].map(([, start = '']) => start),
)
const endings = sources.flatMap((source) => [...source.matchAll(/`[a-z][\w.]*\.\$\{[^}]*\}(\.[\w.]+)`/gi)])

const isUsed = (key: string): boolean =>
  literals.has(key) ||
  literals.has(key.replace(/\.(one|other)$/, '')) ||
  beginnings.some((start) => key.startsWith(start)) ||
  endings.some(([whole]) => key.endsWith(whole.replace(/^.*\}/, '').slice(0, -1)))

/** Longest messages by the place that they have on the page, in characters. */
const limits: readonly (readonly [RegExp, number])[] = [
  [/^nav\./, 16],
  [/^status\./, 18],
  [/^column\./, 18],
  [/^breach\./, 20],
  [/^do\./, 26],
  [/./, 170],
]

test('every key is in both languages, in the same order', () => {
  expect(Object.keys(spanish)).toEqual(Object.keys(english))
})

test('every key is used', () => {
  expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([])
})

test.each(Object.entries(languages))('the messages in %s fit their places', (_, messages) => {
  const long = Object.entries(messages).filter(([key, text]) => {
    const [, most = 0] = limits.find(([pattern]) => pattern.test(key)) ?? []
    return text.length > most || text.trim() === ''
  })
  expect(long).toEqual([])
})

test('both languages have the same values in a message', () => {
  const values = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
  const different = Object.entries(english).filter(
    ([key, text]) => values(text).join() !== values(languages.spanish?.[key]).join(),
  )
  expect(different).toEqual([])
})

test('Spanish is not English', () => {
  const same = Object.entries(english).filter(
    ([key, text]) => languages.spanish?.[key] === text && /[a-z]{3} [a-z]{3}/i.test(text),
  )
  expect(same).toEqual([])
})

test('the English messages are plain English', () => {
  const findings = findingsInMessages('en.ts', `export default ${JSON.stringify(english)}`)
  expect(findings).toEqual([])
})
