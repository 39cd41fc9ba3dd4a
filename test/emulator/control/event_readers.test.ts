import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { buildServer } from '../../../emulator/server.ts'
import { Worlds } from '../../../emulator/worlds/worlds.ts'
import { controlEndpoints } from '../../../src/contract/index.ts'
import { ManualTime } from '../../support/manual_time.ts'

/** A server, and connections to it that read when the test says so. */
async function start(time?: ManualTime) {
  const worlds = new Worlds({ rateLimit: null, ...(time && { machineTime: time }) })
  const app = buildServer({ worlds })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await worlds.close()
  })
  const { port } = app.server.address() as { port: number }
  const { path } = controlEndpoints['control.events']
  const read = async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    let text = ''
    socket.setEncoding('utf8').on('data', (more) => {
      text += more
    })
    const shows = async (pattern: RegExp) => {
      while (!pattern.test(text)) await once(socket, 'data')
    }
    await shows(/event: open\n/)
    return { socket, shows, text: () => text }
  }
  return { read, url: `http://127.0.0.1:${port}`, token: worlds.options.token }
}

it('a reader that does not read gets resync, and does not delay others', async () => {
  const { read, url, token } = await start()
  const [slow, quick] = [await read(), await read()]
  slow.socket.pause()
  const send = (query: string) =>
    fetch(`${url}/api/payments/history?channel=${query}`, { headers: { Authorization: `Bearer ${token}` } })
  // Events contain the queries: together they are larger than the buffers of a connection.
  const [long, count] = ['x'.repeat(8000), 3000]
  for (let sent = 0; sent < count; sent += 50) await Promise.all(Array.from({ length: 50 }, () => send(long)))
  await quick.shows(new RegExp(`"id":"r${count}"`))
  expect(quick.text()).not.toContain('resync')
  slow.socket.resume()
  await slow.shows(/event: resync\n/)
  expect(slow.text()).not.toContain(`"id":"r${count}"`)
  await send('pin')
  await slow.shows(new RegExp(`"id":"r${count + 1}"`))
  const [, after = ''] = slow.text().split('event: resync\n')
  expect(after).toMatch(/^data: .*"reason":"slow"/)
  expect([...after.matchAll(/"request":\{"id":"(r\d+)"/g)].map(([, id]) => id)).toEqual([`r${count + 1}`])
})

it('a silent stream gets a comment every 15 s, and ends a minute after its last reader', async () => {
  const time = new ManualTime(Date.UTC(2026, 0, 5))
  const { read } = await start(time)
  const timers = time.waiting
  const { socket, shows, text } = await read()
  time.advance(14_999)
  time.advance(1)
  await shows(/\n:\n\n/)
  time.advance(15_000)
  await shows(/\n:\n\n[\s\S]*\n:\n\n/)
  expect(text()).not.toContain('resync')
  expect(time.waiting).toBe(timers + 1)
  socket.destroy()
  await expect
    .poll(() => {
      time.advance(60_000)
      return time.waiting
    })
    .toBe(timers)
})
