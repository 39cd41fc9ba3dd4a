import { createHmac } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import {
  type EmulatorOptions,
  EmulatorRefusal,
  type EmulatorWorld,
  type ReceivingFunction,
  startEmulator,
} from '../../src/testing/index.ts'

const hook = 'https://shop.test/hook'

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ port: false, settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  const world = await emulator.world()
  return { emulator, world }
}

async function subscribe({ client }: EmulatorWorld, url = hook): Promise<string> {
  const { secret } = await client.call('webhooks.create', {
    body: { url, events: ['payment.completed'], max_attempts: 3, timeout: 5, headers: { 'X-Shop': 'Café' } },
  })
  return secret
}

/** Sends a payment and lets it end. */
async function pay({ client, control, accounts }: EmulatorWorld, key = 'order-1'): Promise<string> {
  const { id } = await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': key },
    body: { source_account_id: accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
  })
  await control.clock.advance({ ms: 60_000 })
  return id
}

const deliveriesOf = async ({ control }: EmulatorWorld) => {
  const { data } = await control.deliveries.list()
  const [first] = data
  return first && { ...first, attempts: (await control.deliveries.get({ id: first.id })).history }
}

it('a function gets nothing of a later world of the same name, and the end of its world removes no other function', async () => {
  const { emulator } = await start()
  const taken: string[] = []
  const take = (by: string) => () => {
    taken.push(by)
    return new Response()
  }
  const first = await emulator.world({ name: 'shop' })
  first.receive(hook, take('first'))
  await emulator.control.worlds.delete({ name: 'shop' })
  const second = await emulator.world({ name: 'shop' })
  await subscribe(second)
  await pay(second)
  expect(taken).toEqual([])

  second.receive(hook, take('second'))
  await first.close()
  await pay(second, 'order-2')
  expect(taken).toContain('second')
  expect(taken).not.toContain('first')
})

it('a function gets a delivery as a signed request, and its answer counts', async () => {
  const { world } = await start({ signDeliveries: 'X-Signature' })
  const secret = await subscribe(world, `${hook}?shop=7`)
  const requests: Request[] = []
  const bodies: string[] = []
  world.receive(hook, async (request) => {
    requests.push(request)
    bodies.push(await request.text())
    return new Response('Thank you', { status: 202 })
  })
  const id = await pay(world)
  const [request] = requests
  expect(requests).toHaveLength(1)
  expect(request?.url).toBe(`${hook}?shop=7`)
  expect(request?.method).toBe('POST')
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ event: 'payment.completed', data: { id } })
  const signature = createHmac('sha256', secret)
    .update(bodies[0] ?? '')
    .digest('hex')
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(bodies[0]?.length),
    'x-signature': signature,
    'x-webhook-attempt': '1',
  })
  expect(await deliveriesOf(world)).toMatchObject({
    status: 'delivered',
    attempts: [{ status: 202, error: null, answer: 'Thank you' }],
  })
})

const bad: Readonly<Record<string, readonly [ReceivingFunction, object]>> = {
  'answers an error': [() => new Response('Later', { status: 503 }), { status: 503, error: 'Answered 503' }],
  redirects: [
    () => Response.redirect('https://shop.test/other'),
    { status: 302, error: 'Answered 302: redirects are not followed' },
  ],
  throws: [
    () => {
      throw new Error('The shop is closed')
    },
    { status: null, error: 'The shop is closed' },
  ],
  rejects: [() => Promise.reject(new Error('The shop is closed')), { status: null, error: 'The shop is closed' }],
  'does not answer': [
    () => new Promise(() => {}),
    { status: null, error: 'No answer within 50 ms, the limit while the clock is moved' },
  ],
  'returns something else': [
    () => 200 as unknown as Response,
    { status: null, error: 'The receiving function did not return a Response' },
  ],
  'never ends its answer': [
    () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
    { status: 200, error: null, answer: null },
  ],
}

it.each(Object.entries(bad))('a function that %s is tried again as over the network', async (_, [take, attempt]) => {
  const { world } = await start()
  await subscribe(world)
  let isBad = true
  world.receive(hook, (request) => {
    if (!isBad) return new Response()
    isBad = false
    return take(request)
  })
  const { client, control, accounts } = world
  await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'order-1' },
    body: { source_account_id: accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
  })
  await control.clock.advance({ ms: 60_000, delivery_timeout_ms: 50 })
  await control.clock.advance({ ms: 60 * 60_000 })
  const delivery = await deliveriesOf(world)
  expect(delivery?.status).toBe('delivered')
  expect(delivery?.attempts[0]).toMatchObject(attempt)
})

it('faults of deliveries apply', async () => {
  const { world } = await start()
  await subscribe(world)
  let count = 0
  world.receive(hook, () => {
    count += 1
    return new Response()
  })
  await world.control.faults.add({ fault: 'duplicate' })
  await pay(world)
  expect(count).toBe(2)
})

it('a receiver that pays during a delivery uses the world while the delivery waits', async () => {
  const { world } = await start()
  await subscribe(world)
  world.receive(hook, async () => {
    const answer = await world.fetch('/api/accounts', { headers: { Authorization: `Bearer ${world.token}` } })
    return new Response(null, { status: answer.status })
  })
  await pay(world)
  expect(await deliveriesOf(world)).toMatchObject({ status: 'delivered' })
})

it('each world has its own functions, which outlive a reset and end with it', async () => {
  const { emulator, world } = await start()
  const other = await emulator.world()
  const calls: string[] = []
  for (const each of [world, other]) {
    each.receive(hook, () => {
      calls.push(each.name)
      return new Response()
    })
  }
  await world.control.reset()
  await subscribe(world)
  await pay(world)
  expect(calls).toEqual([world.name])
})

it('a function is given back, or replaced by the next', async () => {
  const { world } = await start()
  await subscribe(world)
  const calls: string[] = []
  const named = (name: string) => () => {
    calls.push(name)
    return new Response()
  }
  const stopFirst = world.receive(hook, named('first'))
  const stopSecond = world.receive(hook, named('second'))
  stopFirst()
  await pay(world)
  stopSecond()
  await world.control.faults.clear()
  await pay(world, 'order-2')
  expect(calls).toEqual(['second'])
})

it('takes only URLs that a subscription can have', async () => {
  const { world } = await start()
  expect(() => world.receive('shop', () => new Response())).toThrow(EmulatorRefusal)
})
