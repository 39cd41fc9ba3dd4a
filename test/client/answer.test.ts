import { describe, expect, test } from 'vitest'
import { ApiError, ContractError, NetworkError, originalOf } from '../../src/client/index.ts'
import { deadUrl, errorOf, failure, type Reply, rig, startStub, startTcp, success } from '../support/stub.ts'

/** The error with which GET /api/user fails after this reply. */
const errorAfter = async (reply: Reply, timeout = 30_000): Promise<unknown> => {
  const stub = await startStub(reply)
  return errorOf(rig(stub.url, { retries: 0, timeout }).client.call('user.get'))
}

describe('refusals', () => {
  test('carry status, message, details and request id', async () => {
    const errors = { id: ['Account ID must be a valid UUID'] }
    const error = await errorAfter([422, failure('Account ID must be a valid UUID', errors), { 'X-Request-Id': 'r1' }])

    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 422,
      message: 'Account ID must be a valid UUID',
      errors,
      requestId: 'r1',
      retryable: false,
    })
  })

  test.each([
    ['errors as a string', { success: false, message: 'No', errors: 'bad currency' }, 'No', 'bad currency'],
    ['no errors, no data', { message: 'No' }, 'No', null],
    ['no message', { success: false, errors: {} }, 'The server answered 404: resource not found.', {}],
    ['message not a string', { success: false, message: 5 }, 'The server answered 404: resource not found.', null],
  ])('%s', async (_, body, message, errors) => {
    expect(await errorAfter([404, body])).toMatchObject({ status: 404, message, errors, requestId: undefined })
  })

  test.each([
    ['<html><h1>Bad Gateway</h1></html>', 'The server answered 502 with a web page instead of JSON.'],
    ['', 'The server answered 502 with an empty body instead of JSON.'],
    ['[]', 'The server answered 502 with something else instead of JSON.'],
  ])('a body that is not an envelope: %j', async (body, message) => {
    const error = await errorAfter([502, body, { 'Content-Type': 'text/html' }])

    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 502, message, retryable: true })
  })

  test('a status without a known meaning', async () => {
    expect(await errorAfter([418, {}])).toMatchObject({ status: 418, message: 'The server answered 418.' })
  })

  test('a token that the service repeats is hidden', async () => {
    const body = failure('Unknown token token-of-the-test', { token: 'token-of-the-test' })
    const error = await errorAfter([401, body])

    expect(error).toMatchObject({ message: 'Unknown token ***', errors: { token: '***' } })
  })

  test.each([
    ['slashes as PHP escapes them', (token: string) => token.replaceAll('/', '\\/')],
    ['code points in JSON', (token: string) => token.replace(/[^a-z]/g, (mark) => unicodeEscape(mark))],
    [
      'code points in capitals',
      (token: string) => token.replace(/./g, (mark) => unicodeEscape(mark).toUpperCase().replace('U', 'u')),
    ],
    ['lower-case percent escapes', (token: string) => encodeURIComponent(token).toLowerCase()],
  ])('a token that the service repeats with %s is hidden', async (_, escaped) => {
    const token = 'ab/cd+ef==|gh'
    const body = `{"success":false,"message":"Unknown token ${escaped(token)}","data":null}`
    const { client } = rig((await startStub([401, body])).url, { token })

    expect(await errorOf(client.call('user.get'))).toMatchObject({ message: 'Unknown token ***' })
  })
})

