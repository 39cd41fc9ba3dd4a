import { expect, test } from 'vitest'
import {
  CliError,
  createClient,
  InvalidRequestError,
  openJournal,
  payBatch,
  resumePayment,
  resumePayments,
  sendPayment,
  UsageError,
} from '../../src/index.ts'
import { account, iban, isPayment, loseAnswers } from '../commands/payments/service.ts'
import { request, setUp } from './program.ts'

// Returns the error that a program catches; the documentation names its class.

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('Nothing was thrown')
    },
    (error) => error,
  )

test('a key that belongs to another payment is a UsageError', async () => {
  const { service, settings } = await setUp()
  await sendPayment({ ...request, idempotencyKey: 'order-1' }, settings)

  const error = await caught(sendPayment({ ...request, amount: 2, idempotencyKey: 'order-1' }, settings))

  expect(error).toBeInstanceOf(UsageError)
  expect(error).toMatchObject({ message: expect.stringContaining('another payment'), next: { kind: 'change_key' } })
  expect(service.payments.size).toBe(1)
})

test('an intent that is not there, is another user’s or was refused is a CliError', async () => {
  const { service, settings, connect } = await setUp()
  loseAnswers(service)
  const { intentId } = await sendPayment(request, settings)
  service.before = (asked) => (isPayment(asked) ? [422, 'Not this one'] : undefined)
  const refused = await sendPayment({ ...request, amount: 2 }, settings)

  const others = await caught(resumePayment(intentId, { ...settings, client: connect('bob') }))
  const closed = await caught(resumePayment(refused.intentId, settings))
  const absent = await caught(resumePayment('int_000000000000', settings))

  for (const error of [others, closed, absent]) expect(error).toBeInstanceOf(CliError)
  expect([others, closed, absent]).toMatchObject([
    { next: { kind: 'resume_as_its_user', intentId } },
    { next: { kind: 'send_corrected' } },
    { next: { kind: 'list_intents' } },
  ])
})

test('an id or a user that is not a string is a UsageError', async () => {
  const { settings } = await setUp()

  expect(await caught(resumePayment(undefined as unknown as string, settings))).toBeInstanceOf(UsageError)
  expect(await caught(sendPayment(request, { ...settings, user: null as unknown as string }))).toBeInstanceOf(
    UsageError,
  )
  expect(await caught(resumePayments({ ...settings, user: '' }))).toBeInstanceOf(UsageError)
})

test.each([undefined, { journal: undefined }, { client: null }])('settings of %o are a UsageError', async (wrong) => {
  const { settings } = await setUp()
  const given = (wrong && { ...settings, ...wrong }) as unknown as typeof settings

  for (const call of [
    () => sendPayment(request, given),
    () => resumePayment('int_000000000000', given),
    () => resumePayments(given),
    () => payBatch([request], given),
  ]) {
    expect(await caught(call())).toMatchObject({ name: 'UsageError', message: 'A client and a journal must be given.' })
  }
})

test('a journal that is closed is a CliError, and nothing is sent', async () => {
  const { service, journal, settings } = await setUp()
  const { intentId } = await sendPayment(request, settings)
  journal.close()

  const calls = [
    () => sendPayment({ ...request, amount: 2 }, settings),
    () => resumePayment(intentId, settings),
    () => resumePayments(settings),
    () => payBatch([request], settings),
  ]

  for (const call of calls) {
    const error = await caught(call())
    expect(error).toBeInstanceOf(CliError)
    expect(error).toMatchObject({
      message: expect.stringContaining("can't be used: it is closed"),
      hint: expect.stringMatching(/Open the journal/),
    })
  }
  expect(service.payments.size).toBe(1)
})

test.each([undefined, null, '', 5])('a journal in the folder %o is a UsageError', (folder) => {
  expect(() => openJournal(folder as unknown as string)).toThrow(UsageError)
})

test('an option that a client does not have is an InvalidRequestError, and so is a body that is not JSON', async () => {
  const { settings } = await setUp()
  const options = { baseUrl: 'http://127.0.0.1', timout: 1 }

  expect(() => createClient(options)).toThrow(InvalidRequestError)
  expect(() => createClient(options)).toThrow(
    'A client has no option timout. The options are baseUrl, token, renew, timeout,',
  )

  const body = { source_account_id: account, amount: 1000n as unknown as number, recipient_iban: iban }
  const call = settings.client.call('payments.create', { headers: { 'X-Idempotency-Key': 'k' }, body })
  expect(await caught(call)).toBeInstanceOf(InvalidRequestError)
})
