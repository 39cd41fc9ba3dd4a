import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameHolder, nameFault, type Payee, Payees } from '../../src/payees/payee.ts'

describe('a name of a payee', () => {
  it.each([
    'proveedor-luz',
    'Ana',
    'josé',
    'Ñandú-2',
    'мария',
    '電気',
    'cristina',
    'crisol',
    'cnfl-2026-11',
    'fee',
    '7-mares',
  ])('%s is one', (name) => expect(nameFault(name)).toBeUndefined())

  it.each([
    ['CR05015202001026284066', 'IBAN'],
    ['cr05-0152', 'IBAN'],
    ['DE44500105175407324931', 'IBAN'],
    ['88881234', 'letter'],
    ['8888-123O', 'phone'],
    ['88f6b', 'id'],
    ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'id'],
    ['last', 'newest payment'],
    ['LAST', 'newest payment'],
    ['int_4k7qz2m9x1ab', 'letters, digits and dashes'],
    ['a b', 'letters, digits and dashes'],
    ['ana\u200b', 'letters, digits and dashes'],
    ['ana\u3164', 'letters, digits and dashes'], // an invisible letter
    ['-ana', 'begins with'],
    ['', 'letters, digits and dashes'],
    ['a'.repeat(65), 'at most 64'],
  ])('%s is none', (name, why) => expect(nameFault(name)).toContain(why))
})

describe('the name of a holder', () => {
  it.each([
    ['Carlos Jiménez Mora', 'CARLOS JIMENEZ MORA'],
    ['Carlos Jiménez Mora', 'Carlos Jime\u0301nez  Mora '],
    ['PEÑA SOLÍS ANA', 'pena solis ana'],
    ['Ana\u00a0Mora', 'Ana Mora'],
    ['Carlos Jiménez Mora', 'MORA JIMENEZ CARLOS'],
    ['María de los Ángeles Solís', 'Solís Maria Angeles'],
    ['Luz S.A.', 'LUZ SOCIEDAD ANONIMA'],
  ])('%s is also %s', (one, other) => expect(isSameHolder(one, other)).toBe(true))

  it.each([
    ['Carlos Jiménez Mora', 'Carlos Jiménez'],
    ['Carlos Jiménez Mora', 'Carlos J. Mora'],
    ['Carlos Jiménez Mora', 'Carlos Jiménez Moraa'],
    ['Ana Mora', 'AnaMora'],
    ['Ana Mora', 'Аna Mora'], // the first letter is Cyrillic
    ['Luz S.A.', 'Luz S.R.L.'],
  ])('%s is not %s', (one, other) => expect(isSameHolder(one, other)).toBe(false))

  it('is the same in capitals, whatever it is, and another with one letter more', () => {
    const name = fc.string({ unit: fc.constantFrom(...'aáeéiíoóuúüñbcdfgABCÑ .-'), minLength: 1 })
    fc.assert(fc.property(name, (text) => isSameHolder(text, text.toUpperCase())))
    fc.assert(fc.property(name, (text) => !isSameHolder(text, `${text}x`)))
  })
})

const payee = (name: string, service = 'emulator'): Payee => ({
  ...{ name, service, phone: '88881234', note: null },
  ...{ holder: null, bank: null, currency: null, verified_at: null },
})

describe('payees of a service', () => {
  const payees = new Payees('emulator', [
    payee('María'),
    payee('proveedor-luz'),
    payee('ana', 'https://api.example.com'),
  ])

  it('are found in capitals and small letters', () => {
    expect(payees.require('MARÍA').name).toBe('María')
    expect(payees.require(' Proveedor-Luz ').name).toBe('proveedor-luz')
  })

  it.each([
    ['maria', 'Did you mean María?'],
    ['proveedor-lus', 'Did you mean proveedor-luz?'],
  ])('near ones are named and never taken: %s', (name, hint) => {
    expect(() => payees.require(name)).toThrow(expect.objectContaining({ exit: 'usage', hint }))
  })

  it('are not those of another service', () => {
    expect(() => payees.require('ana')).toThrow('No payee "ana" is saved')
  })
})
