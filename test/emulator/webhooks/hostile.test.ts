import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { receiver } from '../../support/receiver.ts'
import { world } from './world.ts'

/** A server that treats connections as `treat` says. */
async function rogue(treat: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    treat(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('a hostile receiver', () => {
  test('that resets the connection costs one attempt', async () => {
    await using target = await rogue((socket) => socket.once('data', () => socket.resetAndDestroy()))
    await using here = await world()
    const { id } = await here.subscribe(`http://127.0.0.1:${target.port}/`, ['payment.created'], { max_attempts: 1 })
    await here.pay()
    await here.advance(1)
    expect((await here.subscription(id)).suspended_reason).toMatch(/^Delivery failed 1 times: /)
    expect(here.faults).toEqual([])
  })

  test('that answers garbage to TLS, or to HTTP, costs one attempt', async () => {
    await using target = await rogue((socket) => socket.once('data', () => socket.end('garbage\0\r\n\r\n')))
    await using here = await world()
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://127.0.0.1:${target.port}/`
      const { id } = await here.subscribe(url, ['payment.created'], { max_attempts: 1 })
      await here.pay()
      await here.advance(1)
      expect((await here.subscription(id)).active).toBe(false)
    }
    expect(here.faults).toEqual([])
  })

  test('with an endless answer is cut off, and 200 is 200', async () => {
    let written = 0
    await using target = await rogue((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
        const pour = () => {
          if (socket.destroyed) return
          written += chunk.length
          socket.write(chunk, pour)
        }
        pour()
      }),
    )
    await using here = await world()
    const { id } = await here.subscribe(`http://127.0.0.1:${target.port}/`, ['payment.created'])
    await here.pay()
    await here.advance(1)
    expect(await here.subscription(id)).toMatchObject({ active: true, last_sent_at: expect.any(String) })
    expect(written).toBeLessThan(16 * 1024 * 1024)
  })

  test('that says nothing is given up after its timeout and holds up nobody else', async () => {
    await using silent = await rogue(() => {})
    await using quick = await receiver()
    await using here = await world()
    const { id } = await here.subscribe(`http://127.0.0.1:${silent.port}/`, ['payment.created'], {
      timeout: 5,
      max_attempts: 1,
    })
    await here.subscribe(quick.url, ['payment.created'])
    for (let sent = 0; sent < 40; sent++) await here.pay()
    await quick.until(40) // must take less than the silent receiver's five seconds
    expect((await here.subscription(id)).active).toBe(true)
    await here.advance(0)
    expect((await here.subscription(id)).suspended_reason).toMatch(/No answer within 5 s/)
  }, 30_000)
})
