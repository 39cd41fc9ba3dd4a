import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareNames } from '../../src/values/holder_name.ts'

const verdict = (expected: string, actual: string) => compareNames(expected, actual).verdict

describe('names of one holder', () => {
  test.each([
    ['Carlos Jiménez Mora', 'CARLOS JIMENEZ MORA'],
    ['Jiménez Mora, Carlos', 'Carlos Jiménez Mora'],
    ['María de los Ángeles Solís', 'MARIA ANGELES SOLIS'],
    ['Ana-Lucía Vega Rojas', 'Ana Lucia Vega Rojas'],
    ["Marco D'Avanzo Ruiz", 'MARCO DAVANZO RUIZ'],
    ['Rosa De la O Chaves', 'ROSA O CHAVES'],
    ['Ferretería El Clavo S.A.', 'FERRETERIA EL CLAVO SOCIEDAD ANONIMA'],
    ['Ferretería El Clavo, S. A.', 'Ferretería El Clavo SA'],
    ['Café Alto Ltda.', 'CAFE ALTO SOCIEDAD DE RESPONSABILIDAD LIMITADA'],
    ['Café Alto S.R.L.', 'CAFE ALTO LIMITADA'],
    ['Núñez & Hijos', 'Nuñez y Hijos'],
    ['Mora Mora Luis', 'Luis Mora Mora'],
  ])('%s is %s', (one, other) => {
    expect(compareNames(one, other)).toEqual({ verdict: 'same', missing: [], extra: [], abbreviated: [] })
  })

  test.each([
    ['Carlos Jiménez', 'Carlos Jiménez Mora', { missing: ['Mora'] }],
    ['Carlos Jiménez Mora', 'CARLOS JIMENEZ', { extra: ['Mora'] }],
    ['Carlos A. Mora', 'Carlos Alberto Mora', { abbreviated: [['A.', 'Alberto']] }],
    ['Ma. Isabel Soto', 'María Isabel Soto', { abbreviated: [['Ma.', 'María']] }],
    ['Carlos E. Mora', 'Carlos Mora', { extra: ['E.'] }],
    ['Ferretería El Clavo', 'FERRETERIA EL CLAVO S.A.', { missing: ['S.A.'] }],
    ['Kölbi', 'Kolbi S.A.', { missing: ['S.A.'] }],
    ['Luis Mora', 'Luis Mora Mora', { missing: ['Mora'] }],
  ])('%s is partly %s', (one, other, differences) => {
    const none = { missing: [], extra: [], abbreviated: [] }
    expect(compareNames(one, other)).toEqual({ verdict: 'partly', ...none, ...differences })
  })

  test.each([
    ['Carlos Jiménez Mora', 'Carlos Jiménez Vega'],
    ['Carlos Mora', 'Carla Mora'],
    ['Jiménez', 'Carlos Jiménez Mora'],
    ['C. Mora', 'Carlos Mora'],
    ['Ferretería El Clavo S.A.', 'Ferretería El Clavo S.R.L.'],
    ['Carlos Mora', 'Сarlos Mora'], // the second begins with a Cyrillic letter
    ['', ''],
    ['...', 'Carlos Mora'],
    ['de la', 'del'],
  ])('"%s" is not "%s"', (one, other) => {
    expect(verdict(one, other)).toBe('other')
  })
})

const given = [
  'María',
  'José',
  'Ana',
  'Lucía',
  'Carlos',
  'Alberto',
  'Ángel',
  'Esteban',
  'Sofía',
  'Íngrid',
  'Óscar',
  'Yolanda',
]
const family = [
  'Jiménez',
  'Mora',
  'Núñez',
  'Quesada',
  'Solís',
  'Güell',
  'Chaves',
  'Araya',
  'Brenes',
  'Zúñiga',
  'Umaña',
  'Vega',
]
const word = fc.constantFrom(...given, ...family)
const words = fc.array(word, { minLength: 2, maxLength: 5 })
const isMarked = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')

describe('any names', () => {
  test('order, case, accents, particles and hyphens do not count', () => {
    const respelt = fc.tuple(words, fc.infiniteStream(fc.nat(5)), fc.nat()).map(([name, choices, turn]) => {
      const turned = [...name.slice(turn % name.length), ...name.slice(0, turn % name.length)]
      const spellings = [
        (text: string) => text,
        (text: string) => text.toUpperCase(),
        isMarked,
        (text: string) => `de ${text}`,
        (text: string) => `de la ${text.normalize('NFD')}`,
        (text: string) => `\u200b${text}  `,
      ]
      const written = turned.map((text) => spellings[choices.next().value ?? 0]?.(text) ?? text)
      return { name: name.join(' '), other: written.join(turn % 2 ? '-' : ' ') }
    })
    fc.assert(
      fc.property(respelt, ({ name, other }) => verdict(name, other) === 'same' && verdict(other, name) === 'same'),
    )
  })

  test('a name with a word more is partly the same, and the word is reported', () => {
    fc.assert(
      fc.property(words, fc.constantFrom(...family), (name, more) => {
        const { verdict: result, missing, extra } = compareNames(name.join(' '), [...name, more].join(' '))
        expect({ result, missing, extra }).toEqual({ result: 'partly', missing: [more], extra: [] })
      }),
    )
  })

  test('an initial is partly the same as its word', () => {
    fc.assert(
      fc.property(words, fc.constantFrom(...given), (name, middle) => {
        const short = `${[...middle][0]}.`
        const result = compareNames([...name, short].join(' '), [...name, middle].join(' '))
        expect(result).toEqual({ verdict: 'partly', missing: [], extra: [], abbreviated: [[short, middle]] })
      }),
    )
  })

  test('another word in the place of one makes another name', () => {
    const replaced = fc.tuple(words, fc.nat(), word).filter(([name, at, other]) => name[at % name.length] !== other)
    fc.assert(
      fc.property(replaced, ([name, at, other]) => {
        expect(verdict(name.join(' '), name.with(at % name.length, other).join(' '))).toBe('other')
      }),
    )
  })

  test('the verdict does not depend on which name is expected', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom(...given, ...family, 'A.', 'Al.', 'S.A.', 'Ltda', 'de', 'y'))
        .map((all) => all.join(' ')),
    )
    fc.assert(fc.property(text, text, (one, other) => verdict(one, other) === verdict(other, one)))
  })
})
