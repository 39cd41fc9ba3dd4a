import { AssertionError } from 'node:assert'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  BreachError,
  connectEmulator,
  type EmulatorOptions,
  type EmulatorWorld,
  startEmulator,
} from '../../src/testing/index.ts'
import '../../src/testing/vitest.ts'

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close().catch(() => {}))
  return emulator
}

/** Sends a payment with any key and body, like a program under test. */
const post = (
  { baseUrl, token, accounts }: Pick<EmulatorWorld, 'baseUrl' | 'token' | 'accounts'>,
  body: object,
  headers: Record<string, string> = { 'X-Idempotency-Key': 'order-1' },
) =>
  fetch(`${baseUrl}/api/payments`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ source_account_id: accounts()[0]?.id, recipient_phone: '87000001', amount: 1000, ...body }),
  })

/** Message of the error that `work` throws, without colours. */
async function messageOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.fail('nothing was thrown'),
    (thrown: Error) => thrown,
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
  return error.message.replace(/\x1b\[\d+m/g, '')
}

describe('assertions of a world', () => {
  it('hold for what the program did', async () => {
    const world = await (await start()).world()
    await post(world, {})
    await world.assert.received('payments.create', { times: 1, key: 'order-1', body: { amount: 1000 } })
    await world.assert.paid('8700 0001', 1000, { currency: 'CRC' })
    await world.assert.balanced()
    await expect(world).toHaveReceived('payments.create', { key: 'order-1' })
    await expect(world).toHavePaid('87000001', 1000)
    await expect(world).toBeBalanced()
    await expect(world).not.toHaveReceived('payments.get')
    await expect(world).not.toHaveDelivered('payment.completed')
    await expect(world).not.toHavePaid('87000001', 2000)
    await expect(world).not.toHaveReceived('payments.create', { times: 2 })
  })

  it('show what came, nearest first, in an AssertionError', async () => {
    const world = await (await start()).world()
    await world.client.call('accounts.list')
    await post(world, { amount: 2000 })
    const failure = world.assert.received('payments.create', { times: 1, key: 'order-2', body: { amount: 2000 } })
    await expect(failure).rejects.toBeInstanceOf(AssertionError)
    await expect(failure).rejects.toMatchObject({
      expected: { endpoint: 'payments.create', key: 'order-2', body: { amount: 2000 } },
      actual: { endpoint: 'payments.create', key: 'order-1', body: { amount: 2000 } },
    })
    expect(await messageOf(failure)).toBe(
      [
        'Expected 1 request to payments.create: one came, but does not match.',
        "r2, POST /api/payments, 201:\n- key: 'order-2'\n+ key: 'order-1'",
        [
          'r1, GET /api/accounts, 200:',
          "- endpoint: 'payments.create'\n+ endpoint: 'accounts.list'",
          "- key: 'order-2'\n+ key: null",
          '- body: { amount: 2000 }\n+ body: undefined',
        ].join('\n'),
      ].join('\n\n'),
    )
  })

  it('fail as matchers with the difference of the runner', async () => {
    const world = await (await start()).world()
    await post(world, { amount: 2000 })
    const failure = expect(world).toHaveReceived('payments.create', { body: { amount: 1000 } })
    const message = await messageOf(failure)
    expect(message).toContain('expect(world).toHaveReceived(payments.create)')
    expect(message).toContain('r1, POST /api/payments, 201:\n- Expected\n+ Received\n')
    expect(message).toMatch(/-\s+"amount": 1000,\n\+\s+"amount": 2000,/)
  })

  it('refuse a payee who was paid twice, also negated', async () => {
    const world = await (await start()).world()
    for (const key of ['1', '2']) await post(world, {}, { 'X-Idempotency-Key': key })
    const [once, never] = [expect(world).toHavePaid('87000001', 1000), expect(world).not.toHavePaid('87000001', 1000)]
    expect(await messageOf(once)).toContain('Expected 1 payment of 10.00 to 87000001: 2 match.')
    expect(await messageOf(never)).toContain('Expected no payment of 10.00 to 87000001: 2 match.')
    const twice = expect(world).not.toHavePaid('87000001', 1000, { times: 2 })
    expect(await messageOf(twice)).toContain('Expected anything but 2 payments of 10.00 to 87000001: 2 match.')
  })

  it('refuse what is not a world, and matchers in a body', async () => {
    const world = await (await start()).world()
    await expect(expect({}).toBeBalanced()).rejects.toThrow('toBeBalanced takes a world of payctl/emulator')
    const any = { body: { amount: expect.any(Number) } }
    await expect(expect(world).toHaveReceived('payments.create', any)).rejects.toThrow('can’t be sent to the emulator')
  })

  it('are the same over HTTP', async () => {
    const { controlUrl } = await start()
    await using emulator = await connectEmulator({ url: controlUrl })
    await post(emulator, {})
    await expect(emulator).toHavePaid('87000001', 1000)
    await expect(emulator.assert.received('payments.get')).rejects.toBeInstanceOf(AssertionError)
  })
})

