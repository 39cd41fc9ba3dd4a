import { describe, expect, test } from 'vitest'
import { decode, type Shape } from '../../src/client/decode.ts'
import { originalOf, type Payment } from '../../src/client/index.ts'
import { controlEndpoints } from '../../src/contract/index.ts'
import { errorOf, payment as request, rig, startStub, success } from '../support/stub.ts'

const payment: Payment = {
  id: '3f0c2b1e-0000-4000-8000-000000000001',
  idempotency_key: 'key-1',
  channel_reference: 'r',
  transfer_type: 'debit',
  status: 'completed',
  amount: { value: 1500, currency: 'CRC', formatted: '15.00 CRC' },
  fee: null,
  payer: { iban: null, document_number: '1', document_type: 0, name: 'A' },
  payee: { document_number: '2', document_type: null, name: 'B' },
  description: null,
  error_message: null,
  created_at: '2026-01-05T18:00:00.000000Z',
  submitted_at: null,
  completed_at: null,
  channel: 'sinpe_movil',
}

/** The payment that the client returns for an answer with these members replaced. */
const received = async (members: object, strict = false): Promise<Payment> => {
  const stub = await startStub([200, success({ ...payment, ...members })])
  return rig(stub.url, { strict }).client.call('payments.get', { params: { id: payment.id ?? '' } })
}

describe('an answer with another id than the one that was asked for', () => {
  test('is an error that names both', async () => {
    const stub = await startStub([200, success({ ...payment, id: 'p2' })])

    const error = await errorOf(rig(stub.url).client.call('payments.get', { params: { id: 'p1' } }))

    expect(error).toMatchObject({ name: 'ContractError', message: expect.stringMatching(/\bp1\b.*\bp2\b/) })
  })

  test.each([null, '', undefined])('is none where it has no id: %j', async (id) => {
    expect(await received({ id })).toMatchObject({ status: 'completed' })
  })

  test('is none where it has other letters', async () => {
    const stub = await startStub([200, success({ ...payment, id: 'AB' })])

    expect(await rig(stub.url).client.call('payments.get', { params: { id: 'ab' } })).toMatchObject({ id: 'AB' })
  })
})

describe('an answer as promised', () => {
  test('comes as it is, with what the interface does not know', async () => {
    const unknown = { status: 'recalled', newer: [1] }

    expect(await received(unknown)).toEqual({ ...payment, ...unknown })
    expect(await received({}, true)).toEqual(payment)
    expect(await received({ newer: [1] }, true)).toEqual({ ...payment, newer: [1] })
  })
})

test('a member that is always null may be null', async () => {
  const phone = { phone_number: '1', name: 'A', document_number: '2', document_type: null, currency: 'CRC' }
  const stub = await startStub([200, success({ ...phone, country_code: 'CR', entity_name: 'B', status: 'registered' })])

  const { client } = rig(stub.url, { strict: true })

  expect(await client.call('phone.information', { params: { phone: '1' } })).toMatchObject(phone)
})

describe('an answer that is not as promised', () => {
  test.each([
    ['a text of another type is null', { id: { a: 1 }, description: [] }, { id: null, description: null }],
    ['a number in place of a text is that text', { channel_reference: 7 }, { channel_reference: '7' }],
    ['an object that is missing or none is empty', { payer: undefined, payee: 'x' }, { payer: {}, payee: {} }],
    ['one that can be null is null', { fee: 'x' }, { fee: null }],
    [
      'an amount is a whole number or null',
      { amount: { value: 1.5 }, fee: { value: '150', currency: 'CRC' } },
      { amount: { value: null }, fee: { value: 150, currency: 'CRC' } },
    ],
  ])('%s', async (_, members, read) => {
    const answer = await received(members)

    expect(answer).toEqual({ ...payment, ...read })
    expect(originalOf(answer)).toEqual(JSON.parse(JSON.stringify({ ...payment, ...members })))
  })

  test('what is missing stays missing', async () => {
    expect(await received({ id: undefined, status: undefined })).not.toHaveProperty('id')
  })

  test('members of a record are of one type', async () => {
    const stub = await startStub([200, success({ id: 's1', headers: { 'X-A': 7, 'X-B': 'b', 'X-C': [] } })])

    const { headers } = await rig(stub.url).client.call('webhooks.get', { params: { id: 's1' } })

    expect(headers).toEqual({ 'X-A': '7', 'X-B': 'b', 'X-C': null })
  })

  test('items of a list are known one by one', async () => {
    const items = [payment, null, { ...payment, amount: 'x' }]
    const stub = await startStub([200, success({ data: items })])

    const { data } = await rig(stub.url).client.call('payments.history')

    expect(data).toEqual([payment, { amount: {}, payer: {}, payee: {} }, { ...payment, amount: {} }])
    expect(data.map(originalOf)).toEqual(items)
  })
})

test('nothing in a list of objects of several kinds is an empty one of the first kind', async () => {
  const { data: worlds } = controlEndpoints['control.worlds.list'].success.data.properties
  const { data, fault } = decode([null], worlds as Shape)

  expect(data).toMatchObject([{ made_from: {} }])
  expect(fault).toBe('data[0] is nothing')
})

describe('a strict client', () => {
  test.each([
    [{ payer: { ...payment.payer, name: undefined } }, 'data.payer.name is missing'],
    [{ id: 7 }, 'data.id is a number'],
    [{ status: 'recalled' }, 'data.status is "recalled"'],
    [{ amount: null }, 'data.amount is nothing'],
  ])('refuses %j', async (members, fault) => {
    expect(await errorOf(received(members, true))).toMatchObject({
      name: 'ContractError',
      message: `The service answered 200 with data that does not match the interface: ${fault}.`,
    })
  })

  test('refuses a value where there is only another', async () => {
    const suspended = { id: 's1', active: true, suspended_at: '2026-01-05T18:00:00.000000Z', suspended_reason: 'x' }
    const stub = await startStub([200, success(suspended)])

    const { client } = rig(stub.url, { strict: true })

    expect(await errorOf(client.call('webhooks.suspend', { params: { id: 's1' }, body: {} }))).toMatchObject({
      message: expect.stringContaining('data that does not match the interface: data.active is true.'),
    })
  })

  test('does not know of a payment whether it was made', async () => {
    const stub = await startStub([201, success({ id: 'p1' })])

    const error = await errorOf(rig(stub.url, { strict: true }).client.call('payments.create', request))

    expect(error).toMatchObject({ name: 'OutcomeUnknownError' })
  })
})
