import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requestFaults } from '../../src/contract/index.ts'
import {
  connectEmulator,
  type Emulator,
  type EmulatorOptions,
  EmulatorRefusal,
  type EmulatorWorld,
  startEmulator,
} from '../../src/testing/index.ts'

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', clock: '2026-11-01T12:00:00Z', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

const authorized = ({ token }: Pick<EmulatorWorld, 'token'>) => ({ Authorization: `Bearer ${token}` })

const order = ({ token, accounts }: EmulatorWorld, members: object = {}): RequestInit => ({
  method: 'POST',
  headers: { ...authorized({ token }), 'Content-Type': 'application/json', 'X-Idempotency-Key': 'order-1' },
  body: JSON.stringify({
    source_account_id: accounts()[0]?.id,
    recipient_phone: '87000001',
    amount: 1000,
    ...members,
  }),
})

type Fetch = typeof fetch

/** Two equal worlds: one is reached over its port, the other by its own `fetch`, without a connection. */
async function twice(): Promise<readonly (readonly [EmulatorWorld, Fetch])[]> {
  const emulator = await start({ rngSeed: 1 })
  const options = { from: { seed: 'demo' }, rngStream: 'same' } as const
  const worlds = [await emulator.world({ ...options, port: 0 }), await emulator.world({ ...options, port: 0 })] as const
  const [one, other] = worlds
  return [
    [one, (path, init) => fetch(`${one.baseUrl}${path}`, init)],
    [other, (path, init) => other.fetch(`${other.baseUrl}${path}`, init)],
  ]
}

/** Result of a request that a program sees: parts of the answer, or of the error. */
async function seen(world: EmulatorWorld, work: Promise<Response>) {
  try {
    const response = await work
    const { status, statusText, ok, redirected, type } = response
    const headers = Object.fromEntries(response.headers)
    // Leaves out headers about the connection or the world.
    for (const name of ['connection', 'keep-alive', 'x-emulator-world']) delete headers[name]
    const body = await response.text().catch(described)
    return withoutPort(world, { status, statusText, ok, redirected, type, headers, url: response.url, body })
  } catch (error) {
    return described(error)
  }
}

function described(error: unknown) {
  const { name, message, cause } = error as Error
  return { name, message, code: (cause as NodeJS.ErrnoException | undefined)?.code }
}

/** Removes a world's address and id from a result. */
const withoutPort = (world: EmulatorWorld, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(world.baseUrl, '').replaceAll(world.worldId, 'world'))

const stream = (...pieces: readonly string[]): RequestInit => ({
  body: new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  }),
  duplex: 'half',
})

const requests: Readonly<Record<string, (world: EmulatorWorld) => readonly [path: string, init?: RequestInit]>> = {
  'a read': (world) => ['/api/accounts?per_page=1', { headers: authorized(world) }],
  'a read without a token': () => ['/api/accounts'],
  'a payment': (world) => ['/api/payments', order(world)],
  'a payment in a stream': (world) => {
    const { body, ...init } = order(world)
    return ['/api/payments', { ...init, ...stream(String(body).slice(0, 20), String(body).slice(20)) }]
  },
  'a stream that is not read': () => ['/api/payments', { method: 'POST', ...stream('{', '}') }],
  'a stream that fails': (world) => [
    '/api/payments',
    {
      ...order(world),
      body: new ReadableStream({ pull: () => Promise.reject(new Error('The disk is full')) }),
      duplex: 'half',
    },
  ],
  'a member that is not valid': (world) => ['/api/payments', order(world, { amount: -1 })],
  'a body that is not JSON': (world) => ['/api/payments', { ...order(world), body: '{' }],
  'a media type without a body': (world) => [
    '/api/payments',
    { method: 'POST', headers: { ...authorized(world), 'Content-Type': 'application/json' } },
  ],
  'an empty body with another media type': (world) => [
    '/api/accounts',
    { method: 'POST', headers: { ...authorized(world), 'Content-Type': 'text/plain' }, body: '' },
  ],
  'a body without a media type': (world) => [
    '/api/payments',
    { method: 'POST', headers: authorized(world), body: new TextEncoder().encode('{}') },
  ],
  'a body over 1 MiB': (world) => ['/api/payments', order(world, { description: 'x'.repeat(1024 * 1024) })],
  'a stream over 1 MiB': (world) => [
    '/api/payments',
    { ...order(world), ...stream(...Array.from({ length: 20 }, () => 'x'.repeat(100_000))) },
  ],
  'a length that is not a number': (world) => {
    const { headers, ...init } = order(world)
    return ['/api/payments', { ...init, headers: { ...headers, 'Content-Length': 'three' } }]
  },
  'headers that are too large': (world) => [
    '/api/accounts',
    { headers: { ...authorized(world), 'X-Large': 'x'.repeat(20_000) } },
  ],
  'a header that is not valid': () => ['/api/accounts', { headers: { 'X-Wrong': 'two\nlines' } }],
  'a body of a GET': () => ['/api/accounts', { body: '{}' }],
  HEAD: (world) => ['/api/accounts', { method: 'HEAD', headers: authorized(world) }],
  'a path that does not exist': () => ['/api/unknown'],
  'a path that can’t be decoded': () => ['/api/payments/%E0%A4%A'],
  'another method': () => ['/api/accounts', { method: 'DELETE' }],
  'the way up': (world) => ['/api/payments/../accounts', { headers: authorized(world) }],
  'a redirect that is followed': () => ['/_emulator'],
  'a redirect that is not': () => ['/_emulator', { redirect: 'manual' }],
  'a redirect that is an error': () => ['/_emulator', { redirect: 'error' }],
  'a page': () => ['/oauth/authorize?client_id=nobody'],
  'a control endpoint': () => ['/_emulator/fees'],
  'a control endpoint, from another page': () => ['/_emulator/clock', { headers: { Origin: 'https://shop.test' } }],
  'a name that the emulator does not have': (world) => [
    '/api/accounts',
    { headers: { ...authorized(world), 'X-Emulator-World': 'gone' } },
  ],
}

