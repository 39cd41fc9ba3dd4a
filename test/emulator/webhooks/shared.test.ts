import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { type EmulatorWorld, startEmulator } from '../../../src/testing/index.ts'
import { listen } from '../../support/server.ts'

/** A receiver that counts its connections. The receiver does not answer a delivery to `/hangs`. */
async function receiver() {
  const seen = { connections: 0, deliveries: 0 }
  const hanging: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    await request.resume().toArray()
    seen.deliveries += 1
    if (request.url === '/hangs') hanging.push(request)
    else response.end()
    server.emit('delivery')
  })
  server.on('connection', () => {
    seen.connections += 1
  })
  const port = await listen(server)
  return { seen, hanging, server, url: `http://127.0.0.1:${port}` }
}

async function payIn({ baseUrl, token, accounts }: EmulatorWorld, url: string) {
  const client = createClient({ baseUrl, token })
  await client.call('webhooks.create', { body: { url, events: ['payment.created'] } })
  await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'k' },
    body: { source_account_id: String(accounts()[0]?.id), recipient_phone: '87000001', amount: 1000 },
  })
  await client.close()
}

test('worlds share connections to a receiver, and one that ends takes only its own deliveries along', async () => {
  const target = await receiver()
  await using emulator = await startEmulator({ settle: 'manual' })
  const hangs = await emulator.world()
  await payIn(hangs, `${target.url}/hangs`)
  while (target.hanging.length === 0) await once(target.server, 'delivery')

  for (let count = 0; count < 20; count++) {
    const world = await emulator.world()
    await payIn(world, `${target.url}/${count}`)
    await world.control.wait({ deliveries: 1 })
    if (count % 2 === 0) await world.close()
  }
  expect(target.seen).toEqual({ connections: 2, deliveries: 21 })

  const [hanging] = target.hanging as [IncomingMessage]
  const closed = once(hanging.socket, 'close')
  await hangs.close()
  await closed
})
