import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareNames, differenceOf } from '../../src/values/holder_name.ts'

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
    ['Marco D´Avanzo Ruiz', "Marco D'Avanzo Ruiz"],
    ['Núñez&Hijos', 'NUÑEZ Y HIJOS'],
    ['Rosa De la O Chaves', 'ROSA DELAO CHAVES'],
    ['Ana Lucía McAdam', 'ANALUCIA MC ADAM'],
    ['Lic. Carlos Jiménez Mora', 'CARLOS JIMENEZ MORA'],
    ['Sra. Ana Vega Solís', 'Vega Solís Ana'],
    ['3-101-123456 S.A.', '3101123456 SOCIEDAD ANONIMA'],
    ['Taller Mora E.I.R.L.', 'TALLER MORA EMPRESA INDIVIDUAL DE RESPONSABILIDAD LIMITADA'],
    ['Coopeagua R.L.', 'COOPEAGUA RESPONSABILIDAD LIMITADA'],
    ['Café Alto S. de R.L.', 'Café Alto Limitada'],
  ])('%s is %s', (one, other) => {
    expect(compareNames(one, other)).toEqual({ verdict: 'same', missing: [], extra: [], abbreviated: [] })
  })

  test.each([
    ['Carlos Jiménez', 'Carlos Jiménez Mora', { missing: ['Mora'] }],
    ['Carlos Jiménez Mora', 'CARLOS JIMENEZ', { extra: ['Mora'] }],
    ['Carlos A. Mora', 'Carlos Alberto Mora', { abbreviated: [['A.', 'Alberto']] }],
    ['Ma. Isabel Soto', 'María Isabel Soto', { abbreviated: [['Ma.', 'María']] }],
    ['Carlos E. Mora', 'Carlos Mora', { extra: ['E.'] }],
    ['Ma Isabel Soto Vega', 'María Isabel Soto Vega', { abbreviated: [['Ma', 'María']] }],
    ['Mª Isabel Soto', 'María Isabel Soto', { abbreviated: [['Ma', 'María']] }],
    [
      'Fco. Hdez. Mora Soto',
      'Francisco Hernández Mora Soto',
      {
        abbreviated: [
          ['Hdez.', 'Hernández'],
          ['Fco.', 'Francisco'],
        ],
      },
    ],
    ['Ana Y. Mora Soto', 'ANA YORLENY MORA SOTO', { abbreviated: [['Y.', 'YORLENY']] }],
    ['Don Carlos Mora', 'Carlos Mora', { extra: ['Don'] }],
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
    ['Inversiones Dos', 'Inversiones Tres'],
    ['Taller Mora E.I.R.L.', 'Taller Mora Limitada'],
    ['Lic. Mora', 'Lic. Vega'],
    ['Francisco Mora', 'Fabricio Mora'],
    ['', ''],
    ['...', 'Carlos Mora'],
    ['de la', 'del'],
  ])('"%s" is not "%s"', (one, other) => {
    expect(verdict(one, other)).toBe('other')
  })
})

test('the differences are named as the service sees them', () => {
  const text = (expected: string, actual: string) => String(differenceOf(compareNames(expected, actual)))
  expect(text('Carlos Jiménez Mora', 'Mora Carlos')).toBe('without Jiménez')
  expect(text('Carlos A. Mora', 'Carlos Alberto Mora Vega')).toBe('also Vega; A. for Alberto')
  expect(text('Carlos Jiménez Mora', 'Carlos Jiménez Vega')).toBe('without Mora; also Vega')
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
        (text: string) => `${text.slice(0, 2)} ${text.slice(2)}`,
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

  test('titles before a name do not count', () => {
    fc.assert(
      fc.property(words, fc.constantFrom('Lic.', 'Licda', 'DRA.', 'Ing'), (name, title) => {
        expect(verdict(`${title} ${name.join(' ')}`, name.join(' '))).toBe('same')
      }),
    )
  })

  test('another form makes another company; a missing one is partly the same', () => {
    const forms = ['S.A.', 'Ltda.', 'E.I.R.L.', 'R.L.']
    fc.assert(
      fc.property(words, fc.constantFrom(...forms), fc.constantFrom(...forms), (name, one, other) => {
        const company = name.join(' ')
        expect(verdict(`${company} ${one}`, `${company}, ${other}`)).toBe(one === other ? 'same' : 'other')
        expect(verdict(company, `${company} ${one}`)).toBe('partly')
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