describe('a strict world', () => {
  /** Ends a world; returns the kinds of its breaches. */
  const breachesAtEnd = (world: EmulatorWorld) =>
    world.close().then(
      () => [],
      (error: unknown) => (error instanceof BreachError ? error.breaches.map(({ kind }) => kind) : error),
    )

  it('ends without an error if the program kept to the contract', async () => {
    const world = await (await start({ strict: true })).world()
    expect((await post(world, {})).status).toBe(201)
    expect(await breachesAtEnd(world)).toEqual([])
  })

  it('answers as the service does, and ends with the breaches', async () => {
    const world = await (await start()).world({ strict: true, name: 'shop' })
    expect((await post(world, { descripcion: 'x' })).status).toBe(201)
    expect((await post(world, {}, {})).status).toBe(400)
    const breaches = await world.breaches()
    expect(breaches).toMatchObject([{ kind: 'unknown_member', request: 'r1' }, { kind: 'missing_key' }])
    expect(await messageOf(world.close())).toBe(
      [
        '2 breaches of the contract:',
        'r1 POST /api/payments to shop, 201: descripcion: not known, and ignored',
        'r2 POST /api/payments to shop, 400: a payment must have a key',
      ].join('\n  '),
    )
    expect((await fetch(`${world.baseUrl}/api/user`)).status).toBe(410)
  })

  it.for([
    ['the token of another world', 'other_world'],
    ['the account of another user', 'other_user'],
    ['the default world, without a name', 'default_world'],
    ['a world that has ended', 'late'],
  ] as const)('ends with a breach after a request with %s', async ([, kind]) => {
    const emulator = await start({ strict: true })
    const [world, other] = [await emulator.world({ strict: true }), await emulator.world({ strict: false })]
    if (kind === 'other_world') {
      const { id } = await other.control.users.create({ name: 'Ana' })
      const { token } = await other.control.tokens.mint({ user: id })
      await post({ ...world, token }, {})
    } else if (kind === 'other_user') {
      const { id } = await world.control.users.create({ name: 'Ana' })
      const { token } = await world.control.tokens.mint({ user: id })
      await post({ ...world, token }, {})
    } else if (kind === 'late') {
      await other.close()
      await post(other, {})
    } else await post(emulator, {})
    expect(await breachesAtEnd(world)).toEqual([kind])
    expect(await breachesAtEnd(other)).toEqual([])
  })

  it('keeps its breaches over a reset, and may be one of a lenient emulator, or the reverse', async () => {
    const emulator = await start({ strict: true })
    const [strict, lenient] = [await emulator.world(), await emulator.world({ strict: false })]
    for (const world of [strict, lenient]) await post(world, {}, {})
    await strict.control.reset()
    expect([strict.strict, lenient.strict]).toEqual([true, false])
    expect(await breachesAtEnd(strict)).toEqual(['missing_key'])
    expect(await breachesAtEnd(lenient)).toEqual([])
  })

  it('is the default world of a strict emulator too', async () => {
    const emulator = await startEmulator({ strict: true, settle: 'manual' })
    await post(emulator, {}, {})
    await expect(emulator.close()).rejects.toThrow('1 breach of the contract:\n  r1 POST /api/payments to default, 400')
  })
})
