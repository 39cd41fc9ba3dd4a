import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { rootCertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { NetworkError, OutcomeUnknownError, originalOf } from '../../src/client/index.ts'
import { selfSigned } from '../support/certificate.ts'
import { serveSecurely } from '../support/server.ts'
import { errorOf, failure, payment, rig, startStub, startTcp, success } from '../support/stub.ts'

/** A body with its `Content-Length`. */
const bodyOf = (value: unknown) => `Content-Length: ${JSON.stringify(value).length}\r\n\r\n${JSON.stringify(value)}`

const answer = (data: unknown, status = 200) =>
  `HTTP/1.1 ${status} Any\r\nContent-Type: application/json\r\n${bodyOf(success(data))}`

const late = `HTTP/1.1 422 Any\r\nContent-Type: application/json\r\n${bodyOf(failure('Insufficient balance'))}`

/**
 * A service that keeps connections open. It answers the first request on each connection with 201, and any later
 * request with `second`.
 */
const startLate = (second: string) =>
  startTcp((socket) => {
    let requests = 0
    socket.on('data', (chunk) => {
      if (!/^(GET|POST) /.test(chunk.toString('latin1', 0, 5))) return
      requests += 1
      socket.write(requests === 1 ? answer({ id: 'asked' }, 201) : second)
    })
  })

describe('each request has its own connection', () => {
  test('so that a late second answer is not taken for a refusal of the payment that comes next', async () => {
    const { client } = rig(await startLate(late), { retries: 0 })

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 'asked' })
    expect(await client.call('payments.create', payment)).toMatchObject({ id: 'asked' })
    expect(await client.call('payments.create', payment)).toMatchObject({ id: 'asked' })
  })

  test('reads too: what they say decides about money', async () => {
    const { client } = rig(await startLate(answer({ id: 'late' })), { retries: 0 })

    await client.call('payments.create', payment)

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 'asked' })
    expect(originalOf(await client.call('user.get'))).toEqual({ id: 'asked' })
  })

  test('and the service is asked to close it', async () => {
    const ports: (number | undefined)[] = []
    const stub = await startStub((response, { socket }) => {
      ports.push(socket.remotePort)
      response.setHeader('Connection', 'keep-alive').end(JSON.stringify(success({ id: 1 })))
    })
    const { client } = rig(stub.url)

    for (let round = 0; round < 3; round += 1) await client.call('user.get')
    await Promise.all([client.call('user.get'), client.call('user.get')])

    expect(new Set(ports).size).toBe(5)
    expect(new Set(stub.received.map(({ headers }) => headers.connection))).toEqual(new Set(['close']))
  })

  test('which may be silent for long while an answer is awaited', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sockets: Socket[] = []
    const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', onSocket)
    onTestFinished(() => void unsubscribe('net.client.socket', onSocket))
    const stub = await startStub(async (response) => {
      await vi.advanceTimersByTimeAsync(29_000)
      response.end(JSON.stringify(success({ id: 'late' })))
    })

    expect(originalOf(await rig(stub.url).client.call('user.get'))).toEqual({ id: 'late' })

    // Node's own time limit for silent connections is off, because fake timers could not move it.
    expect(sockets.map(({ timeout = 0 }) => timeout)).toEqual([0])
  })
})

describe('two answers at once are none', () => {
  const closing = (text: string) => text.replace('\r\n', '\r\nConnection: close\r\n')

  test.each([
    ['a refusal and a success', late + answer({ id: 'paid' }, 201)],
    ['a success and a refusal', answer({ id: 'paid' }, 201) + late],
    ['a refusal that ends the connection, and a success', closing(late) + answer({ id: 'paid' }, 201)],
    ['a refusal and something else', `${late}SSH-2.0-OpenSSH\r\n`],
  ])('of a payment, which is then in doubt: %s', async (_, answers) => {
    const url = await startTcp((socket) => socket.on('data', () => socket.write(answers)))
    const { client } = rig(url, { retries: 0 })

    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(OutcomeUnknownError)
  })

  test('of a read, which is repeated', async () => {
    const url = await startTcp((socket, number) => {
      const again = number === 1 ? answer({ id: 'unasked' }) : ''
      socket.on('data', () => socket.write(answer({ id: number }) + again))
    })

    expect(originalOf(await rig(url).client.call('user.get'))).toEqual({ id: 2 })
  })
})