describe('without a socket, a program sees the same as at the port', () => {
  it.each(Object.entries(requests))('%s', async (_, request) => {
    const [port, none] = await Promise.all(
      (await twice()).map(async ([world, fetch]) => seen(world, fetch(...request(world)))),
    )
    expect(none).toEqual(port)
  })

  it.each(requestFaults)('the fault %s', async (fault) => {
    const [port, none] = await Promise.all(
      (await twice()).map(async ([world, fetch]) => {
        const delay = fault === 'hold_answer' ? { delay_ms: 20 } : {}
        await world.control.faults.add({ endpoint: 'payments.create', fault, ...delay })
        return seen(world, fetch('/api/payments', order(world)))
      }),
    )
    expect(none).toEqual(port)
  })

  it('in the log, too', async () => {
    const [port, none] = await Promise.all(
      (await twice()).map(async ([world, fetch]) => {
        await world.control.faults.add({ endpoint: 'payments.create', fault: 'truncate' })
        for (const request of ['a payment', 'a payment in a stream', 'a member that is not valid', 'HEAD'] as const) {
          await seen(world, fetch(...(requests[request]?.(world) ?? [''])))
        }
        const { data } = await world.control.requests.list()
        return data.map(({ duration_ms: _, id: __, ...request }) => request)
      }),
    )
    expect(none).toEqual(port)
  })
})

describe('a signal', () => {
  it('ends a request that waits, and the emulator stops waiting', async () => {
    const [, [world, fetch]] = (await twice()) as [unknown, readonly [EmulatorWorld, Fetch]]
    const stop = new AbortController()
    const body = JSON.stringify({ endpoint: 'payments.create', requests: 1, timeout_ms: 60_000 })
    const headers = { 'Content-Type': 'application/json' }
    const waiting = fetch('/_emulator/wait', { method: 'POST', headers, body, signal: stop.signal })
    setImmediate(() => stop.abort(new Error('Enough')))
    await expect(waiting).rejects.toThrow('Enough')
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    await world.close()
  })

  it('that is aborted sends nothing', async () => {
    const world = await start({ port: false })
    const init = { ...order(world), signal: AbortSignal.abort(new Error('Never')) }
    await expect(world.fetch('/api/payments', init)).rejects.toThrow('Never')
    await expect(world.fetch(new Request(`${world.baseUrl}/api/payments`, init))).rejects.toThrow('Never')
    expect((await world.control.requests.list()).data).toEqual([])
  })
})

