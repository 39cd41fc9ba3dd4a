import { expect, test } from 'vitest'
import { payBatch, resumePayment, resumePayments, sendPayment } from '../../src/index.ts'
import { orderOf } from '../../src/payments/order.ts'
import { draftOf } from '../../src/payments/request.ts'
import { resumePayment as resumeIntent } from '../../src/payments/resume.ts'
import { sendPayment as sendOrder } from '../../src/payments/send.ts'
import { hideHistory, isPayment, loseAnswers, paymentOf, phone, recover } from '../commands/payments/service.ts'
import { request, setUp } from './program.ts'

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1000'])(
  'an amount of %j is refused before it is written down',
  async (amount) => {
    const { service, settings } = await setUp()
    const wrong = { ...request, amount: amount as number }

    await expect(sendPayment(wrong, settings)).rejects.toMatchObject({ name: 'UsageError' })
    await expect(payBatch([request, wrong], settings)).rejects.toMatchObject({
      errors: { 'line 2': [expect.stringMatching(/amount/)] },
    })

    expect(service.received.filter(isPayment)).toEqual([])
    expect(settings.journal.count()).toBe(0)
  },
)

test('a row of more than one payment can carry is refused with the others untouched, the most is paid', async () => {
  const { service, settings } = await setUp()
  const most = { ...request, amount: 500_000_000 }

  const refused = payBatch([request, { ...most, amount: most.amount + 1 }], settings)

  await expect(refused).rejects.toMatchObject({
    errors: { 'line 2': [expect.stringMatching(/more than one payment can carry/)] },
  })
  expect(await payBatch([most], settings)).toMatchObject({ total: 1, sent: 1 })
  expect(service.received.filter(isPayment).map(({ body }) => body.amount)).toEqual([500_000_000])
})

test('a program hears of two payments with one key', async () => {
  const { service, journal, settings } = await setUp()
  service.afterCommit = () => {
    for (const { id } of [...journal.list()]) journal.markSettled(id, { id: 'first-payment', status: 'completed' })
    return undefined
  }
  const notes: string[] = []

  await sendPayment(request, { ...settings, onRemark: (text) => notes.push(text) })

  expect(notes).toContainEqual(expect.stringMatching(/made two payments with key \S+: first-payment, \S+\./))
})

test('the result of a batch counts each row once, as what it is', async () => {
  const { service, settings } = await setUp()
  const answers: Record<number, string> = { 1: 'pending', 2: 'completed', 3: 'failed', 4: 'refused', 5: 'lost' }
  service.before = (asked) => (isPayment(asked) && asked.body.amount === 4 ? [422, 'Not this one'] : undefined)
  service.afterCommit = ({ key = '', body }, response) => {
    const told = answers[Number(body.amount)]
    const payment = service.payments.get(key)
    if (told === 'lost') response.destroy()
    else if (payment) service.payments.set(key, { ...payment, status: told ?? '' })
    if (told === 'lost') return 'handled'
    return [201, { ...payment, status: told }]
  }
  const rows = [1, 2, 3, 4, 5].map((amount) => ({ ...request, to: phone, amount, reference: `row ${amount}` }))
  const heard: [number | null, string | null, string][] = []

  const result = await payBatch(rows, {
    ...settings,
    concurrency: 1,
    onRow: ({ line, reference, status }) => void heard.push([line, reference, status]),
  })

  expect(heard).toEqual([
    [1, 'row 1', 'pending'],
    [2, 'row 2', 'completed'],
    [3, 'row 3', 'failed'],
    [4, 'row 4', 'rejected'],
    [5, 'row 5', 'unknown'],
  ])
  expect(result).toMatchObject({ total: 5, sent: 3, inProgress: 1, completed: 1, unsuccessful: 1, rejected: 1 })
  expect(result).toMatchObject({ unknown: 1, notSent: 0 })
})

