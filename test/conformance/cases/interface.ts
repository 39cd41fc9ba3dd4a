import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EventBody, events, rateLimitHeaders } from '../../../src/contract/index.ts'
import { receiver } from '../../emulator/webhooks/receiver.ts'
import { aKey, paid, paymentOf, phoneOf, undisturbed } from '../fixture.ts'
import { OAuthApi } from '../oauth_api.ts'
import { nobodysId } from '../requests.ts'
import type { Suite } from '../suite.ts'

const subscriptions = '/api/webhooks/subscriptions'

/**
 * What the interface itself says, in its own words: the cases for a service that was made by somebody else. Those in the
 * other files that prove a row of docs/decisions/emulator.md hold for the emulator only.
 */
export function interfaceCases(suite: Suite): void {
  const transfer = (more: Readonly<Record<string, unknown>> = {}) => ({
    source_account_id: suite.fixture.colones.id,
    amount: 100,
    recipient_iban: suite.fixture.savings.iban,
    ...more,
  })
  const history = async () =>
    (await suite.api.get('/api/payments/history', { query: { per_page: 1000 } })).body.data.data as {
      readonly id: string
      readonly idempotency_key: string
    }[]

  describe('the interface: reading', () => {
    test.each(['/api/user', '/api/accounts', '/api/payments/history', '/api/fx/rates'])(
      'GET %s answers in the envelope with every field',
      async (path) => {
        expect((await suite.api.get(path)).status).toBe(200)
      },
    )

    test('an account of the list is read by its id, with the same balance', async () => {
      const { id, iban } = suite.fixture.colones
      const read = async (tail = '') => (await suite.api.get(`/api/accounts/${id}${tail}`)).body.data

      const [account, shown] = await undisturbed(read, () => read('/balance'))

      expect(account).toMatchObject({ id, iban })
      expect(shown).toMatchObject({ iban, currency: account.balance.currency, balance: account.balance.value })
    })

    test('service status is for everybody', async () => {
      const { status, body } = await suite.api.get('/api/payments/service-status', { token: null })

      expect(status).toBe(200)
      const online = [body.data.pin_service, body.data.sinpe_service].filter((rail) => rail.available).length
      expect(body.data.overall_status).toBe(['offline', 'partial', 'online'][online])
    })

    test('answers carry the rate limit', async () => {
      const { headers } = await suite.api.get('/api/user')

      const [limit, remaining, reset] = Object.values(rateLimitHeaders).map((name) => headers[name.toLowerCase()])
      expect(Number(limit)).toBeGreaterThan(0)
      expect(Number(remaining)).toBeLessThan(Number(limit))
      expect(reset).toMatch(/\d/)
    })

    test('the user’s own account is found under its IBAN', async () => {
      const { iban, owner_name, document_number, document_type } = suite.fixture.colones

      const { body } = await suite.api.get(`/api/iban/information/${iban}`)

      expect(body.data).toMatchObject({ iban, name: owner_name, document_number, document_type })
    })

    test('of a phone no document type is told', async ({ skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')

      const { status, body } = await suite.api.get(`/api/phone/information/${phoneOf('Carlos Jiménez Mora')}`)

      expect(status).toBe(200)
      expect(body.data.document_type).toBeNull()
    })

    test.each([
      ['/api/user', 401, { token: null }],
      ['/api/user', 401, { token: 'no-such-token' }],
      [`/api/accounts/${nobodysId}`, 404, {}],
      [`/api/accounts/${nobodysId}/balance`, 404, {}],
      [`/api/payments/${nobodysId}`, 404, {}],
      ['/api/payments/nonsense', 422, {}],
      ['/api/iban/information/CR37012345678901234567', 404, {}],
      ['/api/iban/information/CR', 422, {}],
      ['/api/phone/information/1', 422, {}],
      ['/api/payments/history?per_page=1001', 422, {}],
      ['/api/payments/history?per_page=0', 422, {}],
      ['/api/payments/history?page=0', 422, {}],
      ['/api/payments/history?channel=cash', 422, {}],
      ['/api/accounts?per_page=1001', 422, {}],
    ] as const)('GET %s is %s with %j', async (path, status, parts) => {
      expect((await suite.api.get(path, parts)).status).toBe(status)
    })

    test('a token without the scope is refused', async ({ skip }) => {
      const given = process.env.CONFORMANCE_LIMITED_TOKEN
      const { control } = suite.world
      skip(!given && !control, 'needs a token without read-accounts in CONFORMANCE_LIMITED_TOKEN')
      const token = given ?? (await control?.mint(['read-user'])) ?? null

      expect((await suite.api.get('/api/accounts', { token })).status).toBe(403)
      expect((await suite.api.get(`/api/accounts/${suite.fixture.colones.id}`, { token })).status).toBe(403)
    })
  })

  describe('the interface: paying', () => {
    test('a payment is answered as initiated, read by its id and listed', async () => {
      const key = aKey()

      const initiated = await paid(suite.api, transfer({ description: 'Alquiler de noviembre' }), key)

      expect(initiated).toMatchObject({ channel: 'pin', idempotency_key: key, recipient_phone: null })
      expect(initiated).toMatchObject({ amount: { value: 100, currency: 'CRC' }, description: 'Alquiler de noviembre' })
      const payment = await paymentOf(suite.api, initiated.id)
      expect(payment).toMatchObject({ id: initiated.id, idempotency_key: key, transfer_type: 'debit', channel: 'pin' })
      expect((await history()).filter(({ id }) => id === initiated.id).length).toBe(1)
    })

    test('without a description the default of the channel is set', async () => {
      expect((await paid(suite.api, transfer())).description).toBe('PIN transfer payment')
    })

    test('the same key again gives the same payment, and makes no other', async () => {
      const key = aKey()
      const first = await paid(suite.api, transfer(), key)

      const again = await suite.api.pay(transfer(), key)

      expect(again.body.data.id).toBe(first.id)
      expect((await history()).filter(({ idempotency_key }) => idempotency_key === key).length).toBe(1)
    })

    test('a key that has paid is 409 for validation', async () => {
      const key = aKey()
      await paid(suite.api, transfer(), key)

      expect((await suite.api.validate(transfer(), key)).status).toBe(409)
    })

    test('validation tells channel and fee, and makes no payment', async () => {
      const key = aKey()

      const { status, body } = await suite.api.validate(transfer(), key)

      expect(status).toBe(200)
      expect(body.data).toMatchObject({ channel: 'pin', fee: { currency: 'CRC' } })
      expect((await history()).filter(({ idempotency_key }) => idempotency_key === key)).toEqual([])
    })

    test.each(['/api/payments', '/api/payments/validate'])('POST %s without a key is 400', async (path) => {
      expect((await suite.api.post(path, transfer())).status).toBe(400)
    })

    test.each([
      ['a description of 14 characters', { description: 'x'.repeat(14) }],
      ['a description of 256 characters', { description: 'x'.repeat(256) }],
      ['an IBAN that is none', { recipient_iban: 'CR' }],
      ['a source account that is no UUID', { source_account_id: 'mine' }],
    ])('%s is 422, and makes no payment', async (_, change) => {
      const key = aKey()

      expect((await suite.api.pay(transfer(change), key)).status).toBe(422)

      expect((await history()).filter(({ idempotency_key }) => idempotency_key === key)).toEqual([])
    })
  })

  describe('the interface: webhooks and OAuth', () => {
    const order = (url: string) => ({ url, events: Object.keys(events), max_attempts: 3, timeout: 30 })

    test('a subscription is made, suspended once, resumed once and deleted', async () => {
      const url = `https://receiver.invalid/hooks/${randomUUID()}`
      const { id } = (await suite.api.post(subscriptions, order(url))).body.data
      const one = `${subscriptions}/${id}`

      expect((await suite.api.get(one)).body.data).toMatchObject({ id, url, active: true, suspended_at: null })
      expect((await suite.api.post(`${one}/suspend`, {})).status).toBe(200)
      expect((await suite.api.post(`${one}/suspend`, {})).status).toBe(409)
      expect((await suite.api.get(one)).body.data.suspended_at).not.toBeNull()
      expect((await suite.api.post(`${one}/resume`, undefined)).status).toBe(200)
      expect((await suite.api.post(`${one}/resume`, undefined)).status).toBe(409)
      expect((await suite.api.request('DELETE', one)).body.data).toMatchObject({ id, url })
      expect((await suite.api.get(one)).status).toBe(404)
    })

    test('the events of a payment tell what it is', async ({ skip }) => {
      skip(!suite.world.emulated, 'needs a service that can reach this machine')
      const target = await receiver()
      onTestFinished(() => target[Symbol.asyncDispose]())
      const { id: subscription } = (await suite.api.post(subscriptions, order(target.url))).body.data
      onTestFinished(async () => {
        await suite.api.request('DELETE', `${subscriptions}/${subscription}`)
      })
      const { id } = await paid(suite.api, transfer())
      await suite.world.control?.advanceClock(60_000)
      const ends = ({ event, data }: EventBody) => event === 'payment.completed' && data.id === id
      for (let count = 1; !target.received.some(({ body }) => ends(body)); count += 1) await target.until(count)

      const told = target.received.map(({ body }) => body).filter(({ data }) => data.id === id)

      const payment = await paymentOf(suite.api, id)
      const { amount, channel, description, idempotency_key, channel_reference } = payment
      const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
      for (const event of told) {
        const validate = ajv.compile(events[event.event])
        validate(event)
        expect(validate.errors ?? []).toEqual([])
        expect(event.data).toMatchObject({ amount, channel, description, idempotency_key, transfer_type: 'debit' })
        expect(event.data.payee).toMatchObject(payment.payee)
        expect(event.data.payer).toMatchObject(payment.payer)
      }
      expect(told.map(({ event, data }) => [event, data.status])).toEqual([
        ['payment.created', 'pending'],
        ['payment.processing', 'processing'],
        ['payment.completed', 'completed'],
      ])
      expect(told.at(-1)?.data).toMatchObject({ channel_reference, sinpe_reference: payment.sinpe_reference })
      expect(told.at(-1)?.data).toMatchObject({ fee: payment.fee })
    })

    test.for([
      ['authorization_code', { code: 'none', redirect_uri: 'http://127.0.0.1/' }],
      ['refresh_token', { refresh_token: 'none' }],
    ] as const)('%s of a client nobody registered is invalid_client', async ([grant_type, more], { skip }) => {
      skip(!suite.world.emulated, 'the OAuth server may be elsewhere')
      const oauth = new OAuthApi(suite.world, suite.seen)

      const { body } = await oauth.token({ grant_type, client_id: 'nobody', client_secret: 'wrong', ...more })

      expect(body.error).toBe('invalid_client')
      expect(body.message).toMatch(/\w/)
    })
  })
}
