import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { connectEmulator, type Emulator, type EmulatorOptions, startEmulator } from '../../src/testing/index.ts'
import { handlers } from '../../src/testing/msw.ts'

const bank = 'https://bank.test/v1'
const server = setupServer()

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', port: false, ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

const authorized = { Authorization: 'Bearer payctl-demo-token' }

it('a program pays at the URL of its bank', async () => {
  const world = await (await start()).world()
  server.use(...handlers(world, { baseUrl: bank }))
  const response = await fetch(`${bank}/api/payments`, {
    method: 'POST',
    headers: { ...authorized, 'Content-Type': 'application/json', 'X-Idempotency-Key': 'order-1' },
    body: JSON.stringify({ source_account_id: world.accounts()[0]?.id, recipient_phone: '87000001', amount: 1000 }),
  })
  expect(response.status).toBe(201)
  const { data } = await world.control.requests.list()
  expect(data).toMatchObject([{ endpoint: 'payments.create', idempotency_key: 'order-1' }])
  const { body } = await world.control.requests.get({ id: data[0]?.id ?? '' })
  expect(body).toMatchObject({ amount: 1000 })
})

it('links in answers lead back to the bank', async () => {
  server.use(...handlers(await start(), { baseUrl: 'https://bank.test' }))
  const response = await fetch('https://bank.test/api/accounts?per_page=1', { headers: authorized })
  const { data } = (await response.json()) as { readonly data: { readonly next_page_url: string } }
  expect((await fetch(data.next_page_url, { headers: authorized })).status).toBe(200)
})

it('only requests below the URL are answered', async () => {
  server.use(...handlers(await start(), { baseUrl: bank }))
  await expect(fetch('https://bank.test/v10/api/accounts')).rejects.toThrow(TypeError)
  expect((await fetch(`${bank}?page=1`)).status).toBe(404)
})

it.each(['reset', 'lose_answer'] as const)('the fault %s loses the answer', async (fault) => {
  const world = await start()
  server.use(...handlers(world, { baseUrl: bank }))
  await world.control.faults.add({ endpoint: 'accounts.list', fault })
  await expect(fetch(`${bank}/api/accounts`, { headers: authorized })).rejects.toThrow(TypeError)
})

it('the fault truncate breaks the body', async () => {
  const world = await start()
  server.use(...handlers(world, { baseUrl: bank }))
  await world.control.faults.add({ endpoint: 'accounts.list', fault: 'truncate' })
  const response = await fetch(`${bank}/api/accounts`, { headers: authorized })
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
})

it('a redirect is the program’s to follow', async () => {
  server.use(...handlers(await start(), { baseUrl: bank }))
  const response = await fetch(`${bank}/_emulator`, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([308, '_emulator/'])
})

it('the client of this library, which uses sockets, is answered', async () => {
  server.use(...handlers(await start(), { baseUrl: bank }))
  const client = createClient({ baseUrl: bank, token: 'payctl-demo-token' })
  onTestFinished(() => client.close())
  expect((await client.call('accounts.list')).data).toHaveLength(2)
})

it('an emulator in another process is asked over its port, past the handlers', async () => {
  const emulator = await start({ port: 0 })
  server.use(...handlers({ baseUrl: emulator.baseUrl }, { baseUrl: bank }))
  const connected = await connectEmulator({ url: emulator.baseUrl })
  onTestFinished(() => connected.close())
  for (const world of [connected, { baseUrl: emulator.baseUrl }]) {
    server.resetHandlers(...handlers(world, { baseUrl: bank }))
    expect((await fetch(`${bank}/api/accounts`, { headers: authorized })).status).toBe(200)
  }
  server.resetHandlers(...handlers({ baseUrl: emulator.baseUrl }, { baseUrl: 'http://bank.test' }))
  const request = http.request('http://bank.test/api/accounts', { headers: authorized }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect([response.statusCode, JSON.parse(await text(response)).success]).toEqual([200, true])
})
