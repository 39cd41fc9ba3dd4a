import { describe, expect, test } from 'vitest'
import { type Endpoint, type EndpointId, endpoints, eventNames } from '../../src/contract/index.ts'
import { conformance } from './conformance.ts'
import { declared, withOAuthErrors } from './coverage.ts'
import { type Documented, documented, nameOf } from './documented.ts'
import { inject } from './targets/inject.ts'

const suite = conformance(inject)

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

  const entries = Object.entries(documented) as [EndpointId, Documented][]

  test('the table has the endpoints of the interface', () => {
    for (const [id, { endpoint }] of entries) expect(nameOf(id)).toBe(endpoint)
  })

  test('every status that the interface documents is in the table, with its message', () => {
    for (const [id, { statuses, messages = {} }] of entries) {
      const { errors }: Endpoint = endpoints[id]
      expect(Object.keys(errors), id).toEqual(expect.arrayContaining(statuses.map(String)))
      expect(errors, id).toMatchObject(messages)
    }
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
