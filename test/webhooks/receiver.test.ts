import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { Delivery } from '../../src/webhooks/delivery.ts'
import { newSecret, secretHeader, startReceiver } from '../../src/webhooks/receiver.ts'

async function start() {
  const [secret, deliveries]: [string, Delivery[]] = [newSecret(), []]
  const receiver = await startReceiver({
    port: 0,
    secret,
    onDelivery: async (delivery) => {
      deliveries.push(delivery)
      return { status: 200 }
    },
  })
  onTestFinished(() => receiver.close(0))
  return { secret, deliveries, at: (host: string) => `http://${host}:${receiver.port}/tail` }
}

it('hears this machine alone, by its one address', async () => {
  const { at } = await start()

  expect((await fetch(at('127.0.0.1'), { method: 'POST' })).status).toBe(401)
  await expect(fetch(at('127.0.0.2'), { method: 'POST' })).rejects.toThrow('fetch failed')
})

it('takes a delivery by the whole secret only', async () => {
  const { secret, deliveries, at } = await start()
  const post = async (given: string) => {
    const headers = { [secretHeader]: given }
    return (await fetch(at('127.0.0.1'), { method: 'POST', headers, body: '{}' })).status
  }
  const nearly = [
    '',
    secret.slice(0, 1),
    secret.slice(0, -1),
    `${secret}x`,
    secret.toUpperCase(),
    `${secret.startsWith('x') ? 'y' : 'x'}${secret.slice(1)}`,
  ]

  for (const given of nearly) expect(await post(given), given).toBe(401)
  expect(deliveries).toEqual([])
  expect(await post(secret)).toBe(200)
  expect(deliveries).toHaveLength(1)
})

it('asks nobody without the secret for a body', async () => {
  const { secret, at } = await start()
  const asked = async (given: string) => {
    const headers = { Expect: '100-continue', 'Content-Length': 2, [secretHeader]: given }
    const sending = request(at('127.0.0.1'), { method: 'POST', headers, agent: false })
    const told: string[] = []
    sending.on('continue', () => {
      told.push('continue')
      sending.end('{}')
    })
    sending.flushHeaders()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    response.resume()
    sending.destroy()
    return [...told, response.statusCode]
  }

  expect(await asked('guess')).toEqual([401])
  expect(await asked(secret)).toEqual(['continue', 200])
})

it.each([
  [1024 * 1024, 200],
  [1024 * 1024 + 1, 413],
])('of a body of %i bytes, whose length nobody told, it says %i', async (bytes, status) => {
  const { secret, deliveries, at } = await start()
  const body = new Blob([Buffer.alloc(bytes, 32)]).stream()

  const headers = { [secretHeader]: secret }
  const answer = await fetch(at('127.0.0.1'), { method: 'POST', headers, body, duplex: 'half' } as RequestInit)

  expect(answer.status).toBe(status)
  expect(deliveries.map((delivery) => delivery.body.length)).toEqual(status === 200 ? [bytes] : [])
})
