import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { placeholders } from '../../src/words/spanish/placeholders.ts'
import { areas, inSpanish } from '../../src/words/spanish.ts'
import { foreign, say, Text } from '../../src/words/text.ts'

const sources = async (): Promise<string> => {
  const texts: string[] = []
  for await (const file of glob('{src,emulator}/**/*.ts')) {
    if (!file.startsWith('src/words/')) texts.push(readFileSync(file, 'utf8'))
  }
  return texts.join('\n')
}

/** The templates of say`...` in a source, each with `{}` for its values. */
function templatesIn(source: string): readonly string[] {
  const templates: string[] = []
  for (const { index } of source.matchAll(/\bsay`/g)) templates.push(templateAt(source, index + 'say`'.length))
  return templates
}

function templateAt(source: string, start: number): string {
  let text = ''
  for (let at = start; source[at] !== '`'; at += 1) {
    if (source.startsWith('${', at)) {
      text += '{}'
      at = endOfValue(source, at + 2)
    } else if (source[at] === '\\') text += source[++at]
    else text += source[at]
  }
  return text
}

/** Index of the brace that ends a value; the value may contain templates. */
function endOfValue(source: string, start: number): number {
  let at = start
  for (let depth = 1; ; at += 1) {
    if (source[at] === '`') at = endOfTemplate(source, at + 1)
    else if (source[at] === '{') depth += 1
    else if (source[at] === '}' && --depth === 0) return at
  }
}

function endOfTemplate(source: string, start: number): number {
  let at = start
  while (source[at] !== '`') at = source.startsWith('${', at) ? endOfValue(source, at + 2) + 1 : at + 1
  return at
}

const entries = Object.values(areas).flatMap((area) => Object.entries<string | ((...values: string[]) => string)>(area))

const countOf = (text: string): number => text.split('{}').length - 1

describe('The Spanish catalogue', () => {
  it('has every message with values', async () => {
    const templates = new Set(templatesIn(await sources()))
    expect(templates.size).toBeGreaterThan(150)
    const words = [...templates].filter((template) => /\p{L}/u.test(template))
    const known = new Set(entries.map(([english]) => english))
    expect(words.filter((template) => !known.has(template))).toEqual([])
  })

  it('has no message that no source prints', async () => {
    const source = (await sources()).replaceAll("\\'", "'")
    const templates = new Set(templatesIn(source))
    const isPrinted = (english: string) =>
      templates.has(english) ||
      source.includes(`'${english}`) ||
      source.includes(`"${english}`) ||
      source.includes(`\`${english}`) ||
      new RegExp(`^ *${english}: |['" ]${english}['" ]`, 'm').test(source)
    const unused = entries
      .map(([english]) => english)
      // payctl may show a status or a column with spaces instead of underscores.
      .filter((english) => ![english, escaped(english), english.replaceAll(' ', '_')].some(isPrinted))
    expect(unused).toEqual([])
  })

  it('says each message once', () => {
    const english = entries.map(([key]) => key)
    expect(english.filter((key, at) => english.indexOf(key) !== at)).toEqual([])
  })

  it.each(entries)('has all values of %s', (english, spanish) => {
    if (typeof spanish === 'string') {
      const numbers = [...spanish.matchAll(/\{(\d)\}/g)].map(([, number]) => Number(number))
      const used = numbers.length > 0 ? new Set(numbers).size : countOf(spanish)
      expect({ english, values: used }).toEqual({ english, values: countOf(english) })
    } else {
      const values = Array.from({ length: countOf(english) }, (_, at) => `<${at}>`)
      expect(spanish(...values)).not.toMatch(/undefined|\{\}/)
    }
  })

  it('translates every message', () => {
    const alike = ['Id', 'id', 'No']
    const untranslated = entries.filter(([english, spanish]) => english === spanish && !alike.includes(english))
    expect(untranslated).toEqual([])
  })

  it('keeps flags, commands and codes', () => {
    const marks = /--[a-z-]+|payctl (emulate|profiles set|emulator token)|PAYCTL_\w+|read-(user|accounts)/g
    for (const [english, spanish] of entries) {
      if (typeof spanish !== 'string') continue
      expect({ english, kept: spanish.match(marks)?.sort() }).toEqual({ english, kept: english.match(marks)?.sort() })
    }
  })

  it('leaves "nothing was sent" out of reasons, as English does', () => {
    const reasons = entries.filter(([english]) => / Nothing (more )?was sent( by this run)?\.$/.test(english))
    expect(reasons.length).toBeGreaterThan(50)
    for (const [english] of reasons) {
      const values = Array.from({ length: countOf(english) }, () => '1')
      expect(inSpanish(new Text(english, values, 'reason')), english).not.toMatch(/envió nada/)
    }
  })

  it('names the values of flags as the help does', () => {
    const names: Readonly<Record<string, string>> = placeholders
    for (const [english, spanish] of entries) {
      if (typeof spanish !== 'string') continue
      const expected = placeholdersIn(english).map((name) => names[name])
      expect({ english, names: placeholdersIn(spanish) }).toEqual({ english, names: expected })
    }
  })
})

const placeholdersIn = (text: string) => [...text.matchAll(/<(\p{L}+)>/gu)].map(([, name = '']) => name).sort()

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

describe('A message', () => {
  it('is English as a string, and in JSON', () => {
    const text = say`Send ${'5.00 CRC'} to ${say`name not available`}?`
    expect(`${text}`).toBe('Send 5.00 CRC to name not available?')
    expect(JSON.stringify({ text })).toBe('{"text":"Send 5.00 CRC to name not available?"}')
  })

  it('is Spanish with the messages within it', () => {
    expect(inSpanish(say`Send ${'5.00 CRC'} to ${say`name not available`}?`)).toBe(
      '¿Enviar 5.00 CRC a nombre no disponible?',
    )
  })

  it('never translates a value', () => {
    expect(inSpanish(say`Send ${'Amount'} to ${'closed {} {1}'}?`)).toBe('¿Enviar Amount a closed {} {1}?')
  })

  it('has no Spanish if a message within it has none', () => {
    expect(inSpanish(say`Warning: ${say`a sentence that no catalogue has`}.`)).toBeUndefined()
  })

  it('shows a word of the service that is not known as the service wrote it', () => {
    expect(inSpanish(foreign('Insufficient balance.'))).toBe('Saldo insuficiente.')
    expect(inSpanish(foreign('Quota exhausted.'))).toBe('Quota exhausted.')
    expect(inSpanish(foreign('The description field must be at least 15 characters.'))).toBe(
      'El campo description debe tener al menos 15 caracteres.',
    )
  })

  it('says a message of the service within another one', () => {
    expect(inSpanish(foreign('the service answered 409: Insufficient balance'))).toBe(
      'el servicio respondió 409: Saldo insuficiente',
    )
  })

  it.each([
    [
      'The holder of luz (8700 0001) has changed: it was "Ana Mora", and is "Eva Mora" now',
      'El titular de luz (8700 0001) cambió: era "Ana Mora" y ahora es "Eva Mora"',
    ],
    [
      'The limits of profile prod allow 2,000.00 CRC for one payment, and this payment is 2,500.00 CRC',
      'Los límites del perfil prod permiten 2,000.00 CRC por pago, y este pago es de 2,500.00 CRC',
    ],
    [
      'The limits of profile prod allow 9.00 CRC a day: 8.00 CRC is used, 1.00 CRC left until 2026-11-27 00:00 (UTC-6), in 3 h 5 min',
      'Los límites del perfil prod permiten 9.00 CRC por día: ya se usaron 8.00 CRC y quedan 1.00 CRC hasta el 2026-11-27 00:00 (UTC-6), dentro de 3 h 5 min',
    ],
    ['the service answered 503', 'el servicio respondió 503'],
    ['it looks like a part of an id', 'parece una parte de un identificador'],
    ['it looks like a phone with 7 digits', 'parece un teléfono de 7 dígitos'],
    ['Write the year first: 2026-12-11 or 2026-11-12.', 'Escriba primero el año: 2026-12-11 o 2026-11-12.'],
    [
      '/home/ana/r.csv: ENOSPC: no space left on device, write',
      '/home/ana/r.csv: no queda espacio en el disco (ENOSPC)',
    ],
    ['Closed for today.', 'Closed for today.'],
    ['Paid and received', 'Paid and received'],
  ])('is recognised in %j, which was saved in English', (saved, spanish) => {
    expect(inSpanish(foreign(saved))).toBe(spanish)
  })

  it('loses "Nothing was sent" as a reason in both languages', () => {
    const reason = say`The idempotency key ${'k'} has been used for another payment. Nothing was sent.`.as('reason')
    expect(String(reason)).toBe('The idempotency key k has been used for another payment')
    expect(inSpanish(reason)).toBe('La clave de idempotencia k ya se usó para otro pago')
  })
})
