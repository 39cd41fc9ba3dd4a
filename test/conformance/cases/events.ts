import { Ajv, type ValidateFunction } from 'ajv'
import { describe, expect, onTestFinished } from 'vitest'
import { type Account, type EventBody, type EventName, eventNames, events } from '../../../src/contract/index.ts'
import { receiver } from '../../support/receiver.ts'
import type { Api } from '../api.ts'
import { ibanOf, paid, paymentOf, phoneOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
const shapes = new Map<string, ValidateFunction>(
  Object.entries(events).map(([name, schema]) => [name, ajv.compile(schema)]),
)

const subscriptions = '/api/webhooks/subscriptions'

/** Deliveries to receivers. Retries, order and hostile receivers are tested in `test/emulator/webhooks`. */
export function eventCases(suite: Suite): void {
  /** A world that sends all events to a receiver; the deliveries are checked against the contract. */
  async function listening(headers: Readonly<Record<string, string>> = {}) {
    const target = await receiver()
    onTestFinished(() => target[Symbol.asyncDispose]())
    const { api, control } = await suite.own()
    const body = { url: target.url, events: [...eventNames], headers }
    const { id } = (await api.post(subscriptions, body)).body.data
    const told = async (): Promise<EventBody[]> => {
      await control.advanceClock(60_000)
      return target.received.map(({ body: event }) => {
        const conforms = shapes.get(event.event)
        conforms?.(event)
        expect(conforms?.errors ?? [], JSON.stringify(event)).toEqual([])
        suite.seen.add(`event ${event.event}`)
        return event
      })
    }
    return { api, control, target, told, id }
  }

  const fromColones = async (api: Api, recipient: object, amount = 1000) => {
    const { data: accounts }: { data: readonly Account[] } = (await api.get('/api/accounts')).body.data
    const funded = accounts.find(({ balance }) => balance.currency === 'CRC' && balance.value > 0)
    return paid(api, { source_account_id: funded?.id, amount, ...recipient })
  }

  const names = (told: readonly EventBody[]): EventName[] => told.map(({ event }) => event)

  describe('events', () => {
    suite.steered.each([
      ['pin', { recipient_iban: ibanOf('Carlos Jiménez Mora') }],
      ['sinpe_movil', { recipient_phone: phoneOf('Carlos Jiménez Mora') }],
    ] as const)(
      'a payment by %s is reported when it is created, submitted and completed',
      async (channel, recipient) => {
        const { api, told } = await listening()
        const { id } = await fromColones(api, recipient)

        const [created, processing, completed, ...more] = await told()

        expect(more).toEqual([])
        const payment = await paymentOf(api, id)
        const constant = { id, channel, transfer_type: 'debit', amount: payment.amount }
        expect(created).toMatchObject({
          event: 'payment.created',
          data: { ...constant, status: 'pending', fee: null, completed_at: null, sinpe_reference: null },
        })
        expect(processing).toMatchObject({
          event: 'payment.processing',
          data: { ...constant, status: 'processing', fee: null, completed_at: null, sinpe_reference: null },
        })
        expect(completed).toMatchObject({
          event: 'payment.completed',
          data: {
            ...constant,
            status: 'completed',
            fee: payment.fee,
            sinpe_reference: payment.sinpe_reference,
            channel_reference: payment.channel_reference,
            idempotency_key: payment.idempotency_key,
            description: payment.description,
          },
        })
        expect(created?.data.payer).toMatchObject({ ...payment.payer, phone_number: null })
        expect(created?.data.payee).toMatchObject(payment.payee)
      },
    )

    suite.steered.each([
      ['Rechazo Siempre', 'rejected'],
      ['Cuenta Cerrada', 'account_closed'],
      ['Cuenta Bloqueada', 'account_blocked'],
      ['Entidad Sin Fondos', 'insufficient_funds'],
      ['Límite Excedido', 'limit_exceeded'],
      ['Otra Moneda', 'currency_mismatch'],
    ])('a payment to %s is reported as failed: %s', async (name, state_code) => {
      const { api, told } = await listening()
      const { id } = await fromColones(api, { recipient_iban: ibanOf(name) })

      const last = (await told()).at(-1)

      const { error_message } = await paymentOf(api, id)
      expect(last?.event).toBe('payment.failed')
      expect(last?.data).toMatchObject({ id, status: 'failed', fee: null, completed_at: null, state_code })
      expect(last?.data).toMatchObject({ error: error_message, sinpe_reference: null })
    })

    suite.steered('a payment whose cost stays unknown is reported as completed, without a fee', async () => {
      const { api, told } = await listening()
      const { id } = await fromColones(api, { recipient_iban: ibanOf('Costo por Definir') })

      const last = (await told()).at(-1)

      expect(last?.event).toBe('payment.completed')
      expect(last?.data).toMatchObject({ id, status: 'completed', fee: null, completed_at: expect.any(String) })
    })

    suite.steered(
      'a received SINPE Móvil payment names the credited account and has the service’s description',
      async () => {
        const { api, told } = await listening()
        const [funded]: Account[] = (await api.get('/api/accounts')).body.data.data
        const savings = (await api.post('/api/accounts', { currency: 'CRC' })).body.data
        const description = 'Alquiler de noviembre'
        await paid(api, { source_account_id: funded?.id, amount: 1000, recipient_iban: savings.iban, description })
        await told()
        await paid(api, { source_account_id: savings.id, amount: 10, recipient_phone: '88001234', description })

        const [byPin, byPhone] = (await told()).filter(({ event }) => event === 'transaction.received')

        expect(byPin?.data).toMatchObject({ description: 'Incoming PIN payment', payee: { iban: savings.iban } })
        expect(byPhone?.data).toMatchObject({
          channel: 'sinpe_movil',
          description: 'Incoming SINPE Movil payment',
          payee: { iban: funded?.iban, phone_number: '88001234' },
        })
        const { payee } = await paymentOf(api, byPhone?.data.id ?? '')
        expect(payee).toMatchObject({ phone_number: '88001234' })
        expect(payee).not.toHaveProperty('iban')
      },
    )

    suite.steered.each(['Tiempo Agotado', 'Riel No Disponible', 'Datos Inválidos', 'Error de Sistema'])(
      'the end of a payment to %s causes no event, but polling shows it',
      async (name) => {
        const { api, told } = await listening()
        const { id } = await fromColones(api, { recipient_iban: ibanOf(name) })

        const events = names(await told())

        expect(events[0]).toBe('payment.created')
        expect(events.filter((event) => event === 'payment.completed' || event === 'payment.failed')).toEqual([])
        expect(['pending', 'processing', 'completed', 'failed']).not.toContain((await paymentOf(api, id)).status)
      },
    )

    suite.steered('money that arrives is reported to the receiver, with a separate key', async () => {
      const { api, told } = await listening()
      const { iban } = (await api.post('/api/accounts', { currency: 'CRC' })).body.data
      const { amount } = await fromColones(api, { recipient_iban: iban }, 1234)

      const [received] = (await told()).filter(({ event }) => event === 'transaction.received')

      expect(received?.data).toMatchObject({ transfer_type: 'credit', status: 'completed', amount, fee: null })
      expect(received?.data).toMatchObject({ channel_reference: null, payee: { iban } })
      expect(received?.data.idempotency_key).toMatch(/^CREDIT_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}$/)
      const payment = await paymentOf(api, received?.data.id ?? '')
      expect(payment).toMatchObject({ transfer_type: 'credit', idempotency_key: received?.data.idempotency_key })
    })

    suite.steered('events have the times of the payment, in Costa Rica’s local time', async () => {
      const { api, told } = await listening()
      const { id } = await fromColones(api, { recipient_iban: ibanOf('Carlos Jiménez Mora') })

      const [created, processing, completed] = await told()

      const { created_at, submitted_at, completed_at } = await paymentOf(api, id)
      const local = (time: string | null) =>
        new Date(Date.parse(time ?? '') - 6 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
      expect(completed?.data).toMatchObject({ created_at: local(created_at), completed_at: local(completed_at) })
      const zoned = (time: string | null) => `${local(time).replace(' ', 'T')}-06:00`
      expect([created, processing, completed].map((event) => event?.timestamp)).toEqual(
        [created_at, submitted_at, completed_at].map(zoned),
      )
      expect(completed?.timestamp).not.toBe(created?.timestamp)
    })

    suite.steered(
      'deliveries have the subscription’s headers, and the subscription shows the time of the last one',
      async () => {
        const { api, told, target, id } = await listening({ 'X-Secret': 's3cret', 'X-Words': 'año 日本 🙂' })
        await fromColones(api, { recipient_iban: ibanOf('Carlos Jiménez Mora') })

        await told()

        expect(target.received.length).toBe(3)
        for (const { headers } of target.received) {
          expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-secret': 's3cret' })
          expect(Buffer.from(String(headers['x-words']), 'latin1').toString()).toBe('año 日本 🙂')
        }
        const { last_sent_at } = (await api.get(`${subscriptions}/${id}`)).body.data
        expect(Date.parse(last_sent_at)).toBeGreaterThanOrEqual(
          Date.parse((await api.get(`${subscriptions}/${id}`)).body.data.created_at),
        )
      },
    )

    suite.steered('events during a suspension are delivered after the subscription is resumed', async () => {
      const { api, told, id } = await listening()
      await api.post(`${subscriptions}/${id}/suspend`, {})
      await fromColones(api, { recipient_iban: ibanOf('Carlos Jiménez Mora') })
      expect(await told()).toEqual([])

      const { body } = await api.post(`${subscriptions}/${id}/resume`, undefined)

      expect(body.data).toMatchObject({ suspended_webhooks_count: 3, retry_job_dispatched: true })
      expect(names(await told())).toEqual(['payment.created', 'payment.processing', 'payment.completed'])
    })

    suite.steered('nobody gets events of somebody else’s payments', async () => {
      const { api, control, told } = await listening()
      const { token } = await control.stranger()
      const { iban } = (await api.post('/api/accounts', { currency: 'CRC' }, { token })).body.data
      await fromColones(api, { recipient_iban: iban })

      expect(names(await told())).toEqual(['payment.created', 'payment.processing', 'payment.completed'])
    })
  })
}