describe('answers against the contract', () => {
  test.each([
    ['a page', '<!doctype html>', 'The server answered 200 with a web page instead of JSON.'],
    ['nothing', '', 'The server answered 200 with an empty body instead of JSON.'],
    ['an array', '[]', 'The server answered 200 with something else instead of JSON.'],
    ['half an object', '{"success":true,"da', 'The server answered 200 with something else instead of JSON.'],
    ['no data', { success: true }, 'The service answered 200, without data in its body.'],
    ['success: false', failure('No'), 'The service answered 200, but its body says success: false.'],
  ])('%s', async (_, body, message) => {
    const error = await errorAfter([200, body])

    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({ message })
  })

  test('the content type may be wrong, and the fields of the data', async () => {
    const stub = await startStub([200, { data: { id: [7] } }, { 'Content-Type': 'text/html' }])

    expect(originalOf(await rig(stub.url).client.call('user.get'))).toEqual({ id: [7] })
  })

  test.each([
    ['user.get', null, 'nothing'],
    ['user.get', [], 'a list'],
    ['user.get', 7, 'a number'],
    ['webhooks.list', {}, 'an object of another kind'],
    ['accounts.list', { data: { 0: 'x' } }, 'an object of another kind'],
    ['accounts.list', [], 'a list'],
    ['payments.history', [], 'a list'],
  ] as const)('%s that reads %j is not what was promised', async (id, data, what) => {
    const stub = await startStub([200, success(data)])

    const error = await errorOf(rig(stub.url).client.call(id))

    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({ message: `The service answered 200, but its data is ${what}.` })
  })

  test('a write that was carried out is a success, whatever its data', async () => {
    const stub = await startStub([200, success(null)])

    expect(originalOf(await rig(stub.url).client.call('webhooks.delete', { params: { id: 'x' } }))).toBeNull()
  })

  test('data without end of depth is refused', async () => {
    const stub = await startStub([200, `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`])

    expect(await errorOf(rig(stub.url).client.call('user.get'))).toBeInstanceOf(ContractError)
  })

  test('a redirect is not followed', async () => {
    const other = await startStub([200, success({})])
    const error = await errorAfter([302, '', { Location: `${other.url}/login?code=hunter2` }])

    expect(error).toBeInstanceOf(ContractError)
    expect(String(error)).toContain(`a redirect to ${other.url}. payctl does not follow redirects with a token`)
    expect(String(error)).not.toContain('hunter2')
    expect(other.received).toEqual([])
  })

  test('a redirect to nowhere', async () => {
    expect(String(await errorAfter([301, '']))).toContain('a redirect to nowhere')
  })

  test('more than 32 MiB', async () => {
    const mebibyte = Buffer.alloc(1024 ** 2, ' ')
    const error = await errorAfter((response) => {
      const more = (left: number): void => {
        if (left === 0) response.end('{"data":1}')
        else response.write(mebibyte, () => more(left - 1))
      }
      more(40)
    })

    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({ message: 'The service answered with more than 32 MiB.' })
  })
})

describe('no answer', () => {
  test('nobody listens', async () => {
    const url = await deadUrl()
    const error = await errorOf(rig(url, { retries: 0 }).client.call('user.get'))

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({
      message: `No answer from ${url}: connection refused.`,
      reason: 'connection refused',
      retryable: true,
    })
  })

  test('closed after the request', async () => {
    const error = await errorAfter((response) => response.destroy())

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ reason: 'the connection was closed' })
  })

  test('reset at once', async () => {
    const url = await startTcp((socket) => socket.resetAndDestroy())

    expect(await errorOf(rig(url, { retries: 0 }).client.call('user.get'))).toBeInstanceOf(NetworkError)
  })

  test('half a body', async () => {
    const error = await errorAfter((response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{"data"', () => response.destroy())
    })

    expect(error).toBeInstanceOf(NetworkError)
  })

  test('something that is not HTTP', async () => {
    const url = await startTcp((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    const error = await errorOf(rig(url, { retries: 0 }).client.call('user.get'))

    expect(error).toMatchObject({ name: 'NetworkError', reason: 'the answer is not HTTP' })
  })

  test('a server that hangs', async () => {
    const error = await errorAfter(() => {}, 500)

    expect(error).toMatchObject({ name: 'NetworkError', reason: 'no answer within 500 ms', retryable: true })
  })

  test('a body that drips', async () => {
    const error = await errorAfter((response) => {
      response.write('{')
      const drip = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(drip))
    }, 500)

    expect(error).toMatchObject({ name: 'NetworkError', reason: 'no answer within 500 ms' })
  })

  test('a server that never finishes the TLS handshake', async () => {
    const url = await startTcp(() => {})
    const { client } = rig(url.replace('http:', 'https:'), { retries: 0, timeout: 50 })

    expect(await errorOf(client.call('user.get'))).toBeInstanceOf(NetworkError)
  })

  test('a write that is not repeatable says that it may have been carried out', async () => {
    const stub = await startStub((response) => response.destroy())
    const error = await errorOf(rig(stub.url).client.call('accounts.create', { body: { currency: 'CRC' } }))

    expect(error).toMatchObject({ name: 'NetworkError', retryable: false })
    expect(String(error)).toContain('may have been carried out')
  })

  test('a write that was not sent is safe to repeat', async () => {
    const { client } = rig(await deadUrl())
    const error = await errorOf(client.call('accounts.create', { body: { currency: 'CRC' } }))

    expect(error).toMatchObject({ name: 'NetworkError', retryable: true })
  })
})

/** A character as JSON may write it: `\u002f`. */
const unicodeEscape = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`
