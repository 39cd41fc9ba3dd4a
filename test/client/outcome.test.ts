import { describe, expect, test } from 'vitest'
import {
  ApiError,
  type ClientOptions,
  ContractError,
  endpoints,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
} from '../../src/client/index.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import {
  deadUrl,
  errorOf,
  failure,
  key,
  payment,
  type Reply,
  rig,
  startStub,
  startTcp,
  success,
} from '../support/stub.ts'

const created: Reply = [201, success({ id: 'p1' })]
const crash: Reply = [500, failure('Payment processing failed')]
const drop: Reply = (response) => response.destroy()
const hang: Reply = () => {}

/** Error of a payment at a server that gives these replies in order. */
const pay = async (replies: readonly Reply[], options: Partial<ClientOptions> = {}) => {
  const stub = await startStub(...replies)
  return errorOf(rig(stub.url, { retries: replies.length - 1, ...options }).client.call('payments.create', payment))
}

describe('the outcome is unknown after', () => {
  test.each([
    ['a lost answer', [drop], 'the connection was closed', NetworkError],
    ['a 5xx', [crash], 'the service answered 500', ApiError],
    ['a 503', [[503, failure('Down')]], 'the service answered 503', ApiError],
    ['a gateway’s page', [[502, '<html>']], 'the service answered 502', ApiError],
    ['a page that says 404', [[404, '<html>']], 'the service answered 404', ApiError],
    ['a page that says 200', [[200, '<html>']], 'the service answered 200', ContractError],
    ['a success without data', [[201, { success: true }]], 'the service answered 201', ContractError],
    ['a success that says it failed', [[201, failure('No')]], 'the service answered 201', ContractError],
    ['a redirect', [[307, '', { Location: 'https://other.example/' }]], 'the service answered 307', ContractError],
    [
      'a conflict: 409',
      [[409, failure('Still being processed.')]],
      'the service answered 409: Still being processed',
      ApiError,
    ],
    [
      'a refusal that calls itself a success',
      [[422, { success: true, message: 'Done' }]],
      'the service answered 422: Done',
      ApiError,
    ],
    [
      'a refusal of the repetition: 409',
      [drop, [409, failure('In use')]],
      'the service answered 409: In use',
      ApiError,
    ],
    ['a refusal of the repetition: 401', [crash, [401, failure('Expired')]], 'the service answered 500', ApiError],
    ['a refusal of the repetition: 422', [crash, [422, failure('Insufficient')]], 'the service answered 500', ApiError],
    ['rate limits after doubt', [crash, [429, failure('Slow down')]], 'the service answered 500', ApiError],
  ] satisfies [string, Reply[], string, unknown][])('%s', async (_, replies, reason, cause) => {
    const error = await pay(replies)

    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ idempotencyKey: key, reason })
    expect((error as OutcomeUnknownError).cause).toBeInstanceOf(cause)
    expect(String(error)).toContain(key)
    expect(String(error)).not.toContain('token-of-the-test')
  })

  test('a hanging server', async () => {
    const stub = await startStub(hang)
    const { client } = rig(stub.url, { retries: 0, timeout: 2000 })

    expect(await errorOf(client.call('payments.create', payment))).toMatchObject({
      name: 'OutcomeUnknownError',
      reason: 'no answer within 2000 ms',
    })
  })

  test('an answer that is too big', async () => {
    const huge: Reply = (response) => response.end(Buffer.alloc(40 * 1024 ** 2, ' '))

    expect(await pay([huge])).toMatchObject({
      name: 'OutcomeUnknownError',
      reason: 'the answer is too large',
    })
  })

  test('a connection closed before the request was read', async () => {
    const url = await startTcp((socket) =>
      socket
        .once('data', () => socket.resetAndDestroy())
        .pause()
        .resume(),
    )
    const error = await errorOf(rig(url, { retries: 0 }).client.call('payments.create', payment))

    expect(error).toBeInstanceOf(OutcomeUnknownError)
  })

  test('a lost answer, then refused connections', async () => {
    const stub = await startStub((response, request) => {
      request.socket.server?.close()
      response.destroy()
    })
    const error = await errorOf(rig(stub.url, { retries: 2 }).client.call('payments.create', payment))

    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ reason: 'the connection was closed', cause: { reason: 'connection refused' } })
  })

  test('an abort once it was sent', async () => {
    const controller = new AbortController()
    const error = await pay([() => controller.abort('SIGINT')], { signal: controller.signal })

    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ reason: 'interrupted', cause: 'SIGINT' })
  })

  test('an abort between attempts', async () => {
    const controller = new AbortController()
    const error = await pay([crash, created], { signal: controller.signal, onRetry: () => controller.abort('SIGINT') })

    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ cause: 'SIGINT' })
  })

  test('a token that cannot be had for the repetition', async () => {
    const tokens = ['first']
    const token = async () => {
      const next = tokens.shift()
      if (next === undefined) throw new Error('no refresh')
      return next
    }

    expect(await pay([crash, created], { token })).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: { message: 'no refresh' },
    })
  })
})