test('a batch whose token is refused leaves its rows unsent, and says why', async () => {
  const { service, settings } = await setUp()
  service.before = (asked) => (isPayment(asked) ? [401, 'Unauthenticated.'] : undefined)

  const result = await payBatch([request, { ...request, amount: 2 }], { ...settings, concurrency: 1 })

  expect(result).toMatchObject({ total: 2, sent: 0, unknown: 0, rejected: 0, notSent: 2, failure: { status: 401 } })
  expect([...settings.journal.list()].map(({ status }) => status)).toEqual(['prepared', 'prepared'])
  expect(service.received.filter(isPayment)).toHaveLength(1)
})

test.each(['first', 'repeated'])(
  'an error of a request before a %s payment is not a refusal of the payment',
  async (which) => {
    const { service, settings, connect } = await setUp()
    const other = connect('token-of-another')
    service.before = ({ path }) => (path === '/api/fx/rates' ? [422, 'Not this one'] : undefined)
    const asking = settings.client.with({ beforeChange: async () => void (await other.call('fx.rates')) })
    const askingSettings = { ...settings, client: asking }
    let intentId: string
    if (which === 'first') intentId = (await sendPayment(request, askingSettings)).intentId
    else {
      loseAnswers(service)
      intentId = (await sendPayment(request, settings)).intentId
      hideHistory(service)
      expect(await resumePayment(intentId, askingSettings)).toMatchObject({ outcome: 'unknown' })
    }

    expect(settings.journal.find(intentId)?.status).toBe(which === 'first' ? 'prepared' : 'unknown')
    expect(service.payments.size).toBe(which === 'first' ? 0 : 1)
    recover(service)
    expect(await resumePayment(intentId, settings)).toMatchObject({ outcome: 'accepted' })
    await asking.close()
  },
)

test('a user without a name is identified by the name that the program gives', async () => {
  const { service, settings } = await setUp()
  service.identify = () => [403, 'Invalid scope(s) provided.']
  await expect(sendPayment(request, settings)).rejects.toMatchObject({ name: 'UsageError' })
  loseAnswers(service)
  const lost = await sendPayment(request, { ...settings, user: 'maria' })
  recover(service)
  service.before = ({ path }) => (path.startsWith('/api/payments/history') ? [200, { data: [] }] : undefined)

  const stranger = await resumePayments({ ...settings, user: 'bob' })
  const herself = await resumePayments({ ...settings, user: 'maria' })

  expect(lost.outcome).toBe('unknown')
  expect(stranger).toMatchObject({ settled: [], rejected: [], unknown: [], leftOut: expect.any(Error) })
  expect(herself).toMatchObject({ settled: [{ id: lost.intentId }], rejected: [], unknown: [], leftOut: undefined })
  expect(service.payments.size).toBe(1)
})

test('notes for a person are strings', async () => {
  const { settings, service } = await setUp()
  const notes: unknown[] = []
  loseAnswers(service)
  await payBatch([request], settings)
  recover(service)

  await resumePayments({ ...settings, onRemark: (text) => notes.push(text) })

  expect(notes).toEqual([expect.stringMatching(/^Finding the outcome of 1 payment at /)])
})

test('a payment that another process settles just before its request is read, and not sent', async () => {
  const { service, journal, settings } = await setUp()
  const order = orderOf(draftOf(request), 'order-9')
  loseAnswers(service)
  const received = { ...order, key: order.idempotency_key, method: 'POST', path: '/api/payments', query: {} }

  const outcome = await sendOrder(order, {
    ...settings,
    onLeaving() {
      const payment = service.commit({ ...received, authorization: undefined, body: { ...order.body } })
      for (const { id } of journal.list()) {
        journal.markSent(id)
        journal.markSettled(id, payment)
      }
    },
  })

  expect(outcome).toMatchObject({ outcome: 'accepted', payment: { idempotency_key: 'order-9' } })
  expect(service.received.filter(isPayment)).toEqual([])
})

test.each(['during its request', 'while the history is read'])(
  'a payment that another process settles %s is not called refused, although the history does not show it yet',
  async (when) => {
    const { service, journal, settings } = await setUp()
    service.before = (received) => {
      const [intent] = journal.list()
      const settle = () => {
        const [payment] = service.payments.values()
        if (intent && payment) journal.markSettled(intent.id, payment)
      }
      if (isPayment(received)) {
        if (intent) journal.markSent(intent.id) // the other process repeats the payment, and the service takes it
        service.commit(received)
        if (when === 'during its request') settle()
        return [422, 'Insufficient balance']
      }
      if (received.path !== '/api/payments/history') return undefined
      settle()
      return [200, { data: [], total: 0 }]
    }

    const outcome = await sendPayment(request, settings)

    const [payment] = service.payments.values()
    expect(outcome).toMatchObject({ outcome: 'accepted', payment: { id: payment?.id } })
  },
)

