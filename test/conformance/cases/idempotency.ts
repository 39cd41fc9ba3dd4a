import { describe, expect, test } from 'vitest'
import { aKey, paid, paymentOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

export function idempotencyCases(suite: Suite): void {
  const transfer = (more: Readonly<Record<string, unknown>> = {}) => ({
    source_account_id: suite.fixture.colones.id,
    amount: 10,
    recipient_iban: suite.fixture.savings.iban,
    ...more,
  })

  describe('idempotency', () => {
    test('a repeated key gets the original answer, marked as replayed, and makes no second payment', async () => {
      const key = aKey()
      const original = await suite.api.pay(transfer(), key)
      const before = await suite.state()

      const again = await suite.api.pay(transfer(), key)

      expect(again.status).toBe(201)
      expect(again.body).toEqual(original.body)
      expect(original.headers['idempotent-replayed']).toBeUndefined()
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(await suite.state()).toEqual(before)
    })

    test('a repeated key with another body gets the original answer', async () => {
      const key = aKey()
      const original = await suite.api.pay(transfer(), key)

      const again = await suite.api.pay(transfer({ amount: 11, description: 'Otra cosa muy distinta' }), key)

      expect(again.body).toEqual(original.body)
    })

    test('a repeated key with a body that would now be refused gets the original answer', async () => {
      const key = aKey()
      const original = await suite.api.pay(transfer(), key)

      const again = await suite.api.pay(
        transfer({ amount: 500_000_000, recipient_iban: 'CR37012345678901234567' }),
        key,
      )

      expect(again.status).toBe(201)
      expect(again.body).toEqual(original.body)
    })

    test('a repeated key with an invalid body gets the original answer', async () => {
      const key = aKey()
      const original = await suite.api.pay(transfer(), key)

      const again = await suite.api.pay(transfer({ amount: 'ten' }), key)
      expect(again.status).toBe(201)
      expect(again.body).toEqual(original.body)
      expect((await suite.api.validate(transfer({ amount: 'ten' }), key)).status).toBe(422)
    })

    suite.steered('the answer is still the original after the payment’s status has changed', async () => {
      const key = aKey()
      const original = await suite.api.pay(transfer(), key)
      await suite.control.advanceClock(60_000)
      expect((await paymentOf(suite.api, original.body.data.id)).status).toBe('completed')

      expect((await suite.api.pay(transfer(), key)).body).toEqual(original.body)
    })

    test('fifty equal requests at once are one payment, with the same answer to all', async () => {
      const key = aKey()

      const answers = await Promise.all(Array.from({ length: 50 }, () => suite.api.pay(transfer(), key)))

      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length).toBe(49)
      const { payments } = await suite.state()
      expect(payments.filter(({ idempotency_key }) => idempotency_key === key).length).toBe(1)
    })

    test('a request that was refused does not use up its key', async () => {
      const key = aKey()
      expect((await suite.api.pay(transfer({ amount: 0 }), key)).status).toBe(422)
      expect((await suite.api.pay('{', key)).status).toBe(400)
      expect((await suite.api.pay(transfer({ recipient_iban: 'CR37012345678901234567' }), key)).status).toBe(422)

      const answer = await suite.api.pay(transfer(), key)

      expect(answer.status).toBe(201)
      expect(answer.headers['idempotent-replayed']).toBeUndefined()
    })

    test('keys are distinguished by case and to the last character', async () => {
      const key = aKey()
      const keys = [key, key.toUpperCase(), `${key}.`]

      const made = await Promise.all(keys.map((each) => paid(suite.api, transfer(), each)))

      expect(new Set(made.map(({ id }) => id)).size).toBe(3)
      expect(made.map(({ idempotency_key }) => idempotency_key)).toEqual(keys)
    })

    test.each([
      ['255 characters', () => aKey().padEnd(255, 'x')],
      ['punctuation', () => `!"#$%&'()*+,-./:;<=>?@[]^_\`{|}~\\${aKey()}`],
    ])('a key of %s is taken as it is', async (_, make) => {
      const key = make()

      expect((await paid(suite.api, transfer(), key)).idempotency_key).toBe(key)
    })

    test.each(['/api/payments', '/api/payments/validate'])('%s without a key gets 400', async (path) => {
      const before = await suite.state()

      for (const headers of [{}, { 'X-Idempotency-Key': '' }]) {
        const answer = await suite.api.post(path, transfer(), { headers })
        expect(answer.status).toBe(400)
        expect(answer.body.message).toBe('X-Idempotency-Key header is required')
        expect(answer.body.errors).toEqual({ 'X-Idempotency-Key': ['X-Idempotency-Key header is required'] })
      }
      expect(await suite.state()).toEqual(before)
    })

    test.each([
      ['256 characters', 'x'.repeat(256)],
      ['letters beyond ASCII', 'año'],
      ['a space inside', 'two words'],
      ['a tab inside', 'two\twords'],
    ])('a key of %s is 400 and changes nothing', async (_, key) => {
      const before = await suite.state()

      for (const send of [suite.api.pay, suite.api.validate]) {
        const answer = await send(transfer(), key)
        expect(answer.status).toBe(400)
        expect(answer.body.errors).toEqual({ 'X-Idempotency-Key': [expect.stringMatching(/1 to 255 visible ASCII/)] })
      }
      expect(await suite.state()).toEqual(before)
    })

    suite.steered('keys belong to their user: two users may choose the same key', async () => {
      const { api, control } = await suite.own()
      const { token } = await control.stranger()
      const { id, iban } = (await api.post('/api/accounts', { currency: 'CRC' }, { token })).body.data
      const accounts = (await api.get('/api/accounts')).body.data.data
      const colones = accounts.find(({ balance }: { balance: { currency: string } }) => balance.currency === 'CRC')
      await api.pay({ source_account_id: colones.id, amount: 5000, recipient_iban: iban }, 'shared')
      await control.advanceClock(60_000)

      const answer = await api.pay({ source_account_id: id, amount: 5, recipient_iban: colones.iban }, 'shared', {
        token,
      })

      expect(answer.status).toBe(201)
      expect(answer.headers['idempotent-replayed']).toBeUndefined()
      expect(answer.body.data.amount.value).toBe(5)
    })
  })

  describe('validating a payment', () => {
    test('a good payment is valid, its fee is reported, and nothing moves', async () => {
      const before = await suite.state()

      const answer = await suite.api.validate(transfer(), aKey())

      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({ channel: 'pin', fee: { currency: 'CRC' } })
      expect(await suite.state()).toEqual(before)
    })

    test('a validated key can still pay, once', async () => {
      const key = aKey()
      await suite.api.validate(transfer(), key)
      await suite.api.validate(transfer(), key)

      expect((await suite.api.pay(transfer(), key)).headers['idempotent-replayed']).toBeUndefined()
    })

    test('a key that has paid gets 409', async () => {
      const key = aKey()
      await paid(suite.api, transfer(), key)

      const answer = await suite.api.validate(transfer(), key)

      expect(answer.status).toBe(409)
      expect(answer.body.message).toBe('Payment already processed')
    })
  })
}