const { path, movesMoney } = endpoints['payments.create']
const { refusals } = movesMoney
const declared = new Set<number>(refusals)

test('an endpoint that moves money, and no other, declares which statuses say that none moved', () => {
  const declaring = Object.entries<Endpoint>(endpoints).filter(([, row]) => row.movesMoney !== undefined)

  expect(declaring).toMatchObject([['payments.create', { movesMoney: { refusals: [400, 401, 403, 422, 429] } }]])
})

test('of all statuses only the declared refusals say that no money moved, by either way to send', async () => {
  const settling: number[] = []
  let status = 300
  const stub = await startStub((response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(failure('No'))),
  )
  const { client } = rig(stub.url, { retries: 0 })
  for (; status < 600; status += 1) {
    const errors = [
      await errorOf(client.call('payments.create', payment)),
      await errorOf(client.request({ method: 'POST', path, ...payment })),
    ]
    const known = errors.filter((error) => !(error instanceof OutcomeUnknownError))
    if (known.length > 0) settling.push(status)
    expect({ status, known: known.length }).toEqual({ status, known: declared.has(status) ? 2 : 0 })
  }
  expect(settling).toEqual([...refusals])
})

describe('a body that is not the error envelope of the interface is not a refusal', () => {
  const envelope = failure('No')

  test.each(
    refusals.flatMap((status) => [
      [status, 'only a message', { message: 'Forbidden' }],
      [status, 'no data', { ...envelope, data: undefined }],
      [status, 'data', { ...envelope, data: { id: 'p1' } }],
      [status, 'success as a string', { ...envelope, success: 'false' }],
      [status, 'success as 0', { ...envelope, success: 0 }],
      [status, 'success as null', { ...envelope, success: null }],
      [status, 'no success', { ...envelope, success: undefined }],
      [status, 'no message', { ...envelope, message: undefined }],
      [status, 'a message that is an object', { ...envelope, message: {} }],
      [status, 'a list', [envelope]],
      [status, 'a page', '<html>'],
      [status, 'nothing', ''],
    ]) satisfies [number, string, unknown][],
  )('%i with %s', async (status, _, body) => {
    const stub = await startStub([status, body])
    const { client } = rig(stub.url, { retries: 0 })

    const errors = [
      await errorOf(client.call('payments.create', payment)),
      await errorOf(client.request({ method: 'POST', path, ...payment })),
      await errorOf(client.raw({ method: 'POST', path, ...payment })),
    ]

    expect(errors.map((error) => (error as Error).name)).toEqual(errors.map(() => 'OutcomeUnknownError'))
  })

  test('nor is it one after rate limits and a renewed token', async () => {
    const replies: Reply[] = [
      [429, { message: 'Slow down' }],
      [401, envelope],
      [422, envelope],
    ]

    expect(await pay(replies, { renew: async () => true })).toMatchObject({
      name: 'OutcomeUnknownError',
      reason: 'the service answered 429, too many requests: Slow down',
    })
  })
})