test('a payment that another process finds refused during the wait for a rate limit is not sent again', async () => {
  const { service, journal, settings } = await setUp()
  loseAnswers(service)
  await sendPayment({ ...request, idempotencyKey: 'first' }, settings)
  const { intentId: second } = await sendPayment({ ...request, idempotencyKey: 'second' }, settings)
  recover(service)
  service.payments.clear()
  service.before = (received, response) => {
    if (!isPayment(received)) return undefined
    setTimeout(() => journal.markAbsent(second, 'Refused', new Date(Date.now() + 60_000).toISOString()), 200)
    response.setHeader('Retry-After', '1')
    return [429, 'Too Many Attempts.']
  }

  const resumed = await resumePayments(settings)

  expect(resumed).toMatchObject({ unknown: [{ idempotency_key: 'first' }], rejected: [{ id: second }] })
  expect(service.received.filter(isPayment).map(({ key }) => key)).toEqual(['first', 'second', 'first'])
})

test('a payment that another process finds refused while the history is read again is not sent again', async () => {
  const { service, journal, settings } = await setUp()
  loseAnswers(service)
  const { intentId } = await sendPayment(request, settings)
  recover(service)
  service.payments.clear()
  const sent = service.received.filter(isPayment).length
  let reads = 0
  service.before = ({ path }, response) => {
    if (path !== '/api/payments/history') return undefined
    reads += 1
    if (reads > 1) journal.markAbsent(intentId, 'Refused', new Date(Date.now() + 60_000).toISOString())
    response.setHeader('Retry-After', '1')
    return reads > 1 ? undefined : [429, 'Too Many Attempts.']
  }

  const outcome = await resumeIntent(intentId, settings)

  expect(outcome).toMatchObject({ outcome: 'not_sent', error: { exit: 'conflict' } })
  expect(service.received.filter(isPayment)).toHaveLength(sent)
  expect(journal.find(intentId)?.status).toBe('rejected')
})

test('a payment that another process finds refused while its key is looked up is not sent as a new one', async () => {
  const { service, journal, settings } = await setUp()
  loseAnswers(service)
  const { intentId, ...first } = await sendPayment({ ...request, idempotencyKey: 'order-8' }, settings)
  expect(first.outcome).toBe('unknown')
  recover(service)
  service.payments.clear()
  const sent = service.received.filter(isPayment).length
  service.before = ({ path }) => {
    if (path === '/api/payments/history')
      journal.markAbsent(intentId, 'Refused', new Date(Date.now() + 60_000).toISOString())
    return undefined
  }

  const again = sendPayment({ ...request, idempotencyKey: 'order-8' }, settings)

  await expect(again).rejects.toMatchObject({ exit: 'conflict' })
  expect(service.received.filter(isPayment)).toHaveLength(sent)
})

test('a prepared payment that another process sends during the question is looked up, and not sent again', async () => {
  const { service, journal, settings } = await setUp()
  service.before = (received) => (isPayment(received) ? [401, 'Unauthenticated.'] : undefined)
  const { intentId } = await sendPayment(request, settings)
  const [received] = service.received.filter(isPayment)
  // The service forgets the key, so it would pay again.
  service.before = (again) => (isPayment(again) ? [201, paymentOf(again)] : undefined)
  const sendMeanwhile = async () => {
    if (received) service.commit(received)
    journal.markLost(journal.markSent(intentId), 'lost')
    return undefined as never
  }

  const outcome = await resumeIntent(intentId, { ...settings, payees: sendMeanwhile })

  const [payment] = service.payments.values()
  expect(outcome).toMatchObject({ outcome: 'accepted', payment: { id: payment?.id } })
  expect(service.received.filter(isPayment)).toHaveLength(1)
})
