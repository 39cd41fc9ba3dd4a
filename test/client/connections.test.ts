import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { rootCertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NetworkError, OutcomeUnknownError, originalOf } from '../../src/client/index.ts'
import { selfSigned } from './certificate.ts'
import { errorOf, payment, rig, startStub, startTcp, success } from './stub.ts'

const answer = (data: unknown, status = 200) => {
  const body = JSON.stringify(success(data))
  return `HTTP/1.1 ${status} Any\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

describe('a connection that is kept', () => {
  test('is dropped when the service says something on it that nobody asked for', async () => {
    const sockets: Socket[] = []
    const url = await startTcp((socket, number) => {
      sockets.push(socket)
      socket.on('data', () => socket.write(answer({ id: number })))
    })
    const { client } = rig(url)

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    sockets[0]?.write(answer({ id: 'unasked' }))
    await once(sockets[0] as Socket, 'close')
    expect(originalOf(await client.call('user.get'))).toEqual({ id: 2 })
    expect(sockets).toHaveLength(2)
  })

  test('is not reused when two answers came at once', async () => {
    const url = await startTcp((socket, number) => {
      socket.on('data', () =>
        socket.write(number === 1 ? answer({ id: 1 }) + answer({ id: 'unasked' }) : answer({ id: 2 })),
      )
    })
    const { client } = rig(url, { retries: 0 })

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    expect(originalOf(await client.call('user.get'))).toEqual({ id: 2 })
  })

  test('may be silent for longer than it is kept while an answer is awaited', async () => {
    const stub = await startStub((response) => {
      setTimeout(() => response.end(JSON.stringify(success({ id: 'late' }))), 4500)
    })
    expect(originalOf(await rig(stub.url).client.call('user.get'))).toEqual({ id: 'late' })
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

  test('a connection is used again, and a payment whose answer is lost on it is in doubt', async () => {
    const service = await startSecure()
    setDefaultCACertificates([...rootCertificates, service.cert])
    onTestFinished(() => setDefaultCACertificates([...rootCertificates]))
    const { client } = rig(service.url, { retries: 0 })

    expect(originalOf(await client.call('user.get'))).toEqual({ id: 1 })
    expect(await errorOf(client.call('payments.create', payment))).toBeInstanceOf(OutcomeUnknownError)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST'])
    expect(new Set(service.received.map(({ port }) => port)).size).toBe(1)
  })
})

/** A service at https://localhost that answers the first request and drops all others. */
async function startSecure() {
  const { key, cert } = selfSigned('localhost')
  const received: { readonly method: string | undefined; readonly port: number | undefined }[] = []
  const server = createServer({ key, cert }, (request, response) => {
    received.push({ method: request.method, port: request.socket.remotePort })
    if (received.length === 1) response.end(JSON.stringify(success({ id: 1 })))
    else request.socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { cert, received, url: `https://localhost:${(server.address() as AddressInfo).port}` }
}