describe('a raw request', () => {
  test.each([
    ['/api/payments/', 422, true],
    ['/api//payments?x=1', 422, true],
    ['/api/x/%2e%2e/p%61yments', 422, true],
    ['/api/payments/', 409, false],
    ['/api/other', 401, true],
    ['/api/other', 403, true],
    ['/api/other', 429, true],
    ['/api/other', 400, false],
    ['/api/other', 404, false],
    ['/api/other', 422, false],
  ])('with a key to %s that is answered %i: known %s', async (path, status, known) => {
    const stub = await startStub([status, failure('No')])
    const { client } = rig(stub.url, { retries: 0 })

    const error = await errorOf(client.request({ method: 'POST', path, ...payment }))

    expect(error).toBeInstanceOf(known ? ApiError : OutcomeUnknownError)
  })

  test.each(['/api/payments/', '/API/Payments', '/api/./payments', '/api/payments/validate/..'])(
    'without a key counts as a payment by any spelling of the path: %s',
    async (path) => {
      const stub = await startStub(drop)

      const error = await errorOf(rig(stub.url).client.request({ method: 'POST', path, body: {} }))

      expect(error).toBeInstanceOf(OutcomeUnknownError)
    },
  )
})

test.each([408, 409, 423, 425])('%i to a payment is tried again with its key', async (status) => {
  const stub = await startStub([status, failure('Still being processed')], created)

  expect(await rig(stub.url).client.call('payments.create', payment)).toMatchObject({ id: 'p1' })
  expect(stub.received.map(({ headers }) => headers['x-idempotency-key'])).toEqual([key, key])
})

test('an answer that cannot be read leaves a payment in doubt', async () => {
  const trace = (line: string) => {
    if (line.startsWith('<')) throw new Error('no room for a trace')
  }

  expect(await pay([created], { trace })).toMatchObject({
    name: 'OutcomeUnknownError',
    cause: { message: 'no room for a trace' },
  })
})

describe('the outcome is known', () => {
  test.each(refusals)('after a refusal: %i', async (status) => {
    const error = await pay([[status, failure('No')]])

    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status, message: 'No' })
  })

  test('after nothing but rate limits', async () => {
    expect(await pay([[429, failure('Slow down')]])).toMatchObject({ name: 'ApiError', status: 429, retryable: true })
  })

  test('when a repetition succeeds', async () => {
    const stub = await startStub(drop, crash, created)

    expect(await rig(stub.url).client.call('payments.create', payment)).toMatchObject({ id: 'p1' })
  })

  test('when every connection is refused: nothing happened', async () => {
    const error = await errorOf(rig(await deadUrl()).client.call('payments.create', payment))

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ reason: 'connection refused', retryable: true })
  })

  test.each([
    ['hangs', () => {}, 50],
    ['breaks', (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy(), 30_000],
  ] as const)('when the TLS handshake %s: nothing happened', async (_, onConnection, timeout) => {
    const url = await startTcp((socket) => onConnection(socket))
    const { client } = rig(url.replace('http:', 'https:'), { retries: 1, timeout })

    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(NetworkError)
  })

  test('when the server does not speak TLS: nothing happened', async () => {
    const url = await startTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { client } = rig(url.replace('http:', 'https:'), { retries: 0 })

    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(NetworkError)
  })

  test('when it is aborted before there is a connection: nothing happened', async () => {
    const controller = new AbortController()
    const url = await startTcp(() => controller.abort('SIGINT'))
    const { client } = rig(url.replace('http:', 'https:'), { signal: controller.signal })

    expect(await errorOf(client.call('payments.create', payment))).toBe('SIGINT')
  })

  test('when the token cannot be sent', async () => {
    expect(await pay([created], { token: 'a\nb' })).toBeInstanceOf(InvalidRequestError)
  })
})

