import { describe, expect, test } from 'vitest'
import { receiver } from '../../support/receiver.ts'
import { startTcp } from '../../support/stub.ts'
import { world } from './world.ts'

describe('a hostile receiver', () => {
  test('that resets the connection costs one attempt', async () => {
    const target = await startTcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    await using here = await world()
    const { id } = await here.subscribe(`${target}/`, ['payment.created'], { max_attempts: 1 })
    await here.pay()
    await here.advance(1)
    expect((await here.subscription(id)).suspended_reason).toMatch(/^Delivery failed 1 times: /)
    expect(here.faults).toEqual([])
  })

  test('that answers garbage to TLS, or to HTTP, costs one attempt', async () => {
    const target = await startTcp((socket) => socket.once('data', () => socket.end('garbage\0\r\n\r\n')))
    await using here = await world()
    for (const url of [`${target}/`, `${target.replace('http', 'https')}/`]) {
      const { id } = await here.subscribe(url, ['payment.created'], { max_attempts: 1 })
      await here.pay()
      await here.advance(1)
      expect((await here.subscription(id)).active).toBe(false)
    }
    expect(here.faults).toEqual([])
  })

  test('with an endless answer is cut off, and 200 is 200', async () => {
    let written = 0
    const target = await startTcp((socket) =>
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
    const { id } = await here.subscribe(`${target}/`, ['payment.created'])
    await here.pay()
    await here.advance(1)
    expect(await here.subscription(id)).toMatchObject({ active: true, last_sent_at: expect.any(String) })
    expect(written).toBeLessThan(16 * 1024 * 1024)
  })

  test('is given up after its timeout if it sends nothing, and does not delay others', async () => {
    const silent = await startTcp(() => {})
    await using quick = await receiver()
    await using here = await world()
    const { id } = await here.subscribe(`${silent}/`, ['payment.created'], {
      timeout: 5,
      max_attempts: 1,
    })
    await here.subscribe(quick.url, ['payment.created'])
    for (let sent = 0; sent < 40; sent++) await here.pay()
    await quick.until(40) // in less than 5 s, before the silent receiver's delivery fails
    expect((await here.subscription(id)).active).toBe(true)
    await here.advance(0)
    expect((await here.subscription(id)).suspended_reason).toMatch(/No answer within 5 s/)
  }, 30_000)
})
