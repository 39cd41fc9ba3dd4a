import { describe, expect, test } from 'vitest'
import { type Endpoint, type EndpointId, endpoints, eventNames } from '../../src/contract/index.ts'
import { conformance } from './conformance.ts'
import { declared, withOAuthErrors } from './coverage.ts'
import { documented, nameOf } from './documented.ts'
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

  test.each(Object.entries(documented))('the table has %s as the interface documents it', (id, interfaceRow) => {
    const { endpoint, statuses, messages = {} } = interfaceRow
    const { errors }: Endpoint = endpoints[id as EndpointId]

    expect(nameOf(id as EndpointId)).toBe(endpoint)
    expect(Object.keys(errors)).toEqual(expect.arrayContaining(statuses.map(String)))
    expect(errors).toMatchObject(messages)
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