describe('a write that is not a payment may have been carried out after', () => {
  const open = async (reply: Reply) => {
    const { client } = rig((await startStub(reply)).url, { retries: 0 })
    return errorOf(client.call('accounts.create', { body: { currency: 'CRC' } }))
  }

  test.each([
    ['a fault', crash, ApiError],
    ['a gateway’s timeout', [408, failure('Request Timeout')], ApiError],
    ['a client that gave up', [499, failure('Closed')], ApiError],
    ['a page that says 201', [201, '<html>'], ContractError],
    ['a redirect', [302, '', { Location: '/accounts' }], ContractError],
  ] satisfies [string, Reply, unknown][])('%s', async (_, reply, kind) => {
    const error = await open(reply)

    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ doubtful: true })
    if (error instanceof ApiError) expect(error.retryable).toBe(false)
  })

  test('no answer, although the request has no body', async () => {
    const { client } = rig((await startStub(drop)).url, { retries: 0 })

    const error = await errorOf(client.call('webhooks.resume', { params: { id: 'a' } }))

    expect(error).toMatchObject({ name: 'NetworkError', retryable: false })
  })

  test.each([400, 401, 403, 404, 409, 422, 429])('not after %i', async (status) => {
    expect(await open([status, failure('No')])).toMatchObject({ status, doubtful: false })
  })

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 429])('a %i without the envelope', async (status) => {
    for (const body of ['<html>', '', { message: 'Forbidden' }, { ...failure('No'), success: undefined }]) {
      expect(await open([status, body])).toMatchObject({ status, doubtful: true, fromService: false })
    }
  })

  test('nor when it was a read', async () => {
    const { client } = rig((await startStub(crash)).url, { retries: 0 })

    expect(await errorOf(client.call('user.get'))).toMatchObject({ doubtful: false })
  })
})

describe('an ApiError from what a caller has asked before a payment is not the answer to the payment', () => {
  const asked = async () => {
    const { client } = rig((await startStub([422, failure('Not this user')])).url, { retries: 0 })
    return async () => {
      await client.call('user.get')
      return 'token'
    }
  }

  test.each(['token', 'onToken', 'beforeChange'] as const)('%s', async (option) => {
    const stub = await startStub(created)
    const { client } = rig(stub.url, { [option]: await asked() })

    expect(await errorOf(client.call('payments.create', payment))).toMatchObject({
      name: 'InvalidRequestError',
      message: 'A check before the request failed: Not this user. Nothing was sent.',
    })
    expect(stub.received).toEqual([])
  })

  test('renew', async () => {
    expect(
      await pay([[401, failure('Expired')]], { renew: async () => (await (await asked())()) !== '' }),
    ).toMatchObject({ name: 'InvalidRequestError', message: expect.stringContaining('Not this user') })
  })

  test('nor to its repetition', async () => {
    const fails = await asked()
    let requests = 0
    const beforeChange = async () => {
      requests += 1
      if (requests > 1) await fails()
    }

    expect(await pay([crash, created], { beforeChange })).toMatchObject({
      name: 'OutcomeUnknownError',
      reason:
        'the service answered 500; the request was not repeated: A check before the request failed: Not this user',
    })
  })
})

describe('other calls are never payments', () => {
  test('validation', async () => {
    const stub = await startStub(drop)
    const { client } = rig(stub.url)

    expect(await errorOf(client.call('payments.validate', payment))).toBeInstanceOf(NetworkError)
    expect(
      await errorOf(client.request({ method: 'POST', path: '/api/payments/validate', ...payment })),
    ).toBeInstanceOf(NetworkError)
  })

  test('raw requests without a key, except to the payments’ path', async () => {
    const stub = await startStub(drop)
    const { client } = rig(stub.url)

    expect(await errorOf(client.request({ method: 'POST', path: '/api/accounts', body: {} }))).toBeInstanceOf(
      NetworkError,
    )
    expect(await errorOf(client.request({ method: 'POST', path: '/api/payments?x=1', body: {} }))).toMatchObject({
      name: 'OutcomeUnknownError',
      idempotencyKey: undefined,
    })
    expect(await errorOf(client.request({ method: 'POST', path: '/api/other', ...payment }))).toMatchObject({
      name: 'OutcomeUnknownError',
      idempotencyKey: key,
    })
  })
})