describe('the stream of events', () => {
  it('is read as it comes, and ends when the reader leaves', async () => {
    const world = await start({ port: false })
    const stop = new AbortController()
    const response = await world.fetch('/_emulator/events', { signal: stop.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toContain('event: open')
    await world.fetch('/api/payments', order(world))
    expect((await reader?.read())?.value).toContain('event: payment')
    stop.abort(new Error('Enough'))
    await expect(reader?.read()).rejects.toThrow('Enough')
  })

  it('ends with the world', async () => {
    const emulator = await start({ port: false })
    const world = await emulator.world()
    const types: string[] = []
    for await (const { type } of world.events()) {
      types.push(type)
      if (type === 'open') void world.close()
    }
    expect(types).toEqual(['open', 'end'])
  })
})

describe('an emulator without a port', () => {
  it('has an address that leads nowhere, and worlds, clients and waits all the same', async () => {
    const emulator = await start({ port: false })
    const world = await emulator.world({ name: 'shop' })
    expect([emulator.baseUrl, world.baseUrl]).toEqual(['https://emulator.invalid', 'https://emulator.invalid/w/shop'])
    const { id } = await world.client.call('payments.create', {
      headers: { 'X-Idempotency-Key': 'k' },
      body: { source_account_id: world.accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
    })
    await world.control.clock.advance({ ms: 60_000 })
    await world.until.payment(id, 'completed')
    expect((await world.client.call('payments.history')).path).toBe(
      'https://emulator.invalid/w/shop/api/payments/history',
    )
    expect((await emulator.client.call('payments.history')).data).toEqual([])
  })

  it('listens nowhere', async () => {
    const { getActiveResourcesInfo } = process
    const servers = () => getActiveResourcesInfo().filter((name) => /TCP(SERVER|Socket)|Pipe/i.test(name)).length
    const before = servers()
    const emulator = await start({ port: false })
    await emulator.world()
    expect(servers()).toBe(before)
    await expect(emulator.world({ port: 0 })).rejects.toThrow('no port')
  })

  it('reports lost answers to its client as a connection does', async () => {
    const emulator = await start({ port: false })
    const lost = async (fault: 'reset' | 'lose_answer' | 'truncate') => {
      await emulator.control.faults.add({ endpoint: 'accounts.list', fault })
      return emulator.client.call('accounts.list').catch((error: Error) => [error.name, error.message])
    }
    expect([await lost('reset'), await lost('lose_answer'), await lost('truncate')]).toEqual([
      ['NetworkError', expect.stringContaining('the connection was reset')],
      ['NetworkError', expect.stringContaining('the connection was closed')],
      ['NetworkError', expect.stringContaining('the connection was closed')],
    ])
  })

  it('rejects requests after its end, and those under way', async () => {
    const emulator = await start({ port: false })
    const waiting = emulator.fetch('/_emulator/events')
    const response = await waiting
    await emulator.close()
    expect(await response.text()).toContain('event: end')
    const error = await emulator.fetch('/api/accounts').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } })
  })

  it('refuses an address to listen on', async () => {
    await expect(startEmulator({ port: false, host: '127.0.0.1' })).rejects.toThrow(EmulatorRefusal)
  })
})

it('a length that is wrong is an error, and nothing is done', async () => {
  const world = await start({ port: false })
  const { headers, ...init } = order(world)
  const paid = world.fetch('/api/payments', { ...init, headers: { ...headers, 'Content-Length': '3' } })
  await expect(paid).rejects.toMatchObject({ cause: { code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' } })
  expect((await world.client.call('payments.history')).data).toEqual([])
})

it('a URL of any origin leads to the world, and links lead back there', async () => {
  const emulator = await start({ port: false })
  const world = await emulator.world()
  const response = await world.fetch('https://bank.test/api/accounts?per_page=1', { headers: authorized(world) })
  const { data } = (await response.json()) as { readonly data: { readonly next_page_url: string } }
  expect(data.next_page_url).toBe('https://bank.test/api/accounts?page=2')
  expect((await world.control.requests.list()).data).toHaveLength(1)
})

it('a world of an emulator in another process is asked over its port', async () => {
  const emulator = await start()
  const connected = await connectEmulator({ url: emulator.baseUrl })
  onTestFinished(() => connected.close())
  const world = await connected.world()
  const response = await world.fetch('https://bank.test/api/payments', order(world))
  expect(response.status).toBe(201)
  expect((await world.control.requests.list()).data).toHaveLength(1)
  expect((await connected.fetch(new Request('https://bank.test/api/accounts'))).status).toBe(401)
  await world.close()
  expect((await world.fetch('/api/accounts')).status).toBe(410)
  expect(() => world.receive('https://shop.test/hook', () => new Response())).toThrow('another process')
})
