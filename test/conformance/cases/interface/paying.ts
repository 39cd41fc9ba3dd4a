import { describe, expect, test } from 'vitest'
import type { Payment } from '../../../../src/contract/index.ts'
import { aKey, atRest, ibanOf, paid, paymentOf, phoneOf } from '../../fixture.ts'
import { Undecided } from '../../not_applicable.ts'
import type { Suite } from '../../suite.ts'

/** Allowed difference of a service's clocks, in milliseconds: less than any zone's offset from UTC. */
const skew = 15 * 60_000

export function payingCases(suite: Suite): void {
  const transfer = (more: Readonly<Record<string, unknown>> = {}) => ({
    source_account_id: suite.fixture.colones.id,
    amount: 10,
    recipient_iban: suite.fixture.savings.iban,
    ...more,
  })
  const history = async () =>
    (await suite.api.get('/api/payments/history', { query: { per_page: 1000 } })).body.data.data as readonly Payment[]
  const withKey = async (key: string) => (await history()).filter(({ idempotency_key }) => idempotency_key === key)
  const ended = async ({ id }: { readonly id: string }): Promise<Payment> => {
    await suite.world.control?.advanceClock(60_000)
    return atRest(
      () => paymentOf(suite.api, id),
      (payment) => [payment],
    )
  }

  describe('the interface: paying', () => {
    test('a payment is answered as initiated, read by its id and listed', async () => {
      const key = aKey()

      const initiated = await paid(suite.api, transfer({ description: 'Alquiler de noviembre' }), key)

      expect(initiated).toMatchObject({ channel: 'pin', idempotency_key: key, recipient_phone: null })
      expect(initiated).toMatchObject({ amount: { value: 10, currency: 'CRC' }, description: 'Alquiler de noviembre' })
      const payment = await paymentOf(suite.api, initiated.id)
      expect(payment).toMatchObject({ id: initiated.id, idempotency_key: key, transfer_type: 'debit', channel: 'pin' })
      expect(payment.payee.iban).toBe(suite.fixture.savings.iban)
      expect((await history()).filter(({ id }) => id === initiated.id).length).toBe(1)
    })

    test('a payment to a phone is read with the phone of its payee', async ({ skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')
      const phone = phoneOf('Carlos Jiménez Mora')

      const { id, channel } = await paid(suite.api, transfer({ recipient_iban: undefined, recipient_phone: phone }))

      expect(channel).toBe('sinpe_movil')
      expect((await paymentOf(suite.api, id)).payee.phone_number).toMatch(new RegExp(`^(506)?${phone}$`))
      const listed = (await history()).find((payment) => payment.id === id)
      expect(listed?.payee.phone_number).toMatch(new RegExp(`^(506)?${phone}$`))
    })

    test('without a description the default of the channel is set', async () => {
      expect((await paid(suite.api, transfer())).description).toBe('PIN transfer payment')
    })

    test.each([15, 255])('a description of %i letters is given back as it is', async (length) => {
      const description = 'Alquiler de enero, ñandú '
        .repeat(11)
        .slice(0, length - 1)
        .padEnd(length, 'x')

      const { id, description: answered } = await paid(suite.api, transfer({ description }))

      expect(answered).toBe(description)
      expect((await paymentOf(suite.api, id)).description).toBe(description)
    })

    test('times are UTC: a new payment is made when its answer says', async () => {
      const { status, headers, body } = await suite.api.pay(transfer(), aKey())
      expect(status).toBe(201)
      const answered = Date.parse(String(headers.date ?? new Date().toUTCString()))

      const { created_at } = await paymentOf(suite.api, body.data.id)

      expect(created_at).toMatch(/Z$|\+00:00$/)
      expect(Math.abs(Date.parse(created_at) - answered)).toBeLessThan(skew)
    })

    test('the fee is null while it is not known, and then what validation said', async () => {
      const { fee } = (await suite.api.validate(transfer(), aKey())).body.data

      const { id } = await paid(suite.api, transfer())

      expect([null, fee]).toContainEqual((await paymentOf(suite.api, id)).fee)
      expect([null, fee]).toContainEqual((await ended({ id })).fee)
    })

    test('a payment that completed has no error message', async () => {
      const { status, error_message, completed_at } = await ended(await paid(suite.api, transfer()))

      if (status !== 'completed') throw new Undecided(`The payment ended as ${status}`)
      expect(error_message).toBeNull()
      expect(completed_at).not.toBeNull()
    })

    test('a payment that failed says why', async ({ skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')
      const payment = await ended(await paid(suite.api, transfer({ recipient_iban: ibanOf('Rechazo Siempre') })))

      expect(payment).toMatchObject({ status: 'failed', completed_at: null })
      expect(payment.error_message).toMatch(/\w/)
    })

    test.each(['/api/payments', '/api/payments/validate'])('POST %s without a key is 400', async (path) => {
      expect((await suite.api.post(path, transfer())).status).toBe(400)
    })
  })

  describe('the interface: paying once', () => {
    test('the same key again gives the same payment, and makes no other', async () => {
      const key = aKey()
      const first = await paid(suite.api, transfer(), key)

      const again = await suite.api.pay(transfer(), key)

      expect(again.body.data.id).toBe(first.id)
      expect((await withKey(key)).length).toBe(1)
    })

    test('the same key with another body gives the first payment, and makes no other', async () => {
      const key = aKey()
      const first = await paid(suite.api, transfer(), key)

      const again = await suite.api.pay(transfer({ amount: 11, description: 'Otra cosa muy distinta' }), key)

      expect(again.body.data).toMatchObject({ id: first.id, amount: { value: 10 } })
      expect((await withKey(key)).map(({ amount }) => amount.value)).toEqual([10])
    })

    test('the same key gives the same payment after that has ended, and makes no other', async () => {
      const key = aKey()
      const first = await paid(suite.api, transfer(), key)
      await ended(first)

      const again = await suite.api.pay(transfer(), key)

      expect(again.body.data.id).toBe(first.id)
      expect((await withKey(key)).length).toBe(1)
    })

    test('five requests at once with one key make one payment', async () => {
      const key = aKey()

      const answers = await Promise.all(Array.from({ length: 5 }, () => suite.api.pay(transfer({ amount: 1 }), key)))

      const [payment, ...more] = await withKey(key)
      expect(more).toEqual([])
      const made = answers.filter(({ status }) => status === 201)
      expect(made.length).toBeGreaterThan(0)
      expect(new Set(made.map(({ body }) => body.data.id))).toEqual(new Set([payment?.id]))
    })

    test('a key that has paid is 409 for validation', async () => {
      const key = aKey()
      await paid(suite.api, transfer(), key)

      expect((await suite.api.validate(transfer(), key)).status).toBe(409)
    })

    test('a key that was validated can be paid with', async () => {
      const key = aKey()
      expect((await suite.api.validate(transfer(), key)).status).toBe(200)

      await paid(suite.api, transfer(), key)

      expect((await withKey(key)).length).toBe(1)
    })

    test('validation tells channel and fee, and makes no payment', async () => {
      const key = aKey()

      const { status, body } = await suite.api.validate(transfer(), key)

      expect(status).toBe(200)
      expect(body.data).toMatchObject({ channel: 'pin', fee: { currency: 'CRC' } })
      expect(await withKey(key)).toEqual([])
    })
  })

  describe('the interface: payments that are not valid', () => {
    const iban = (recipient_iban: unknown) => ({ recipient_iban })
    const changes = [
      ...['x'.repeat(14), 'x'.repeat(256), 5, ['Alquiler de noviembre']].map((description) => ({ description })),
      ...['CR', 'CR6101020010000000000', 'GB61010200100000000001', 'CR61 0102 0010 0000 0000 01', 42].map(iban),
      ...['mine', '0190', 5].map((source_account_id) => ({ source_account_id })),
      ...[10.5, 'ten', true, [1000], { value: 1000 }].map((amount) => ({ amount })),
    ].map((change) => [short(JSON.stringify(change)), change] as const)

    test.each(changes)('%s is 422 from create, and makes no payment', async (_, change) => {
      const key = aKey()

      expect((await suite.api.pay(transfer(change), key)).status).toBe(422)

      expect(await withKey(key)).toEqual([])
    })

    test.each(changes)('%s is 422 from validate', async (_, change) => {
      expect((await suite.api.validate(transfer(change), aKey())).status).toBe(422)
    })
  })
}

/** Shortens a string for the name of a case. */
const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 40)}… (${text.length} characters)` : text)
