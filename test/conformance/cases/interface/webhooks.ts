import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventNames, events, type WebhookSubscription } from '../../../../src/contract/index.ts'
import { receiver } from '../../../support/receiver.ts'
import { ibanOf, open, paid, paymentOf } from '../../fixture.ts'
import { nobodysId } from '../../requests.ts'
import type { Suite } from '../../suite.ts'

const subscriptions = '/api/webhooks/subscriptions'

export function webhookCases(suite: Suite): void {
  const order = (changes: object = {}) => ({
    url: `https://receiver.invalid/hooks/${randomUUID()}`,
    events: [...eventNames],
    max_attempts: 3,
    timeout: 30,
    ...changes,
  })
  const made: string[] = []
  afterAll(async () => {
    for (const id of made) await suite.api.request('DELETE', `${subscriptions}/${id}`)
  })
  const subscribe = async (changes: object = {}): Promise<string> => {
    const { status, body } = await suite.api.post(subscriptions, order(changes))
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    made.push(body.data.id)
    return body.data.id
  }
  const read = async (id: string): Promise<WebhookSubscription> =>
    (await suite.api.get(`${subscriptions}/${id}`)).body.data

  describe('the interface: webhooks', () => {
    test('a subscription is made, suspended once, resumed once and deleted', async () => {
      const url = `https://receiver.invalid/hooks/${randomUUID()}`
      const id = await subscribe({ url })
      const one = `${subscriptions}/${id}`

      expect(await read(id)).toMatchObject({ id, url, active: true, suspended_at: null })
      expect((await suite.api.post(`${one}/suspend`, {})).status).toBe(200)
      expect((await suite.api.post(`${one}/suspend`, {})).status).toBe(409)
      expect((await read(id)).suspended_at).not.toBeNull()
      expect((await suite.api.post(`${one}/resume`, undefined)).status).toBe(200)
      expect((await suite.api.post(`${one}/resume`, undefined)).status).toBe(409)
      expect((await suite.api.request('DELETE', one)).body.data).toMatchObject({ id, url })
      expect((await suite.api.get(one)).status).toBe(404)
    })

    test('a subscription reads back as it was made, and keeps that when it is suspended and resumed', async () => {
      const given = order({ max_attempts: 5, timeout: 20, headers: { 'X-Api-Key': 'abc' }, events: ['payment.failed'] })
      const id = await subscribe(given)
      const one = `${subscriptions}/${id}`

      expect(await read(id)).toMatchObject(given)
      await suite.api.post(`${one}/suspend`, {})
      expect(await read(id)).toMatchObject({ ...given, suspended_at: expect.any(String) })
      await suite.api.post(`${one}/resume`, undefined)
      expect(await read(id)).toMatchObject({ ...given, suspended_at: null })
    })

    test('what is 409 changes nothing', async () => {
      const id = await subscribe()
      const refused = async (verb: string) => {
        const before = await read(id)
        expect((await suite.api.post(`${subscriptions}/${id}/${verb}`, {})).status).toBe(409)
        expect(await read(id)).toEqual(before)
      }

      await refused('resume')
      await suite.api.post(`${subscriptions}/${id}/suspend`, {})
      await refused('suspend')
    })

    test('deleting answers the subscription without its state', async () => {
      const id = await subscribe({ headers: { 'X-Api-Key': 'abc' } })
      const { active: _, last_sent_at, suspended_at, suspended_reason, ...rest } = await read(id)

      expect((await suite.api.request('DELETE', `${subscriptions}/${id}`)).body.data).toEqual(rest)
    })

    test.each(['GET', 'DELETE'])('%s of a subscription that nobody has is 404', async (method) => {
      expect((await suite.api.request(method, `${subscriptions}/${nobodysId}`)).status).toBe(404)
    })

    test.each(eventNames)('%s can be subscribed to alone', async (name) => {
      expect((await read(await subscribe({ events: [name] }))).events).toEqual([name])
    })

    test.each([
      { url: undefined },
      { url: 5 },
      { url: 'nowhere' },
      { events: 'payment.created' },
      { events: ['payment.lost'] },
      { max_attempts: 1.5 },
      { max_attempts: 'three' },
      { timeout: 'long' },
      { headers: 'X-A: 1' },
    ])('a subscription of %j is 422', async (changes) => {
      const { status, body } = await suite.api.post(subscriptions, order(changes))

      if (status < 300) made.push(body.data.id)
      expect(status).toBe(422)
    })
  })

  describe('the interface: deliveries', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
    const secret = { 'X-Case': 'año 1' }

    /**
     * Subscribes to all events, makes a payment, checks the deliveries, and returns their bodies with the payment's id.
     */
    async function told(recipient_iban: string) {
      const target = await receiver()
      onTestFinished(() => target[Symbol.asyncDispose]())
      const subscription = await subscribe({ url: target.url, headers: secret })
      const { id } = await paid(suite.api, { source_account_id: suite.fixture.colones.id, amount: 100, recipient_iban })
      await suite.control.advanceClock(60_000)
      await suite.api.request('DELETE', `${subscriptions}/${subscription}`)
      for (const { body, headers } of target.received) {
        const validate = ajv.compile(events[body.event])
        validate(body)
        expect(validate.errors ?? []).toEqual([])
        expect(headers['content-type']).toMatch(/^application\/json/)
        expect(Buffer.from(String(headers['x-case']), 'latin1').toString()).toBe(secret['X-Case'])
      }
      return { id, bodies: target.received.map(({ body }) => body) }
    }
    const needsReceiver = (skip: (condition: boolean, note: string) => void) =>
      skip(!suite.world.control, 'needs a service that can reach this machine')

    test('the events of a payment tell what it is', async ({ skip }) => {
      needsReceiver(skip)
      const { id, bodies } = await told(suite.fixture.savings.iban)

      const ofPayment = bodies.filter(({ data }) => data.id === id)

      const payment = await paymentOf(suite.api, id)
      const { amount, channel, description, idempotency_key, channel_reference, fee, sinpe_reference } = payment
      for (const { data } of ofPayment) {
        expect(data).toMatchObject({ amount, channel, description, idempotency_key, transfer_type: 'debit' })
        expect(data.payee).toMatchObject(payment.payee)
        expect(data.payer).toMatchObject(payment.payer)
      }
      expect(ofPayment.map(({ event, data }) => [event, data.status])).toEqual([
        ['payment.created', 'pending'],
        ['payment.processing', 'processing'],
        ['payment.completed', 'completed'],
      ])
      expect(ofPayment.slice(0, 2).map(({ data }) => [data.fee, data.completed_at])).toEqual([
        [null, null],
        [null, null],
      ])
      expect(ofPayment.at(-1)?.data).toMatchObject({ channel_reference, sinpe_reference, fee })
    })

    test('the event of a payment that failed says why', async ({ skip }) => {
      needsReceiver(skip)
      const { bodies } = await told(ibanOf('Rechazo Siempre'))

      const failed = bodies.find(({ event }) => event === 'payment.failed')?.data

      expect(failed).toMatchObject({ status: 'failed', fee: null, completed_at: null })
      expect(failed).toMatchObject({ error: expect.stringMatching(/\w/), state_code: expect.stringMatching(/\w/) })
    })

    test('the event of money that came says from whom, with a separate key', async ({ skip }) => {
      needsReceiver(skip)
      const { iban } = await open(suite.api, 'CRC')
      const { bodies } = await told(iban)

      const received = bodies.find(({ event }) => event === 'transaction.received')?.data

      expect(received).toMatchObject({ transfer_type: 'credit', status: 'completed', fee: null })
      expect(received).toMatchObject({ channel_reference: null, payer: { iban: suite.fixture.colones.iban } })
      expect(received?.idempotency_key).toMatch(/^CREDIT_/)
      expect(received?.completed_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    })
  })
}
