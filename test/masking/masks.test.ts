import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ibanFault } from '../../src/contract/iban.ts'
import { Masks } from '../../src/masking/masks.ts'
import { Originals } from '../../src/masking/originals.ts'

const scale = { times: 1n, over: 1n }

const masksOf = (originals: Originals, key = 'key') => new Masks({ key, originals, scale })

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((one) => one.trim().length > 2)

describe('replacements', () => {
  it('of texts are as long, differ as the texts do, follow from the key, and share no word with any text', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(text, { minLength: 1, maxLength: 10, selector: (one) => one.normalize('NFD').toLowerCase() }),
        (texts) => {
          const originals = new Originals()
          for (const one of texts) originals.add(one, { isText: true })
          const masks = masksOf(originals)
          const made = texts.map((one) => masks.text(one))
          expect(made.map((one) => [...one].length)).toEqual(texts.map((one) => [...one].length))
          expect(texts.map((one) => masksOf(originals).text(one))).toEqual(made)
          expect(new Set(made).size).toBe(made.length)
          expect(made.flatMap((one) => originals.leftIn(one))).toEqual([])
        },
      ),
    )
  })

  it('of names keep capitals, particles and legal forms', () => {
    const masks = masksOf(new Originals())
    expect(masks.name('María de la O Fernández')).toMatch(/^[A-Z][a-z]{4} de la [A-Z] [A-Z][a-z]{8}$/)
    expect(masks.name('FERRETERÍA EL ROBLE S.A.')).toMatch(/^[A-Z]{10} [A-Z]{2} [A-Z]{5} S\.A\.$/)
    expect(masks.name('S.A.')).not.toBe('S.A.')
  })

  it('of documents keep their type, of IBANs their bank', () => {
    const masks = masksOf(new Originals())
    for (const [document, form] of [
      ['0109990888', /^0[1-9]\d{8}$/],
      ['109990888', /^1\d{8}$/],
      ['3101234567', /^3101\d{6}$/],
      ['112345678901', /^1\d{11}$/],
      ['AB123456', /^[A-Z]{2}\d{6}$/],
      ['1-0999-0888', /^0[1-9]\d{8}$/],
      ['', /^0[1-9]\d{8}$/],
    ] as const) {
      expect(masks.document(document)).toMatch(form)
      expect(masks.document(document)).not.toBe(document)
    }
    const iban = masks.iban('CR05015202001026284066')
    expect(iban).toMatch(/^CR\d\d0152/)
    expect(ibanFault(iban)).toBeNull()
    expect(ibanFault(masks.ownIban.USD('CR05015202001026284066'))).toBeNull()
  })

  it('of amounts are rounded, and never 0 unless the amount was', () => {
    const masks = new Masks({ key: 'key', originals: new Originals(), scale: { times: 1n, over: 10n } })
    expect([0, 1, 4, 14, 15, 99_999_999_999_999].map((amount) => masks.amount(amount))).toEqual([
      0, 1, 1, 1, 2, 10_000_000_000_000,
    ])
  })
})
