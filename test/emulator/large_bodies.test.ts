import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../src/testing/index.ts'

const mebibyte = 1024 * 1024

/** Sends a body; resolves with the status. */
const post = (url: string, body: Buffer) =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject).end(body)
  })

it('the memory of large bodies is free once they were answered', async () => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const body = Buffer.alloc(mebibyte, 'x')
  const url = `${emulator.baseUrl}/_emulator/sql`
  await post(url, body)
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 10; count += 1) expect(await post(url, body)).toBe(400)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * mebibyte)
})

const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

it.each([
  ['with its length', `Content-Length: ${8 * mebibyte}`, Buffer.alloc(8 * mebibyte, 'x')],
  [
    'in chunks',
    'Transfer-Encoding: chunked',
    Buffer.concat([...Array(8).fill(chunk(Buffer.alloc(mebibyte, 'x'))), Buffer.from('0\r\n\r\n')]),
  ],
])(
  'a client that sends a body over the limit %s can send all of it, and then the next request',
  async (_, framing, body) => {
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    const { hostname, port } = new URL(emulator.baseUrl)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    const head = `Host: ${hostname}:${port}\r\nAuthorization: Bearer ${emulator.token}\r\n`
    socket.write(`POST /api/accounts HTTP/1.1\r\n${head}Content-Type: application/json\r\n${framing}\r\n\r\n`)
    socket.write(body)
    socket.write(`GET /api/user HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
    const answers = await text(socket)
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['413', '200'])
  },
)
