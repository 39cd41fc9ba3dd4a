import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildIban, formatIban } from '../../src/contract/iban.ts'
import { PaymentStatus } from '../../src/contract/schemas/payment.ts'
import { exits } from '../../src/errors/exit_codes.ts'
import { runPayctl } from '../support/run_payctl.ts'

const explain = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await runPayctl(['explain', ...words, '--json'])
  return { code, stderr, found: code === 0 ? JSON.parse(stdout) : undefined }
}

describe('explain', () => {
  it('knows every exit code by its number and by its name', async () => {
    for (const [name, { code, meaning }] of Object.entries(exits)) {
      for (const word of [String(code), name]) {
        expect((await explain(word)).found).toContainEqual(expect.objectContaining({ kind: 'exit code', meaning }))
      }
    }
  })

  it('prints its members in the order of the documentation', async () => {
    const { found } = await explain('10')

    expect(Object.keys(found[0])).toEqual(['kind', 'value', 'meaning', 'next', 'next_command'])
  })

  it('leads the end of an id, as lists show it, to payments get', async () => {
    const { code, stderr } = await explain('6eda6')

    expect(code).toBe(2)
    expect(JSON.parse(stderr).error.next_command).toEqual(['payctl', 'payments', 'get', '6eda6'])
  })

  it('knows every status of a payment, and says which have paid', async () => {
    for (const status of PaymentStatus.enum) {
      const { found } = await explain(status)
      const [{ meaning }] = found.filter(({ kind }: { kind: string }) => kind === 'payment status')
      expect(meaning.includes('has the money')).toBe(status === 'completed')
    }
  })

  it.each([
    [['409'], 'HTTP status', 'conflict'],
    [['rejected'], 'intent status', 'no money moved'],
    [['payment.failed'], 'event', 'rejected by its rail'],
    [['account_closed'], 'state code', 'the destination account is closed'],
    [['send-payments'], 'OAuth scope', 'creating'],
    [['CR05', '0152', '0200', '1026', '2840', '66'], 'IBAN', 'Banco de Costa Rica (152), account 02001026284066'],
    [[buildIban('811', '00100000000001')], 'IBAN', 'Coocique (811), account 00100000000001'],
    [[buildIban('777', '00100000000001')], 'IBAN', 'Entity 777 (777), account 00100000000001'],
    [['cr37012345678901234567'], 'IBAN', 'check digits are 37, but the other digits give 38'],
    [['GB29NWBK60161331926819'], 'IBAN', 'another country (GB)'],
    [['+506 8888-1234'], 'phone', '8888 1234'],
    [['8888123'], 'phone', '7 digits'],
    [['1-0911-0345'], 'value', 'an identity document'],
    [['2026010537083000000000961'], 'reference', '2026-01-05 by SINPE Móvil'],
    [['2026112100001000000000001'], 'reference', '2026-11-21 by PIN'],
    [['int_8tvxwwmszemv'], 'value', 'the id of an intent'],
  ])('%j', async (words, kind, meaning) => {
    const { found } = await explain(...words)
    expect(found).toContainEqual(expect.objectContaining({ kind, meaning: expect.stringContaining(meaning) }))
  })

  it('every IBAN that is right, and none with one digit changed', async () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
    await fc.assert(
      fc.asyncProperty(
        digits(3),
        digits(14),
        fc.nat(13),
        fc.integer({ min: 1, max: 9 }),
        async (entity, account, at, by) => {
          const iban = buildIban(entity, account)
          expect((await explain(formatIban(iban))).found[0].meaning).toContain('its check digits are right')
          const place = 8 + at
          const wrong = iban.slice(0, place) + ((Number(iban[place]) + by) % 10) + iban.slice(place + 1)
          expect((await explain(wrong)).found[0].meaning).toContain('a typing error')
        },
      ),
      { numRuns: 20 },
    )
  })

  it('at a terminal breaks no word: no reference or id that is copied', async () => {
    for (const text of ['2026112100002000000000001', '3f2504e0-4f89-41d3-9a0c-0305e82c3301']) {
      const { stdout } = await runPayctl(['explain', text], { terminal: 80 })
      expect(stdout).toMatch(new RegExp(`payctl payments (find|get)\\s+${text}$`, 'm'))
    }
  })

  it('has what to type as arguments too, where nothing is to be filled in', async () => {
    const nextOf = async (text: string) => {
      const [{ next, next_command }] = (await explain(text)).found
      return [next, next_command]
    }
    expect(await nextOf('8888-1234')).toEqual(['payctl phone 88881234', ['payctl', 'phone', '88881234']])
    expect(await nextOf('processing')).toEqual(['payctl payments watch <id>', null])
    expect(await nextOf('409')).toEqual([null, null])
  })

  it('says what is near to a word that it does not know', async () => {
    expect(await explain('tiemout')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean timeout?'),
    })
    expect((await explain('zzzzzzzz')).code).toBe(2)
  })
})
