import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aKey, ibanOf, open, paid, paymentOf, phoneOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

const minute = 60_000

export function paymentCases(suite: Suite): void {
  const transfer = (more: Readonly<Record<string, unknown>> = {}) => ({
    source_account_id: suite.fixture.colones.id,
    amount: 1000,
    recipient_iban: suite.fixture.savings.iban,
    ...more,
  })

  describe('sending a payment', () => {
    test('a payment to an IBAN goes by pin', async () => {
      const key = aKey()

      const answer = await suite.api.pay(transfer({ description: 'Alquiler de noviembre' }), key)

      expect(answer.status).toBe(201)
      expect(answer.headers['idempotent-replayed']).toBeUndefined()
      expect(answer.body.data).toMatchObject({
        channel: 'pin',
        status: 'pending',
        idempotency_key: key,
        source_account_id: suite.fixture.colones.id,
        recipient_iban: suite.fixture.savings.iban,
        recipient_phone: null,
        amount: { value: 1000, currency: 'CRC' },
        description: 'Alquiler de noviembre',
      })
      expect(answer.body.data.channel_reference).toMatch(/^\d{8}00001\d{12}$/)
    })

    test.for(['', '506'])('a payment to a phone goes by SINPE Móvil, prefix "%s"', async (prefix, { skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')
      const phone = phoneOf('Carlos Jiménez Mora')
      const recipient = { recipient_iban: undefined, recipient_phone: prefix + phone }

      const answer = await suite.api.pay(transfer(recipient), aKey())

      expect(answer.body.data).toMatchObject({ channel: 'sinpe_movil', recipient_iban: null, recipient_phone: phone })
      expect(answer.body.data.channel_reference).toMatch(/^\d{8}00002\d{12}$/)
    })

    test('without a description the channel’s own is set', async () => {
      expect((await paid(suite.api, transfer())).description).toBe('PIN transfer payment')
      expect((await paid(suite.api, transfer({ description: null }))).description).toBe('PIN transfer payment')
    })

    test('without a description SINPE Móvil has its own', async ({ skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')
      const phone = { recipient_iban: null, recipient_phone: phoneOf('Carlos Jiménez Mora') }
      expect((await paid(suite.api, transfer(phone))).description).toBe('SINPE Móvil transfer payment')
    })

    test.each([
      ['a payment can be of the least amount', 1],
      ['an amount may be written with an exponent', 1e2],
    ])('%s', async (_, amount) => {
      expect((await paid(suite.api, transfer({ amount }))).amount.value).toBe(amount)
    })

    test('the largest amount is within bounds: only the balance is too low for it', async () => {
      const answer = await suite.api.pay(transfer({ amount: 500_000_000 }), aKey())

      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ amount: ['Insufficient balance'] })
    })

    test.each([
      ['15 letters', 'ñ'.repeat(15)],
      ['255 letters', 'ñ'.repeat(255)],
      ['15 emoji', '🙂'.repeat(15)],
      ['255 emoji', '🙂'.repeat(255)],
      ['SQL', "'); DROP TABLE payments; --"],
      ['markup', '<script>alert("hola")</script>'],
      ['control characters', 'one\u0000two\u0001three\r\n\u001b[31mfour'],
      ['right-to-left text', 'שלום עולם, תשלום חשבון'],
      ['spaces around it', '   fifteen or more   '],
    ])('a description of %s is stored and returned unchanged', async (_, description) => {
      const { id, description: answered } = await paid(suite.api, transfer({ description }))

      expect(answered).toBe(description)
      expect((await paymentOf(suite.api, id)).description).toBe(description)
    })

    test.each([
      'ana@example.com',
      'Ana.María+pagos@correo.example.co.cr',
      `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.com`,
      null,
    ])('a recipient’s email of %j is accepted, and not returned', async (recipient_email) => {
      expect((await suite.api.validate(transfer({ recipient_email }), aKey())).status).toBe(200)
      const payment = await paid(suite.api, transfer({ recipient_email }))

      expect(payment).not.toHaveProperty('recipient_email')
      expect(await paymentOf(suite.api, payment.id)).not.toHaveProperty('recipient_email')
    })

    test('unknown fields are ignored', async () => {
      const text = JSON.stringify(transfer({ fee: 0, status: 'completed', reference: 'old', user: 2 }))
      const body = text.replace('{', '{"__proto__": {"amount": 9}, "constructor": {"prototype": {"amount": 9}},')

      const answer = await suite.api.pay(body, aKey())

      expect(answer.status).toBe(201)
      expect(answer.body.data).toMatchObject({ status: 'pending', amount: { value: 1000 } })
    })

    test('the source account’s id is accepted in upper and lower case', async () => {
      const { id } = suite.fixture.colones

      const payment = await paid(suite.api, transfer({ source_account_id: id.toUpperCase() }))

      expect(payment.source_account_id).toBe(id)
    })

    test('a payment has the currency of its source account', async () => {
      const dollars = await open(suite.api, 'USD')

      const order = transfer({ source_account_id: suite.fixture.dollars.id, recipient_iban: dollars.iban })
      const validated = await suite.api.validate(order, aKey())
      const payment = await paid(suite.api, order)

      expect(validated.body.data.fee).toMatchObject({
        currency: 'USD',
        formatted: expect.stringMatching(/ USD$/),
      })
      expect(payment.amount).toEqual({ value: 1000, currency: 'USD', formatted: '10.00 USD' })
    })
  })

  describe('the life of a payment', () => {
    suite.steered('a new payment is read as pending, without a fee', async () => {
      const created = await paid(suite.api, transfer())

      const payment = await paymentOf(suite.api, created.id)

      expect(payment).toMatchObject({
        id: created.id,
        idempotency_key: created.idempotency_key,
        channel_reference: created.channel_reference,
        transfer_type: 'debit',
        fee: null,
        error_message: null,
        completed_at: null,
        payer: { iban: suite.fixture.colones.iban, name: suite.fixture.colones.owner_name },
        payee: { iban: suite.fixture.savings.iban, name: suite.fixture.savings.owner_name },
      })
      expect(payment.payee).not.toHaveProperty('phone_number')
    })

    suite.steered('a payment is submitted halfway and completed at the end', async () => {
      const { id } = await paid(suite.api, transfer({ recipient_iban: ibanOf('Carlos Jiménez Mora') }))
      expect(await paymentOf(suite.api, id)).toMatchObject({ status: 'pending', submitted_at: null })
      expect(await paymentOf(suite.api, id)).not.toHaveProperty('sinpe_reference')

      await suite.control.advanceClock(500)
      const submitted = await paymentOf(suite.api, id)
      expect(submitted).toMatchObject({ status: 'processing', fee: null, completed_at: null })
      expect(submitted.submitted_at).not.toBeNull()
      expect(submitted).not.toHaveProperty('sinpe_reference')

      await suite.control.advanceClock(500)
      const completed = await paymentOf(suite.api, id)
      expect(completed).toMatchObject({ status: 'completed', error_message: null })
      expect(completed.completed_at).not.toBeNull()
      expect(completed.sinpe_reference).toMatch(/^\d{8}9992201\d{10}$/)
    })

    suite.steered('a payment that does not complete never has a SINPE reference', async () => {
      const names = ['Rechazo Siempre', 'Tiempo Agotado', 'Error de Sistema', 'Siempre en Proceso']
      for (const name of names) {
        const { id } = await paid(suite.api, transfer({ recipient_iban: ibanOf(name) }))
        await suite.control.advanceClock(minute)
        expect(await paymentOf(suite.api, id)).not.toHaveProperty('sinpe_reference')
      }
    })

    suite.steered('the cost of a payment to one payee stays unknown after the payment has completed', async () => {
      for (const recipient of [
        { recipient_iban: ibanOf('Costo por Definir') },
        { recipient_iban: null, recipient_phone: phoneOf('Costo por Definir') },
      ]) {
        const { id } = await paid(suite.api, transfer(recipient))

        await suite.control.advanceClock(minute)

        expect(await paymentOf(suite.api, id)).toMatchObject({
          status: 'completed',
          fee: null,
          completed_at: expect.any(String),
          sinpe_reference: expect.any(String),
        })
      }
      expect((await suite.control.ledger()).problems).toEqual([])
    })

    suite.steered.each([
      ['pin', 'iban', { value: 100, currency: 'CRC', formatted: '1.00 CRC' }],
      ['sinpe_movil', 'phone', { value: 0, currency: 'CRC', formatted: '0.00 CRC' }],
    ] as const)('a completed %s payment costs its payer amount and fee', async (_, by, fee) => {
      const recipient =
        by === 'iban' ? {} : { recipient_iban: null, recipient_phone: phoneOf('Ana Lucía Vargas Solano') }
      const before = (await suite.api.get(`/api/accounts/${suite.fixture.colones.id}/balance`)).body.data.balance
      const { id } = await paid(suite.api, transfer(recipient))

      await suite.control.advanceClock(minute)

      expect((await paymentOf(suite.api, id)).fee).toEqual(fee)
      const after = (await suite.api.get(`/api/accounts/${suite.fixture.colones.id}/balance`)).body.data.balance
      expect(before - after).toBe(1000 + fee.value)
    })

    suite.steered.each([
      ['failed', 'Rechazo Siempre'],
      ['timeout', 'Tiempo Agotado'],
      ['service_unavailable', 'Riel No Disponible'],
      ['validation_failed', 'Datos Inválidos'],
      ['system_error', 'Error de Sistema'],
    ])('a payment can end as %s: it says why, and the money comes back', async (status, name) => {
      const before = (await suite.api.get(`/api/accounts/${suite.fixture.colones.id}/balance`)).body.data.balance
      const { id } = await paid(suite.api, transfer({ recipient_iban: ibanOf(name) }))

      await suite.control.advanceClock(minute)

      const payment = await paymentOf(suite.api, id)
      expect(payment).toMatchObject({ status, fee: null, completed_at: null })
      expect(payment.error_message).toMatch(/\w/)
      expect((await suite.api.get(`/api/accounts/${suite.fixture.colones.id}/balance`)).body.data.balance).toBe(before)
    })

    suite.steered('a payment that has ended never changes again', async () => {
      const names = ['Carlos Jiménez Mora', 'Rechazo Siempre', 'Tiempo Agotado', 'Riel No Disponible']
      const made = await Promise.all(names.map((name) => paid(suite.api, transfer({ recipient_iban: ibanOf(name) }))))
      await suite.control.advanceClock(minute)
      const ended = await Promise.all(made.map(({ id }) => paymentOf(suite.api, id)))

      await suite.control.advanceClock(30 * 24 * 60 * minute)

      expect(await Promise.all(made.map(({ id }) => paymentOf(suite.api, id)))).toEqual(ended)
    })

    suite.steered('a payment that hangs stays in processing, with its money held', async () => {
      const { id } = await paid(suite.api, transfer({ recipient_iban: ibanOf('Siempre en Proceso') }))

      await suite.control.advanceClock(30 * 24 * 60 * minute)

      expect(await paymentOf(suite.api, id)).toMatchObject({ status: 'processing', fee: null })
      expect((await suite.control.ledger()).problems).toEqual([])
    })

    suite.steered('a payment to a slow payee takes ten times as long', async () => {
      const { id } = await paid(suite.api, transfer({ recipient_iban: ibanOf('Pago Lento') }))

      await suite.control.advanceClock(9000)
      expect((await paymentOf(suite.api, id)).status).toBe('processing')

      await suite.control.advanceClock(1000)
      expect((await paymentOf(suite.api, id)).status).toBe('completed')
    })

    suite.steered('a payment between accounts here is credited once, with a separate receipt', async () => {
      const receiver = await open(suite.api, 'CRC')
      const sent = await paid(suite.api, transfer({ recipient_iban: receiver.iban, description: 'Entre mis cuentas' }))
      expect((await suite.api.get(`/api/accounts/${receiver.id}/balance`)).body.data.balance).toBe(0)

      await suite.control.advanceClock(minute)

      expect((await suite.api.get(`/api/accounts/${receiver.id}/balance`)).body.data.balance).toBe(1000)
      const credits = (await suite.api.get('/api/payments/history', { query: { transfer_type: 'credit' } })).body.data
        .data
      expect(credits[0]).toMatchObject({
        transfer_type: 'credit',
        status: 'completed',
        amount: { value: 1000 },
        fee: null,
        payee: { iban: receiver.iban },
        payer: { iban: suite.fixture.colones.iban },
        description: 'Incoming PIN payment',
      })
      expect((await paymentOf(suite.api, sent.id)).description).toBe('Entre mis cuentas')
      expect(credits[0].idempotency_key).toMatch(/^CREDIT_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}$/)
      expect(credits[0].id).not.toBe(sent.id)
      expect(await paymentOf(suite.api, credits[0].id)).toEqual(credits[0])
    })

    suite.steered.each([
      ['closed', 'The destination account is closed'],
      ['inactive', 'The destination account is blocked'],
    ] as const)('a payment to an account here that is %s fails', async (status, error_message) => {
      const receiver = await open(suite.api, 'CRC')
      await suite.control.setAccountStatus(receiver.id, status)
      const { id } = await paid(suite.api, transfer({ recipient_iban: receiver.iban }))

      await suite.control.advanceClock(minute)

      expect(await paymentOf(suite.api, id)).toMatchObject({ status: 'failed', error_message })
      expect((await suite.api.get(`/api/accounts/${receiver.id}/balance`)).body.data.balance).toBe(0)
    })
  })

  describe('reading a payment', () => {
    test('a payment that does not exist gets 404', async () => {
      const answer = await suite.api.get(`/api/payments/${randomUUID()}`)

      expect(answer.status).toBe(404)
      expect(answer.body.message).toBe('Payment not found')
    })

    test('an id is taken in either case', async () => {
      const { id } = await paid(suite.api, transfer())

      expect((await suite.api.get(`/api/payments/${id.toUpperCase()}`)).body.data.id).toBe(id)
    })

    suite.steered('another user’s payment gets the 404 of a missing payment', async () => {
      const { api, control } = await suite.own()
      const { token } = await control.stranger()
      const [, account] = (await api.get('/api/accounts')).body.data.data
      const { id } = await paid(api, {
        source_account_id: account.id,
        amount: 5,
        recipient_iban: ibanOf('Pacific Imports LLC'),
      })

      const answer = await api.get(`/api/payments/${id}`, { token })

      expect(answer.status).toBe(404)
      expect(answer.body.message).toBe('Payment not found')
      expect((await api.get('/api/payments/history', { token })).body.data.total).toBe(0)
    })
  })
}
