import { describe, expect, test } from 'vitest'
import { type Endpoint, endpoints } from '../../src/contract/index.ts'
import { conformance } from './conformance.ts'
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
  test('every status an endpoint can answer was seen in this run, but for the exceptions named', () => {
    const declared = Object.entries(endpoints).flatMap(([id, row]: [string, Endpoint]) =>
      [row.success.status, ...Object.keys(row.errors)].map((status) => `${id} ${status}`),
    )

    const missing = declared.filter((answer) => !suite.seen.has(answer))

    expect(missing.toSorted()).toEqual(Object.keys(beyondReach).toSorted())
  })

  test('the table has the endpoints of the interface built so far', () => {
    const table = Object.values(endpoints).map((row: Endpoint) => `${row.method} ${row.path}`)

    expect(table.toSorted()).toEqual([
      'GET /api/accounts',
      'GET /api/accounts/{id}',
      'GET /api/accounts/{id}/balance',
      'GET /api/iban/information/{iban}',
      'GET /api/payments/history',
      'GET /api/payments/service-status',
      'GET /api/payments/{id}',
      'GET /api/phone/information/{phone}',
      'GET /api/user',
      'POST /api/accounts',
      'POST /api/payments',
      'POST /api/payments/validate',
    ])
  })
})
