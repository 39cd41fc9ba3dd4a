import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { InvalidRequestError } from '../../src/client/index.ts'
import { errorOf, payment, type Reply, rig, startStub, success } from '../support/stub.ts'

const id = '3f0c2b1e-0000-4000-8000-000000000001'
const ok: Reply = [200, success({ id })]

describe('what goes over the wire', () => {
  test('method, path, headers and body come from the table', async () => {
    const stub = await startStub([201, success({ id })])
    const { client } = rig(stub.url)

    expect(await client.call('payments.create', payment)).toMatchObject({ id })

    const [request] = stub.received
    expect(request).toMatchObject({ method: 'POST', url: '/api/payments' })
    expect(JSON.parse(request?.body ?? '')).toEqual(payment.body)
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer token-of-the-test',
      'content-type': 'application/json',
      'user-agent': `payctl/${manifest.version}`,
      'x-idempotency-key': 'key-1',
    })
    expect(request?.headers).not.toHaveProperty('transfer-encoding')
  })

  test('a read has no body and no content type', async () => {
    const stub = await startStub(ok)

    await rig(stub.url).client.call('user.get')

    expect(stub.received[0]?.headers).not.toHaveProperty('content-type')
    expect(stub.received[0]?.body).toBe('')
  })

  test('path parameters are encoded, the base URL’s path is kept', async () => {
    const stub = await startStub([200, success({ id: 'a/b?c d' })])

    await rig(`${stub.url}/bank/v1/`).client.call('payments.get', { params: { id: 'a/b?c d' } })

    expect(stub.received[0]?.url).toBe('/bank/v1/api/payments/a%2Fb%3Fc%20d')
  })

  test('null and undefined are left out of the query', async () => {
    const stub = await startStub([200, success({ data: [] })])

    await rig(stub.url).client.call('payments.history', {
      query: { channel: null, page: 2, per_page: undefined, transfer_type: 'debit' },
    })

    expect(stub.received[0]?.url).toBe('/api/payments/history?page=2&transfer_type=debit')
  })

  test('an endpoint that needs no token gets none', async () => {
    const stub = await startStub(ok)

    await rig(stub.url).client.call('payments.serviceStatus')

    expect(stub.received[0]?.headers).not.toHaveProperty('authorization')
  })

  test('a token function is asked before every attempt', async () => {
    const stub = await startStub([503, success(null)], ok)
    const tokens = ['first', 'second']

    await rig(stub.url, { token: async () => tokens.shift() ?? '' }).client.call('user.get')

    expect(stub.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second'])
  })

  test('answer gives status, message and headers', async () => {
    const stub = await startStub([201, success({ id }), { 'Idempotent-Replayed': 'true' }])

    const answer = await rig(stub.url).client.answer('payments.create', payment)

    expect(answer).toMatchObject({ data: { id }, status: 201, message: 'Done' })
    expect(answer.headers['idempotent-replayed']).toBe('true')
  })
})

describe('raw requests', () => {
  test('go to any path', async () => {
    const stub = await startStub([200, success([1])])
    const { client } = rig(`${stub.url}/bank`)

    const answer = await client.request({
      method: 'post',
      path: '/api/new?a=1',
      query: { b: true, c: null },
      headers: { accept: 'application/vnd.new+json' },
      body: { currency: 'CRC' },
    })

    expect(answer.data).toEqual([1])
    expect(stub.received[0]).toMatchObject({
      method: 'POST',
      url: '/bank/api/new?a=1&b=true',
      body: '{"currency":"CRC"}',
      headers: { accept: 'application/vnd.new+json', 'content-type': 'application/json' },
    })
  })

  test.each([
    { method: 'GET', path: 'https://other.example/api' },
    { method: 'GET', path: '/api/a b' },
    { method: 'GET', path: '/api/a\r\nX-Evil: 1' },
    { method: 'GET', path: '/api#fragment' },
    { method: 'CONNECT', path: '/api' },
    { method: 'GET /', path: '/api' },
    { method: 'GET', path: '/api', headers: { 'X-Note': 'a\r\nX-Evil: 1' } },
    { method: 'GET', path: '/api', headers: { 'X Note': 'a' } },
    { method: 'GET', path: '/api', headers: { Host: 'other.example' } },
  ])('are refused when they cannot be sent: %j', async (request) => {
    const stub = await startStub(ok)

    expect(await errorOf(rig(stub.url).client.request(request))).toBeInstanceOf(InvalidRequestError)
    expect(stub.received).toEqual([])
  })
})

describe('refused before anything is sent', () => {
  test.each([
    'host',
    'ftp://host',
    'file:///etc/passwd',
    'https://user:hunter2@host',
    'https://hunter2@host',
    'https://host?token=hunter2',
    'https://host#hunter2',
  ])('base URL %s', (baseUrl) => {
    expect(() => rig(baseUrl)).toThrow(InvalidRequestError)
    expect(() => rig(baseUrl)).not.toThrow(/hunter2/)
  })

  test.each([
    { timeout: 0 },
    { timeout: 2 ** 31 },
    { timeout: Number.POSITIVE_INFINITY },
    { retries: Number.NaN },
    { retries: -1 },
  ])('options %j', (options) => {
    expect(() => rig('http://127.0.0.1:1', options)).toThrow(InvalidRequestError)
  })

  test.each(['secret-token\r\nX-Evil: 1', 'secret-token\n', 'secret-tokeñ', 'secret token', ''])(
    'token %j',
    async (token) => {
      const stub = await startStub(ok)

      const error = await errorOf(rig(stub.url, { token }).client.call('user.get'))

      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(String(error)).not.toContain('secret')
      expect(stub.received).toEqual([])
    },
  )

  test.each(['', '.', '..'])('path parameter %j', async (value) => {
    const stub = await startStub(ok)

    const error = await errorOf(rig(stub.url).client.call('accounts.get', { params: { id: value } }))

    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(stub.received).toEqual([])
  })

  test('idempotency key with a line break', async () => {
    const stub = await startStub(ok)
    const headers = { 'X-Idempotency-Key': 'a\r\nX-Evil: 1' }

    const error = await errorOf(rig(stub.url).client.call('payments.create', { ...payment, headers }))

    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(stub.received).toEqual([])
  })
})
