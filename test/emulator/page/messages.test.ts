import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findingsInMessages } from '../../english/english.ts'

type Messages = Readonly<Record<string, string>>

const read = (file: string): Messages => JSON.parse(readFileSync(file, 'utf8'))

/** Maximum lengths of messages in characters, by the place where the page shows them. */
const limits: readonly (readonly [RegExp, number])[] = [
  [/^nav\./, 16],
  [/^status\./, 18],
  [/^column\./, 18],
  [/^breach\./, 20],
  [/^do\./, 26],
  [/^consent\.(deny|allow)$/, 12],
  [/./, 190],
]

/** Files with messages in two languages, and the sources that use them. */
const pages = [
  { name: 'the page', folder: 'emulator/page/messages', sources: 'emulator/page/**/*.{ts,tsx}' },
  { name: 'the consent page', folder: 'emulator/ui/messages', sources: 'emulator/{ui,oauth}/*.ts' },
]

describe.each(pages)('the messages of $name', ({ folder, sources }) => {
  const english = read(`${folder}/en.json`)
  const spanish = read(`${folder}/es.json`)
  const texts = globSync(sources).map((file) => readFileSync(file, 'utf8'))

  test('are in both languages, in the same order', () => {
    expect(Object.keys(spanish)).toEqual(Object.keys(english))
  })

  test('are used', () => {
    const found = (pattern: RegExp) => texts.flatMap((text) => [...text.matchAll(pattern)].map(([, part = '']) => part))
    const whole = new Set(found(/['"]([a-z][\w.-]*)['"]/gi))
    const beginnings = found(/`([a-z][\w.]*\.)\$\{/gi)
    const isUsed = (key: string) =>
      whole.has(key) ||
      whole.has(key.replace(/\.(one|other)$/, '')) ||
      beginnings.some((start) => key.startsWith(start))
    expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([])
  })

  test('fit their places', () => {
    const long = [...Object.entries(english), ...Object.entries(spanish)].filter(([key, text]) => {
      const [, most = 0] = limits.find(([pattern]) => pattern.test(key)) ?? []
      return text.length > most || text.trim() === ''
    })
    expect(long).toEqual([])
  })

  test('have the same values in both languages', () => {
    const values = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
    const different = Object.keys(english).filter((key) => values(english[key]).join() !== values(spanish[key]).join())
    expect(different).toEqual([])
  })

  test('are Spanish in Spanish, and plain English in English', () => {
    const same = Object.entries(english).filter(
      ([key, text]) => spanish[key] === text && /[a-z]{3} [a-z]{3}/i.test(text),
    )
    expect(same).toEqual([])
    expect(findingsInMessages('en.ts', `export default ${JSON.stringify(english)}`)).toEqual([])
  })
})
