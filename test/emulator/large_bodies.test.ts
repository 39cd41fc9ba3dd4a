import { request } from 'node:http'
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
