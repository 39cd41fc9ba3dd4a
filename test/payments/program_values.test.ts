import { expect, test } from 'vitest'
import { type BatchRow, type PaymentRequest, payBatch, sendPayment } from '../../src/index.ts'
import { initiated, isPayment, pageOf } from '../commands/payments/service.ts'
import { request, setUp } from './program.ts'

// Casts a wrong value that a program may pass if no compiler checks it.

const asRequest = (wrong: object | null) => wrong as PaymentRequest
const asRow = (wrong: unknown) => wrong as BatchRow

const wrongInBoth: readonly (readonly [string, object])[] = [
  ['from must be a string.', { from: undefined }],
  ['from must be a string.', { from: 5 }],
  ['to must be a string.', { to: undefined }],
  ['to must be a string.', { to: null }],
  ['to must be a string.', { to: 88881234 }],
  ['amount must be a whole number of minor units, greater than 0.', { amount: 1000n }],
  ['description must be a string, or left out.', { description: null }],
  ['description must be a string, or left out.', { description: 5 }],
  ['expectedName must be a string, or left out.', { expectedName: 5 }],
  ['currency must be a string, or left out.', { currency: 188 }],
  ['currency is USD, but the account that pays is in CRC', { currency: 'USD' }],
  ['to "Ana" is not a phone or an IBAN.', { to: 'Ana' }],
]

const wrongPayments: typeof wrongInBoth = [
  ...wrongInBoth,
  ['idempotencyKey must be a string, or left out.', { idempotencyKey: 17 }],
  ['idempotencyKey must be a string, or left out.', { idempotencyKey: null }],
  ['idempotencyKey must be a string, or left out.', { idempotencyKey: true }],
  ['recipientEmail must be a string, or left out.', { recipientEmail: 5 }],
  ['A payment has no idempotencykey. Did you mean idempotencyKey?', { idempotencykey: 't1' }],
  ['A payment has no curency, expectName. Did you mean currency, expectedName?', { curency: 'USD', expectName: 'Ana' }],
]

test.each(wrongPayments)('a payment is refused as a UsageError, and nothing is sent: %s %o', async (message, wrong) => {
  const { service, settings } = await setUp()

  const refusal = sendPayment(asRequest({ ...request, ...wrong }), settings)

  await expect(refusal).rejects.toMatchObject({ name: 'UsageError', message })
  expect(service.received.filter(isPayment)).toEqual([])
  expect(settings.journal.count()).toBe(0)
})

const wrongRows: typeof wrongInBoth = [
  ...wrongInBoth,
  ['A row has no idempotencyKey.', { idempotencyKey: 't1' }],
  ['A row has no curency. Did you mean currency?', { curency: 'USD' }],
  ['reference must be a string, or left out.', { reference: 5 }],
]

test('every wrong row is named, and nothing is sent', async () => {
  const { service, settings } = await setUp()
  const rows = [request, null, 'x', ...wrongRows.map(([, wrong]) => ({ ...request, ...wrong }))]

  const refusal = await payBatch(rows.map(asRow), settings).catch((error) => error)

  expect(refusal.name).toBe('UsageError')
  expect(Object.entries(refusal.errors)).toEqual([
    ['line 2', ['A row must be an object.']],
    ['line 3', ['A row must be an object.']],
    ...wrongRows.map(([message], number) => [`line ${number + 4}`, [message]]),
  ])
  expect(service.received.filter(isPayment)).toEqual([])
  expect(settings.journal.count()).toBe(0)
})

test('a value that is not a payment, or not rows, is refused as well', async () => {
  const { settings } = await setUp()

  await expect(sendPayment(asRequest(null), settings)).rejects.toMatchObject({ name: 'UsageError' })
  await expect(payBatch(asRow(undefined) as never, settings)).rejects.toMatchObject({ name: 'UsageError' })
})

test('a payment in the currency of its account is sent, and what is undefined is left out', async () => {
  const { service, settings } = await setUp()
  const asked = { ...request, currency: 'crc', description: undefined, idempotencyKey: undefined }

  expect(await sendPayment(asked, settings)).toMatchObject({ outcome: 'accepted' })
  expect(await payBatch([{ ...request, reference: undefined }], settings)).toMatchObject({ sent: 1 })
  expect(service.payments.size).toBe(2)
})

test('a currency that cannot be compared with the account is refused, and nothing is sent', async () => {
  const { service, settings } = await setUp()
  service.before = ({ path }) => (path.startsWith('/api/accounts') ? [403, 'Invalid scope(s) provided.'] : undefined)
  const stated = { ...request, currency: 'CRC' }
  const message =
    "currency is CRC, but the currency of the account can't be checked: this token is not allowed to read accounts"

  await expect(sendPayment(stated, settings)).rejects.toMatchObject({ name: 'UsageError', message })
  await expect(payBatch([request, stated], settings)).rejects.toMatchObject({ errors: { 'line 2': [message] } })
  expect(service.received.filter(isPayment)).toEqual([])
  expect(await payBatch([request], settings)).toMatchObject({ sent: 1 })
})

test('a currency of an account that the token can not read is refused, and nothing is sent', async () => {
  const { service, settings } = await setUp()
  service.before = ({ path }) => {
    if (path === '/api/accounts') return [200, pageOf([])]
    return path.startsWith('/api/accounts/') ? [404, 'Account not found'] : undefined
  }

  const refusal = sendPayment({ ...request, currency: 'CRC' }, settings)

  await expect(refusal).rejects.toMatchObject({ name: 'ApiError', status: 404 })
  expect(service.received.filter(isPayment)).toEqual([])
})

test.each([
  [404, 'Account not found'],
  [403, 'Invalid scope(s) provided.'],
])('a payment with a stated currency is found although its account answers %i since', async (status, message) => {
  const { service, settings } = await setUp()
  const asked = { ...request, currency: 'CRC', idempotencyKey: 'order-7' }
  await sendPayment(asked, settings)
  service.before = ({ path }) => (path.startsWith('/api/accounts') ? [status, message] : undefined)

  expect(await sendPayment(asked, settings)).toMatchObject({ outcome: 'accepted' })
  expect(service.received.filter(isPayment)).toHaveLength(1)
})

test('an answer in another currency than the stated currency leaves the payment in doubt', async () => {
  const { service, settings } = await setUp()
  service.afterCommit = (asked) => {
    const payment = initiated(service.commit(asked))
    return [201, { ...payment, amount: { ...payment.amount, currency: 'USD' } }]
  }

  expect(await sendPayment({ ...request, currency: 'CRC' }, settings)).toMatchObject({ outcome: 'unknown' })
})

test.each([
  ['batchId', 5],
  ['batchId', null],
  ['concurrency', 0],
  ['concurrency', Number.NaN],
  ['concurrency', 1.5],
  ['concurrency', '4'],
])('a batch whose %s is %o is refused, and nothing is sent', async (name, value) => {
  const { service, settings } = await setUp()

  const refusal = payBatch([request], { ...settings, [name]: value })

  await expect(refusal).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(`${name} must be`),
  })
  expect(service.received).toEqual([])
  expect(settings.journal.count()).toBe(0)
})
