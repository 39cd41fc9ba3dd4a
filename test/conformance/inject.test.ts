import { describe, expect, test } from 'vitest'
import { type Endpoint, endpoints, eventNames } from '../../src/contract/index.ts'
import { conformance } from './conformance.ts'
import { declared, withOAuthErrors } from './coverage.ts'
import { inject } from './targets/inject.ts'

const suite = conformance(inject)

/** What the table has and no case can bring about, with the reason. */
const beyondReach: Readonly<Record<string, string>> = {
  'accounts.list 503': 'the emulator has no balance service of its own that could be away',
  'accounts.get 503': 'as above',
  'accounts.balance 503': 'as above',
  'payments.serviceStatus 500': 'it reads two flags and has nothing that could fail',
}

describe('coverage', () => {
  test('everything the contract declares was seen in this run, but for the exceptions named', () => {
    const seen = withOAuthErrors(suite.seen)

    const missing = declared().filter((entry) => !seen.has(entry))

    expect(missing.toSorted()).toEqual(Object.keys(beyondReach).toSorted())
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
