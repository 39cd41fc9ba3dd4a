import { expect, onTestFinished, test } from 'vitest'
import { createClient, payBatch, resumePayment, resumePayments, sendPayment } from '../../src/index.ts'
import { hideHistory, isPayment, loseAnswers, recover } from '../commands/payments/service.ts'
import { request, setUp as startProgram } from './program.ts'

// These tests check the results of a program that stops its payments.

async function setUp() {
  const stop = new AbortController()
  const program = await startProgram()
  return { ...program, stop, stoppable: { ...program.settings, signal: stop.signal } }
}

type SetUp = Awaited<ReturnType<typeof setUp>>

/** Makes five payments whose answers are lost; the service has all of them. */
async function inDoubt({ service, settings }: SetUp): Promise<string[]> {
  loseAnswers(service)
  const ids: string[] = []
  for (const amount of [1, 2, 3, 4, 5]) ids.push((await sendPayment({ ...request, amount }, settings)).intentId)
  recover(service)
  service.received.length = 0
  return ids
}

test('a resumption that is stopped under way has what is left among the unknown', async () => {
  const set = await setUp()
  const [first, second, ...left] = await inDoubt(set)
  hideHistory(set.service)
  set.service.afterCommit = ({ body }) => {
    if (body.amount === 2) set.stop.abort()
    return undefined
  }

  const resumed = await resumePayments(set.stoppable)

  expect(resumed).toMatchObject({
    settled: [{ id: first }, { id: second }],
    rejected: [],
    unknown: left.map((id) => ({ id })),
  })
  expect(set.service.received.filter(isPayment)).toHaveLength(2)
})

test('one that is stopped before it begins has all of them there, and repeats nothing', async () => {
  const set = await setUp()
  const ids = await inDoubt(set)
  set.stop.abort()

  const resumed = await resumePayments(set.stoppable)

  expect(resumed).toMatchObject({ settled: [], rejected: [], unknown: ids.map((id) => ({ id, status: 'unknown' })) })
  expect(set.service.received.filter(isPayment)).toEqual([])
})

test('a resumption that can no longer read the journal throws: payments in doubt would be missing', async () => {
  const set = await setUp()
  const [id = ''] = await inDoubt(set)
  const known = set.journal.find(id)
  if (!known?.user) throw new Error('The journal has lost it')
  const { profile, base_url, user, world, body } = known
  const draft = { profile, base_url, user, world, body }
  const drafts = Array.from({ length: 1000 }, (_, number) => ({ ...draft, idempotency_key: `more-${number}` }))
  set.journal.prepareAll(drafts)
  set.journal.markSentInGroup([...set.journal.list({ statuses: ['prepared'] })])
  set.service.afterCommit = () => void set.journal.close()

  await expect(resumePayments(set.settings)).rejects.toThrow(
    "can't be used: it is closed. This run may already have sent payments.",
  )
})

test('a payment that another process makes is not called unsent by a program that is stopped meanwhile', async () => {
  const { service, stop, journal, settings, stoppable } = await setUp()
  loseAnswers(service)
  const { intentId } = await sendPayment(request, settings)
  recover(service)
  hideHistory(service)
  const { before } = service
  service.before = (asked, response) => {
    if (asked.path === '/api/payments/history') journal.markSettled(intentId, { id: 'made', status: 'completed' })
    return before(asked, response)
  }
  const token = async () => {
    if (journal.find(intentId)?.status === 'settled') stop.abort()
    return 'token-of-the-test'
  }
  const client = createClient({ baseUrl: service.url, token, retries: 0 })
  onTestFinished(() => client.close())

  const outcome = await resumePayment(intentId, { ...stoppable, client })

  const message = expect.stringContaining('Payment made has been sent with this key')
  expect(outcome).toMatchObject({ outcome: 'unknown', error: { message } })
  expect(service.received.filter(isPayment)).toHaveLength(1)
})

test('a payment that is stopped before it leaves is not sent, and can be resumed', async () => {
  const { service, stop, journal, settings, stoppable } = await setUp()
  stop.abort()

  const kept = await sendPayment({ ...request, idempotencyKey: 'order-1' }, stoppable)
  const keptAgain = await resumePayment(kept.intentId, stoppable)

  expect(kept).toMatchObject({ outcome: 'not_sent', error: { name: 'AbortError' } })
  expect(keptAgain).toEqual(kept)
  expect(journal.find(kept.intentId)?.status).toBe('prepared')
  expect(service.received.filter(isPayment)).toEqual([])
  expect(await resumePayment(kept.intentId, settings)).toMatchObject({ outcome: 'accepted' })
})

test('one in doubt stays unknown when its resumption is stopped, and one that was made is read', async () => {
  const set = await setUp()
  const [id = ''] = await inDoubt(set)
  set.stop.abort()

  expect(await resumePayment(id, set.stoppable)).toMatchObject({ outcome: 'unknown', intentId: id })
  expect(set.service.received.filter(isPayment)).toEqual([])

  await resumePayment(id, set.settings)
  expect(await resumePayment(id, set.stoppable)).toMatchObject({ outcome: 'accepted', intentId: id })
})

test('a batch that is stopped says why rows were left out, those in doubt too', async () => {
  const { service, stop, settings, stoppable } = await setUp()
  const rows = [1, 2, 3, 4].map((amount) => ({ ...request, amount }))
  const failure = { name: 'AbortError' }
  service.afterCommit = ({ body }) => {
    if (body.amount === 2) stop.abort()
    return undefined
  }
  expect(await payBatch(rows, { ...stoppable, concurrency: 1 })).toMatchObject({ sent: 2, notSent: 2, failure })

  loseAnswers(service)
  expect(await payBatch(rows, settings)).toMatchObject({ sent: 2, unknown: 2, failure: undefined })
  recover(service)
  expect(await payBatch(rows, stoppable)).toMatchObject({ sent: 2, unknown: 2, notSent: 0, failure })
  expect(await payBatch(rows, settings)).toMatchObject({ sent: 4, failure: undefined })
  expect(service.payments.size).toBe(4)
})
