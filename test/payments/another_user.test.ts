import { expect, test } from 'vitest'
import { createClient, payBatch, resumePayment, sendPayment } from '../../src/index.ts'
import { hideHistory, isPayment, loseAnswers, type Received } from '../commands/payments/service.ts'
import { request, setUp as setUpProgram } from './program.ts'

/** A program whose token function returns the next token after each refusal by the service. */
async function setUp(...tokens: readonly [string, ...string[]]) {
  const { service, journal } = await setUpProgram()
  let at = 0
  const token = () => tokens[Math.min(at, tokens.length - 1)] as string
  const next = () => {
    at += 1
  }
  const client = createClient({ baseUrl: service.url, retries: 0, token: async () => token(), renew: async () => true })
  const senders = () => service.received.filter(isPayment).map(({ authorization }) => authorization)
  const refuse = (isRefused: (request: Received) => boolean) => {
    service.before = (request) => {
      if (request.authorization !== `Bearer ${tokens[0]}` || !isRefused(request)) return undefined
      next()
      return [401, 'Unauthenticated.']
    }
  }
  return { service, client, senders, refuse, next, settings: { client, journal } }
}

test('a payment is not sent with the token of another user than the one that the journal names', async () => {
  const { service, settings, senders, refuse } = await setUp('alice', 'bob')
  refuse(isPayment)

  const outcome = await sendPayment(request, settings)

  expect(outcome).toMatchObject({ outcome: 'not_sent', error: { exit: 'unauthenticated' } })
  expect(String((outcome as { error: unknown }).error)).toContain('The token now belongs to bob@example.com')
  expect({ paid: service.payments.size, senders: senders() }).toEqual({ paid: 0, senders: ['Bearer alice'] })
})

test('a payment in doubt is not looked for in the history of another user', async () => {
  const { service, settings, next } = await setUp('alice', 'bob')
  loseAnswers(service)
  const lost = await sendPayment(request, settings)
  service.afterCommit = () => undefined
  // The service refuses the repetition, and the token changes before payctl reads the history.
  hideHistory(service)
  const { before } = service
  service.before = (received, response) => {
    if (!isPayment(received)) return before(received, response)
    next()
    return [422, 'Insufficient balance']
  }

  const resumed = await resumePayment(lost.intentId, settings)

  expect([lost.outcome, resumed.outcome]).toEqual(['unknown', 'unknown'])
  expect(service.payments.size).toBe(1)
  expect(service.received.filter(({ authorization }) => authorization === 'Bearer bob')).toEqual([])
})

test('a batch ends, and its other rows are not sent', async () => {
  const { service, settings, senders, refuse } = await setUp('alice', 'bob')
  let sent = 0
  refuse((received) => isPayment(received) && ++sent > 2)
  const rows = Array.from({ length: 6 }, (_, at) => ({ ...request, amount: 1000 + at }))

  const { unsent, failure } = await payBatch(rows, { ...settings, concurrency: 1 }).then(({ notSent, failure }) => ({
    unsent: notSent,
    failure,
  }))

  expect({ unsent, paid: service.payments.size }).toEqual({ unsent: 4, paid: 2 })
  expect(new Set(senders())).toEqual(new Set(['Bearer alice']))
  expect(String(failure)).toContain('The token now belongs to bob@example.com')
})

test('a new token of the same user is used once the service has said whose it is', async () => {
  const { service, settings, senders, refuse } = await setUp('first-of-ana', 'second-of-ana')
  refuse(isPayment)

  expect(await sendPayment(request, settings)).toMatchObject({ outcome: 'accepted' })
  expect(senders()).toEqual(['Bearer first-of-ana', 'Bearer second-of-ana'])
  expect(service.identified).toBe(2)
})

test.each([500, 422, 401])('a service that answers %i when it is asked refuses no payment', async (status) => {
  const { service, settings, refuse } = await setUp('first-of-ana', 'second-of-ana')
  const { identify } = service
  service.identify = (received, response) =>
    received.authorization === 'Bearer first-of-ana' ? identify(received, response) : [status, 'No']
  refuse(isPayment)

  expect(await sendPayment(request, settings)).toMatchObject({
    outcome: 'not_sent',
    error: { exit: 'unauthenticated' },
  })
  expect(service.payments.size).toBe(0)
})
