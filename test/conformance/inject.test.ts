import { describe, expect, test } from 'vitest'
import { type Endpoint, type EndpointId, endpoints, eventNames } from '../../src/contract/index.ts'
import { conformance } from './conformance.ts'
import { declared, withOAuthErrors } from './coverage.ts'
import { inject } from './targets/inject.ts'

const suite = conformance(inject)

interface Documented {
  readonly statuses: readonly number[]
  /** Those that the interface gives word for word. */
  readonly messages?: Readonly<Record<number, string>>
}

const balanceUnavailable = { 503: 'Unable to retrieve account balance' }
const noAccount = { 404: 'Account not found', ...balanceUnavailable }
const noSubscription = { 404: 'Webhook subscription not found', 422: 'Validation failed' }

/** Source: interface, "Endpoints" and "Errors". */
const documentedErrors: Readonly<Record<EndpointId, Documented>> = {
  'user.get': { statuses: [401] },
  'payments.create': { statuses: [400, 401, 403, 422, 500], messages: { 500: 'Payment processing failed' } },
  'payments.validate': { statuses: [400, 401, 403, 409, 422, 500], messages: { 500: 'Payment validation failed' } },
  'payments.get': { statuses: [401, 403, 404, 422, 500], messages: { 500: 'Unable to retrieve payment details' } },
  'payments.history': { statuses: [401, 403, 422] },
  'payments.serviceStatus': { statuses: [500], messages: { 500: 'Unable to check service status' } },
  'fx.rates': { statuses: [401, 403, 503], messages: { 503: 'Exchange rates are currently unavailable' } },
  'fx.upstream': {
    statuses: [401, 403, 503],
    messages: { 503: '{Provider} exchange rates are currently unavailable' },
  },
  'accounts.list': { statuses: [401, 403, 422, 503], messages: balanceUnavailable },
  'accounts.create': { statuses: [401, 422] },
  'accounts.get': { statuses: [401, 403, 404, 422, 503], messages: noAccount },
  'accounts.balance': { statuses: [401, 403, 404, 422, 503], messages: noAccount },
  'phone.information': {
    statuses: [401, 403, 404, 422],
    messages: { 404: 'Phone number not found in SINPE registry' },
  },
  'iban.information': { statuses: [401, 403, 404, 422], messages: { 404: 'IBAN not found' } },
  'webhooks.list': { statuses: [401] },
  'webhooks.create': { statuses: [401, 422] },
  'webhooks.get': { statuses: [401, 404, 422], messages: noSubscription },
  'webhooks.delete': { statuses: [401, 404] },
  'webhooks.suspend': { statuses: [409] },
  'webhooks.resume': { statuses: [409] },
}

describe('coverage', () => {
  test('everything the contract declares was seen in this run', () => {
    const seen = withOAuthErrors(suite.seen)

    const missing = declared().filter((entry) => !seen.has(entry))

    expect(missing).toEqual([])
  })

  test('nothing was seen that the contract does not declare, but for what HTTP itself says', () => {
    const known = new Set(declared())

    const more = [...suite.seen].filter((entry) => !known.has(entry) && !/ (400|404|413|415|421)$/.test(entry))

    expect(more).toEqual([])
  })

  test('the table has the endpoints of the interface', () => {
    const table = Object.values(endpoints).map((row: Endpoint) => `${row.method} ${row.path}`)

    expect(table.toSorted()).toEqual([
      'DELETE /api/webhooks/subscriptions/{id}',
      'GET /api/accounts',
      'GET /api/accounts/{id}',
      'GET /api/accounts/{id}/balance',
      'GET /api/fx/rates',
      'GET /api/fx/{provider}-rates',
      'GET /api/iban/information/{iban}',
      'GET /api/payments/history',
      'GET /api/payments/service-status',
      'GET /api/payments/{id}',
      'GET /api/phone/information/{phone}',
      'GET /api/user',
      'GET /api/webhooks/subscriptions',
      'GET /api/webhooks/subscriptions/{id}',
      'POST /api/accounts',
      'POST /api/payments',
      'POST /api/payments/validate',
      'POST /api/webhooks/subscriptions',
      'POST /api/webhooks/subscriptions/{id}/resume',
      'POST /api/webhooks/subscriptions/{id}/suspend',
    ])
  })

  test('every status that the interface documents is in the table, with its message', () => {
    const rows: Readonly<Record<string, Endpoint>> = endpoints
    for (const [id, documented] of Object.entries(documentedErrors)) {
      const errors: Readonly<Record<string, unknown>> = rows[id]?.errors ?? {}
      for (const status of documented.statuses) expect(Object.keys(errors), id).toContain(String(status))
      expect(errors, id).toMatchObject(documented.messages ?? {})
    }
    expect(Object.keys(documentedErrors).toSorted()).toEqual(Object.keys(endpoints).toSorted())
  })

  test('the events are those of the interface', () => {
    expect([...eventNames]).toEqual([
      'payment.created',
      'payment.processing',
      'payment.completed',
      'payment.failed',
      'transaction.received',
    ])
  })
})
