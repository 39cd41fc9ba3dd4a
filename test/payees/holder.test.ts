import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CliError } from '../../src/errors/cli_error.ts'
import type { ExpectedName } from '../../src/journal/intent.ts'
import { judgedHolder } from '../../src/payees/holder.ts'
import { compareDocuments } from '../../src/values/document.ts'
import { compareNames } from '../../src/values/holder_name.ts'

const name = fc.constantFrom(
  'Carlos Jiménez Mora',
  'JIMENEZ MORA CARLOS',
  'Carlos Jiménez',
  'Carlos J. Mora',
  'Ana Vega',
  'María de los Ángeles Solís',
  'Ferretería El Clavo S.A.',
  'FERRETERIA EL CLAVO SOCIEDAD ANONIMA',
  'Ferretería El Clavo',
)
const document = fc.constantFrom('0304930258', '304930258', '3-0493-0258', '0112340567', '3101123456')
const shownDocument = fc.oneof(document, fc.constantFrom('*****0258', '', null, undefined))

const order = fc.record({
  expected_names: fc.array(
    fc
      .record({ name, payee: fc.constantFrom(undefined, 'luz') })
      .map(({ payee, ...one }): ExpectedName => (payee ? { ...one, payee } : one)),
    { maxLength: 2 },
  ),
  expected_document: fc.oneof(document, fc.constant(null)),
})

const holder = fc.record({ name: fc.oneof(name, fc.constant(null)), document_number: shownDocument })

test('a holder fits only if all that is compared fits, and something is', () => {
  fc.assert(
    fc.property(order, holder, (expected, now) => {
      const { expected_names: names, expected_document: wanted } = expected
      const compared = wanted === null ? 'not compared' : compareDocuments(wanted, now.document_number)
      const verdicts = names.map((one) => compareNames(one.name, now.name ?? '').verdict)
      const isWhole = verdicts.every((verdict) => verdict === 'same')
      let refusal: unknown
      let doubt: CliError | undefined
      try {
        doubt = judgedHolder({ phone: '88881234' }, expected, { status: 'active', ...now } as never).doubt
      } catch (error) {
        refusal = error
      }
      if (refusal !== undefined) expect(refusal).toBeInstanceOf(CliError)
      if (compared === 'other') expect(refusal).toMatchObject({ exit: 'conflict' })
      if (names.length === 0 && wanted !== null && compared === 'not compared') expect(refusal).toBeDefined()
      // The holder of a saved payee's address must still have the saved name, even if another name matches.
      if (names.some((one, at) => one.payee && verdicts[at] !== 'same')) expect(refusal).toBeDefined()
      if (refusal !== undefined || doubt) return
      expect(isWhole || (compared === 'same' && !verdicts.includes('other'))).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('only a name that fits in part, or another one with the right document, is left to a person', () => {
  fc.assert(
    fc.property(order, holder, (expected, now) => {
      let doubt: CliError | undefined
      try {
        doubt = judgedHolder({ phone: '88881234' }, expected, { status: 'active', ...now } as never).doubt
      } catch {
        return
      }
      if (!doubt) return
      const { expected_names: names, expected_document: wanted } = expected
      const isRight = wanted !== null && compareDocuments(wanted, now.document_number) === 'same'
      const verdicts = names.map((one) => compareNames(one.name, now.name ?? '').verdict)
      expect(doubt.exit).toBe('conflict')
      expect(verdicts).toContain(isRight ? 'other' : 'partly')
      if (!isRight) expect(verdicts).not.toContain('other')
    }),
    { numRuns: 1000 },
  )
})
