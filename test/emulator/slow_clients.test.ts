import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { buildServer } from '../../emulator/server.ts'
import { Worlds } from '../../emulator/worlds/worlds.ts'

/** Milliseconds. */
const short = { headers: 20, request: 40, check: 5 }

/** A server with short timeouts, and clients. */
async function impatient() {
  const faults: unknown[] = []
  const worlds = new Worlds({ onFault: (fault) => faults.push(fault) })
  const app = buildServer({ worlds, timeouts: short })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await worlds.close()
  })
  const { port } = app.server.address() as { port: number }
  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    socket.write(bytes)
    return socket
  }
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  return { app, open, connections, faults, token: worlds.options.token }
}

const post = (path: string, token: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{'

describe('a request that does not come to its end', () => {
  test.each([
    ['in its body', (token: string) => post('/api/accounts', token)],
    ['in the body of a form', (token: string) => post('/oauth/token', token)],
    ['in its headers', () => 'GET /api/user HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
    ['before its first byte', () => ''],
  ])('%s gets 408 in the envelope, and its connection is closed', async (_, bytes) => {
    const { open, faults, token } = await impatient()

    const answer = await text(await open(bytes(token)))

    const [head, body] = answer.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(head).toMatch(/\r\nConnection: close$/)
    expect(JSON.parse(body ?? '')).toMatchObject({ success: false, data: null, errors: {} })
    expect(faults).toEqual([])
  })

  test('is answered so without a port, too, whether its body stops or trickles', async () => {
    const { app, token } = await impatient()
    const encoder = new TextEncoder()
    const bodies = {
      stops: new ReadableStream({ start: (controller) => controller.enqueue(encoder.encode('{')) }),
      trickles: new ReadableStream({
        async pull(controller) {
          await pause(5)
          controller.enqueue(encoder.encode(' '))
        },
      }),
    }
    for (const [way, body] of Object.entries(bodies)) {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const request = { method: 'POST', headers, body, duplex: 'half' } as const
      const to = { base: 'http://emulator', world: 'default' }
      const answer = await app.fetch('/api/accounts', request, to)
      expect([way, answer.status]).toEqual([way, 408])
      expect(await answer.json()).toMatchObject({ success: false, data: null, message: 'Request Timeout.', errors: {} })
    }
  })

  test('leaves no connection open, however many there are', async () => {
    const { open, connections, token } = await impatient()

    const sockets = await Promise.all(Array.from({ length: 200 }, () => open(post('/api/accounts', token))))

    await Promise.all(sockets.map((socket) => text(socket)))
    await vi.waitFor(async () => expect(await connections()).toBe(0), 10_000)
  })

  test.each([
    ['slow', post('/api/accounts', 'token')],
    ['no HTTP', 'HELO example.com\r\n\r\n'],
    ['slow and turned down', post('/api/accounts', 'no-such-token')],
  ])('leaves no connection to a client that never closes its end: %s', async (_, bytes) => {
    const { open, connections } = await impatient()

    const socket = await open(bytes)
    onTestFinished(() => {
      socket.destroy()
    })
    await once(socket.resume(), 'end')

    await vi.waitFor(async () => expect(await connections()).toBe(0), 10_000)
    expect(socket.writable).toBe(true)
  })

  test('and was turned down before its body is cut off all the same', async () => {
    const { open } = await impatient()

    const answer = await text(await open(post('/api/accounts', 'no-such-token')))

    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })
})

test('an emulator waits half a minute for a request', async () => {
  const worlds = new Worlds({})
  const { server } = buildServer({ worlds })
  onTestFinished(() => worlds.close())

  expect([server.headersTimeout, server.requestTimeout]).toEqual([15_000, 30_000])
})
