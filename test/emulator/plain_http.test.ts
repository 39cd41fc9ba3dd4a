import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../emulator/index.ts'

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

type Headers = Readonly<Record<string, string>>

/** Sends bytes that Node's client would refuse to send, on a socket; returns the answer. */
async function exchange(baseUrl: string, head: readonly string[], body = '') {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const sized = body === '' ? head : [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`]
  socket.write(`${[...sized, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  const [answer = '', content = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(answer.split(' ')[1]), body: JSON.parse(content) }
}

describe('what Node would answer without a body', () => {
  test('a request without a Host gets 400, in the envelope', async () => {
    const { baseUrl } = await start()
    expect(await exchange(baseUrl, ['GET /api/payments/service-status HTTP/1.1'])).toEqual({
      status: 400,
      body: {
        success: false,
        message: 'The Host header is required.',
        data: null,
        errors: { host: ['The Host header is required.'] },
      },
    })
  })

  test('a read of HTTP/1.0 needs no Host, as in the health checks of HAProxy', async () => {
    const { baseUrl, token } = await start()
    expect(await exchange(baseUrl, ['GET /_emulator/health HTTP/1.0'])).toMatchObject({ status: 200 })
    const history = ['GET /api/payments/history HTTP/1.0', `Authorization: Bearer ${token}`]
    expect(await exchange(baseUrl, history)).toMatchObject({
      status: 200,
      body: { data: { path: '/api/payments/history' } },
    })
    expect(await exchange(baseUrl, ['GET /_emulator/health HTTP/1.0', 'Host: a.example'])).toMatchObject({
      status: 421,
    })
    expect(await exchange(baseUrl, ['GET /_emulator/health HTTP/1.0', 'Host:'])).toMatchObject({ status: 421 })
    expect(await exchange(baseUrl, ['POST /_emulator/reset HTTP/1.0'])).toMatchObject({ status: 421 })
  })

  test('an expectation that it does not know changes nothing', async () => {
    const { baseUrl, token, accounts } = await start()
    const head = ['Host: localhost', 'Expect: foo', `Authorization: Bearer ${token}`]
    expect(await exchange(baseUrl, ['GET /api/payments/service-status HTTP/1.1', ...head])).toMatchObject({
      status: 200,
    })
    const order = JSON.stringify({ source_account_id: accounts()[0]?.id, amount: 1, recipient_phone: '87000001' })
    const post = ['POST /api/payments HTTP/1.1', ...head, 'X-Idempotency-Key: k']
    expect(await exchange(baseUrl, post, order)).toMatchObject({ status: 201, body: { data: { status: 'pending' } } })
  })
})

test.each(['constructor', '__proto__'])('a body of the type %s is of an unknown type', async (type) => {
  const { baseUrl, token } = await start()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type }
  const answers = ['/api/payments/validate', '/_emulator/reset', '/oauth/token'].map(async (path) => {
    const { status } = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: '{}' })
    return status
  })
  expect(await Promise.all(answers)).toEqual([415, 415, 415])
})

test.each([
  ['curl -d "", and Ruby', 'application/x-www-form-urlencoded'],
  ['a browser', 'text/plain;charset=UTF-8'],
])('an empty body needs no media type: %s names one for it', async (_, type) => {
  const { baseUrl, token } = await start()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type }
  const post = (path: string) => fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: '' })
  const accounts = await post('/api/accounts')
  expect(accounts.status).toBe(422)
  expect(await accounts.json()).toMatchObject({ errors: { currency: ['The currency field is required.'] } })
  expect((await post('/_emulator/reset')).status).toBe(200)
})

describe('a path that is not percent-encoded UTF-8', () => {
  const paths = ['/api/accounts/%FF', '/api/payments/%zz', '/api/phone/information/%']

  test.each(paths)('is refused after the token is checked: %s', async (path) => {
    const { baseUrl, token } = await start()
    const statusWith = async (headers: Headers) => (await fetch(`${baseUrl}${path}`, { headers })).status
    expect(await statusWith({})).toBe(401)
    expect(await statusWith({ Authorization: `Bearer ${token}` })).toBe(400)
  })

  test('is refused after the control token at the emulator’s own endpoints', async () => {
    const { baseUrl, controlToken } = await start({ controlToken: 'open-sesame-of-a-test' })
    const statusWith = async (headers: Headers) =>
      (await fetch(`${baseUrl}/_emulator/deliveries/%FF`, { headers })).status
    expect(await statusWith({})).toBe(401)
    expect(await statusWith({ Authorization: `Bearer ${controlToken}` })).toBe(400)
  })
})

test('a lone surrogate in a text is stored and returned as U+FFFD, in the first answer and all later ones', async () => {
  const { baseUrl, token, accounts } = await start()
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'X-Idempotency-Key': 'halves',
  }
  const order = { source_account_id: accounts()[0]?.id, amount: 1, recipient_phone: '87000001' }
  const body = JSON.stringify({ ...order, description: '\ud800'.repeat(20) })
  const send = async () => (await fetch(`${baseUrl}/api/payments`, { method: 'POST', headers, body })).json()
  const first = (await send()) as { data: { id: string; description: string } }
  expect(first.data.description).toBe('\ufffd'.repeat(20))
  expect(await send()).toEqual(first)
  const read = await fetch(`${baseUrl}/api/payments/${first.data.id}`, { headers })
  expect(await read.json()).toMatchObject({ data: { description: first.data.description } })
})

test('a method that a path lacks gets those that it has, HEAD among them', async () => {
  const { baseUrl } = await start()
  const answer = await fetch(`${baseUrl}/api/user`, { method: 'POST' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await fetch(`${baseUrl}/api/payments/service-status`, { method: 'HEAD' })).status).toBe(200)
})