describe('an upgrade that was not requested is not an answer', () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'

  test.each<readonly [string, (socket: Socket) => void]>([
    ['stays open', (socket) => socket.write(upgrade)],
    ['is closed', (socket) => socket.end(upgrade)],
    ['carries other data', (socket) => socket.end(`${upgrade}${answer({ id: 'paid' }, 201)}`)],
    ['is reset', (socket) => socket.write(upgrade, () => socket.resetAndDestroy())],
  ])('of a payment, which is then in doubt, if the connection %s', async (_, upgradeIt) => {
    const url = await startTcp((socket) => socket.once('data', () => upgradeIt(socket)))
    const { client } = rig(url, { retries: 0 })

    const error = await errorOf(client.call('payments.create', payment))

    expect(error).toBeInstanceOf(OutcomeUnknownError)
  })

  test('of a read, which is repeated', async () => {
    const url = await startTcp((socket, number) => {
      socket.once('data', () => socket.end(number === 1 ? upgrade : answer({ id: number })))
    })

    expect(originalOf(await rig(url).client.call('user.get'))).toEqual({ id: 2 })
  })
})

describe('what is sent', () => {
  test.each(['DELETE', 'POST', 'PUT', 'PATCH'])('%s with a body says its length, in bytes', async (method) => {
    const stub = await startStub([200, success(null)])

    await rig(stub.url).client.raw({ method, path: '/api/any', body: { name: 'Sofía' } })

    const { headers, body } = stub.received[0] ?? {}
    expect({ body, length: headers?.['content-length'], chunked: headers?.['transfer-encoding'] }).toEqual({
      body: '{"name":"Sofía"}',
      length: '17',
      chunked: undefined,
    })
  })
})

describe('over TLS', () => {
  test('a payment is not sent before the handshake is done', async () => {
    const url = await startTcp((socket) => socket.on('data', () => {}))
    const { client } = rig(url.replace('http:', 'https:'), { retries: 0, timeout: 80 })

    const error = await errorOf(client.call('payments.create', payment))

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).not.toBeInstanceOf(OutcomeUnknownError)
    expect(error).toMatchObject({ reason: 'no connection within 80 ms' })
  })

  test('a payment is not sent to who has no certificate to be trusted', async () => {
    const service = await startSecure()
    const { client } = rig(service.url, { retries: 0 })

    const error = await errorOf(client.call('payments.create', payment))

    expect(error).toBeInstanceOf(NetworkError)
    expect(error).not.toBeInstanceOf(OutcomeUnknownError)
    expect(service.received).toEqual([])
  })

  test('each request has its own connection, and a payment whose answer is lost on it is in doubt', async () => {
    const service = await startSecure()
    setDefaultCACertificates([...rootCertificates, service.cert])
    onTestFinished(() => setDefaultCACertificates([...rootCertificates]))
    const { client } = rig(service.url, { retries: 0 })

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(OutcomeUnknownError)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST'])
    expect(new Set(service.received.map(({ port }) => port)).size).toBe(2)
  })
})

/** A service at https://localhost that answers the first request and drops all others. */
async function startSecure() {
  const { key, cert } = selfSigned('localhost')
  const received: { readonly method: string | undefined; readonly port: number | undefined }[] = []
  const port = await serveSecurely({ key, cert }, (request, response) => {
    received.push({ method: request.method, port: request.socket.remotePort })
    if (received.length === 1) response.end(JSON.stringify(success({ id: 1 })))
    else request.socket.destroy()
  })
  return { cert, received, url: `https://localhost:${port}` }
}
