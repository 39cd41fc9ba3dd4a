import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aKey, ibanOf, open, phoneOf } from '../fixture.ts'
import { nobodysId } from '../requests.ts'
import type { Suite } from '../suite.ts'

interface Refused {
  readonly title: string
  readonly change: () => Readonly<Record<string, unknown>>
  readonly errors: Readonly<Record<string, unknown>>
}

const some = (pattern: RegExp) => [expect.stringMatching(pattern)]

/** Refusals that sending and validating a payment have in common. */
export function refusalCases(suite: Suite): void {
  const cases: readonly Refused[] = [
    {
      title: 'no amount',
      change: () => ({ amount: undefined }),
      errors: { amount: ['The amount field is required.'] },
    },
    {
      title: 'no source account',
      change: () => ({ source_account_id: undefined }),
      errors: { source_account_id: ['Source account is required'] },
    },
    ...[0, -1, -500_000_000].map((amount) => ({
      title: `an amount of ${amount}`,
      change: () => ({ amount }),
      errors: { amount: ['The amount must be greater than 0'] },
    })),
    ...[500_000_001, 1e21, Number.MAX_SAFE_INTEGER].map((amount) => ({
      title: `an amount of ${amount}`,
      change: () => ({ amount }),
      errors: { amount: ['Amount exceeds maximum limit'] },
    })),
    ...[10.5, 0.1, '1000', '', true, false, null, [1000], { value: 1000 }].map((amount) => ({
      title: `an amount of ${JSON.stringify(amount)}`,
      change: () => ({ amount }),
      errors: { amount: expect.arrayContaining(some(/must be an integer/)) },
    })),
    ...['', 'no-uuid', '0190', `${nobodysId}0`, ` ${nobodysId}`, nobodysId.replaceAll('-', ''), "' OR 1=1"].map(
      (id) => ({
        title: `a source account "${id}"`,
        change: () => ({ source_account_id: id }),
        errors: { source_account_id: ['Source account ID must be a valid UUID'] },
      }),
    ),
    ...[5, null, true, [nobodysId]].map((id) => ({
      title: `a source account of ${JSON.stringify(id)}`,
      change: () => ({ source_account_id: id }),
      errors: { source_account_id: some(/string|UUID/) },
    })),
    {
      title: 'a source account nobody has',
      change: () => ({ source_account_id: randomUUID() }),
      errors: { source_account_id: ['Source account does not exist'] },
    },
    {
      title: 'no recipient',
      change: () => ({ recipient_iban: undefined }),
      errors: { recipient_iban: some(/required/), recipient_phone: some(/required/) },
    },
    {
      title: 'both recipients null',
      change: () => ({ recipient_iban: null, recipient_phone: null }),
      errors: { recipient_iban: some(/required/), recipient_phone: some(/required/) },
    },
    {
      title: 'two recipients',
      change: () => ({ recipient_phone: '88887777' }),
      errors: { recipient: ['Only one recipient field should be provided'] },
    },
    ...[
      '',
      'CR',
      'CR6101020010000000000',
      'cr61010200100000000001',
      'GB61010200100000000001',
      'CR61 0102 0010 0000 0000 01',
      'CR61010200100000000001\n',
      42,
    ].map((iban) => ({
      title: `an IBAN of ${JSON.stringify(iban)}`,
      change: () => ({ recipient_iban: iban }),
      errors: { recipient_iban: some(/valid Costa Rican IBAN|must be a string/) },
    })),
    {
      title: 'an IBAN that nobody has',
      change: () => ({ recipient_iban: 'CR37012345678901234567' }),
      errors: { recipient_iban: ['IBAN not found'] },
    },
    ...['', '8888777', '888877777', '18887777', '50788887777', '+50688887777', '8888-7777', 88887777].map((phone) => ({
      title: `a phone of ${JSON.stringify(phone)}`,
      change: () => ({ recipient_iban: undefined, recipient_phone: phone }),
      errors: { recipient_phone: some(/valid Costa Rican phone|must be a string/) },
    })),
    {
      title: 'a phone that is not enrolled',
      change: () => ({ recipient_iban: undefined, recipient_phone: '62999999' }),
      errors: { recipient_phone: ['Phone number not found in SINPE registry'] },
    },
    {
      title: 'an IBAN in another currency',
      change: () => ({ recipient_iban: suite.fixture.dollars.iban }),
      errors: { recipient_iban: some(/USD/) },
    },
    {
      title: 'a phone as recipient of dollars',
      change: () => ({
        source_account_id: suite.fixture.dollars.id,
        recipient_iban: undefined,
        recipient_phone: phoneOf('Carlos Jiménez Mora'),
      }),
      errors: { recipient_phone: some(/CRC only/) },
    },
    {
      title: 'the source account itself as recipient',
      change: () => ({ recipient_iban: suite.fixture.colones.iban }),
      errors: { recipient_iban: ['The recipient is the source account itself'] },
    },
    ...['', 'short', 'ñ'.repeat(14), '🙂'.repeat(14)].map((description) => ({
      title: `a description of ${[...description].length} characters, ${JSON.stringify(description)}`,
      change: () => ({ description }),
      errors: { description: some(/at least 15 characters/) },
    })),
    ...['x', 'ñ', '🙂'].map((letter) => ({
      title: `a description of 256 times ${letter}`,
      change: () => ({ description: letter.repeat(256) }),
      errors: { description: some(/greater than 255 characters/) },
    })),
    ...[5, true, ['Alquiler de noviembre'], { text: 'Alquiler de noviembre' }].map((description) => ({
      title: `a description of ${JSON.stringify(description)}`,
      change: () => ({ description }),
      errors: { description: some(/must be a string/) },
    })),
    ...[
      '',
      'ana',
      'ana@',
      '@example.com',
      'ana@example',
      'ana maria@example.com',
      'a@b@example.com',
      'ana@example..com',
      '.ana@example.com',
      'ana@example.com\r\nBcc: all@example.com',
      '<ana@example.com>',
      'ana@-example.com',
    ].map((recipient_email) => ({
      title: `an email of ${JSON.stringify(recipient_email)}`,
      change: () => ({ recipient_email }),
      errors: { recipient_email: ['The recipient email field must be a valid email address.'] },
    })),
    {
      title: 'an email of 256 characters',
      change: () => ({
        recipient_email: `ana@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(66)}.com`,
      }),
      errors: {
        recipient_email: expect.arrayContaining(['The recipient email field must not be greater than 255 characters.']),
      },
    },
    ...[5, true, ['ana@example.com']].map((recipient_email) => ({
      title: `an email of ${JSON.stringify(recipient_email)}`,
      change: () => ({ recipient_email }),
      errors: { recipient_email: some(/must be a string/) },
    })),
    {
      title: 'several faults at once',
      change: () => ({ amount: 0, source_account_id: 'x', recipient_iban: 'y', description: 'z' }),
      errors: {
        amount: expect.any(Array),
        source_account_id: expect.any(Array),
        recipient_iban: expect.any(Array),
        description: expect.any(Array),
      },
    },
    ...['[]', 'null', '5', '"text"', 'true', '{}', ''].map((text) => ({
      title: `a body of ${text || 'nothing'}`,
      change: () => ({ raw: text }),
      errors: { amount: some(/required/), source_account_id: some(/required/) },
    })),
  ]

  describe('payments that are refused', () => {
    test.each(cases)(
      '$title gets 422 from both create and validate, and changes nothing',
      async ({ change, errors }) => {
        const { raw, ...changes } = change()
        const { colones, savings } = suite.fixture
        const body = raw ?? { source_account_id: colones.id, amount: 1000, recipient_iban: savings.iban, ...changes }
        const before = await suite.state()

        const refused = await suite.api.pay(body, aKey())
        const invalid = await suite.api.validate(body, aKey())

        expect(refused.status).toBe(422)
        expect(refused.body.errors).toEqual(errors)
        expect(refused.body.message).toBe(Object.values(refused.body.errors as Record<string, string[]>)[0]?.[0])
        expect(invalid.status).toBe(422)
        expect(invalid.body).toEqual(refused.body)
        expect(await suite.state()).toEqual(before)
      },
    )

    test('mistakes are reported in order: key, fields, recipient, source, funds', async () => {
      const { colones, dollars } = suite.fixture
      const poor = await open(suite.api, 'CRC')
      const wrong = {
        source_account_id: randomUUID(),
        amount: 0,
        recipient_iban: dollars.iban,
        recipient_phone: '88887777',
      }
      const told = async (body: object, key: string) => Object.keys((await suite.api.pay(body, key)).body.errors)

      expect(await told(wrong, '')).toEqual(['X-Idempotency-Key'])
      expect(await told(wrong, aKey())).toEqual(['amount'])
      expect(await told({ ...wrong, amount: 1 }, aKey())).toEqual(['recipient'])
      expect(await told({ ...wrong, amount: 1, recipient_phone: null }, aKey())).toEqual(['source_account_id'])
      const fromPoor = { source_account_id: poor.id, amount: 1 }
      expect(await told({ ...fromPoor, recipient_iban: dollars.iban }, aKey())).toEqual(['recipient_iban'])
      expect(await told({ ...fromPoor, recipient_iban: colones.iban }, aKey())).toEqual(['amount'])
    })

    test('more than there is, counting the fee, is 422 on the amount', async () => {
      const poor = await open(suite.api, 'CRC')
      const body = { source_account_id: poor.id, amount: 1, recipient_iban: suite.fixture.savings.iban }

      for (const send of [suite.api.pay, suite.api.validate]) {
        const answer = await send(body, aKey())
        expect(answer.status).toBe(422)
        expect(answer.body.errors).toEqual({ amount: ['Insufficient balance'] })
      }
    })

    suite.steered('the whole balance can be spent, and not one unit more', async () => {
      const purse = await open(suite.api, 'CRC')
      const { colones, savings } = suite.fixture
      await suite.api.pay({ source_account_id: colones.id, amount: 1100, recipient_iban: purse.iban }, aKey())
      await suite.control.advanceClock(60_000)
      const spend = (amount: number) =>
        suite.api.pay({ source_account_id: purse.id, amount, recipient_iban: savings.iban }, aKey())

      expect((await spend(1001)).body.errors).toEqual({ amount: ['Insufficient balance'] })
      expect((await spend(1000)).status).toBe(201)
      expect((await suite.api.get(`/api/accounts/${purse.id}/balance`)).body.data.balance).toBe(0)
      expect((await spend(1)).body.errors).toEqual({ amount: ['Insufficient balance'] })
    })

    suite.steered('many payments at once never spend more than the balance', async () => {
      const purse = await open(suite.api, 'CRC')
      const { colones } = suite.fixture
      await suite.api.pay({ source_account_id: colones.id, amount: 1000, recipient_iban: purse.iban }, aKey())
      await suite.control.advanceClock(60_000)
      const body = { source_account_id: purse.id, amount: 100, recipient_iban: ibanOf('Carlos Jiménez Mora') }

      const answers = await Promise.all(Array.from({ length: 30 }, () => suite.api.pay(body, aKey())))

      expect(answers.filter(({ status }) => status === 201).length).toBe(5)
      expect(answers.filter(({ status }) => status === 422).length).toBe(25)
      expect((await suite.api.get(`/api/accounts/${purse.id}/balance`)).body.data.balance).toBe(0)
      expect((await suite.control.ledger()).problems).toEqual([])
    })

    suite.steered.each(['inactive', 'closed'] as const)('an account that is %s cannot pay', async (status) => {
      const account = await open(suite.api, 'CRC')
      await suite.control.setAccountStatus(account.id, status)
      const body = { source_account_id: account.id, amount: 1, recipient_iban: suite.fixture.savings.iban }

      for (const send of [suite.api.pay, suite.api.validate]) {
        const answer = await send(body, aKey())
        expect(answer.status).toBe(422)
        expect(answer.body.errors).toEqual({ source_account_id: [`Source account is ${status}`] })
      }
    })

    suite.steered('another user’s account cannot pay, and gets the answer of a missing account', async () => {
      const { api, control } = await suite.own()
      const { token } = await control.stranger()
      const { id } = (await api.post('/api/accounts', { currency: 'CRC' }, { token })).body.data
      const body = { source_account_id: id, amount: 1, recipient_iban: ibanOf('Carlos Jiménez Mora') }

      for (const send of [api.pay, api.validate]) {
        const answer = await send(body, aKey())
        expect(answer.status).toBe(422)
        expect(answer.body.errors).toEqual({ source_account_id: ['Source account does not exist'] })
      }
    })
  })

  describe('accounts that are refused', () => {
    test.each([
      ['{}', /required/],
      ['', /required/],
      ['null', /required/],
      ['["CRC"]', /required/],
      ['{"currency": "EUR"}', /invalid/],
      ['{"currency": "crc"}', /invalid/],
      ['{"currency": ""}', /invalid/],
      ['{"currency": null}', /invalid/],
      ['{"currency": 188}', /invalid/],
      ['{"currency": ["CRC"]}', /invalid/],
      ['{"__proto__": {"currency": "CRC"}}', /required/],
    ])('a body of %j is 422 on the currency and opens nothing', async (body, why) => {
      const before = await suite.state()

      const answer = await suite.api.post('/api/accounts', body)

      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ currency: some(why) })
      expect(await suite.state()).toEqual(before)
    })
  })

  describe('ids that are refused', () => {
    test.each(['nonsense', '0190', '%00', '%27%20OR%201=1', '..%2f..%2fuser', '%F0%9F%99%82', `${nobodysId}x`, '*'])(
      '%s as an id gets 422',
      async (id) => {
        for (const tail of ['', '/balance']) {
          const answer = await suite.api.get(`/api/accounts/${id}${tail}`)
          expect(answer.status).toBe(422)
          expect(answer.body.errors).toEqual({ id: ['Account ID must be a valid UUID'] })
        }
        const answer = await suite.api.get(`/api/payments/${id}`)
        expect(answer.status).toBe(422)
        expect(answer.body.errors).toEqual({ payment_id: ['Payment ID must be a valid UUID'] })
      },
    )
  })
}
