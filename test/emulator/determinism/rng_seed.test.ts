import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { type EmulatorOptions, EmulatorRefusal, type EmulatorWorld, startEmulator } from '../../../src/testing/index.ts'
import { serve } from '../../support/server.ts'

const start = async (options: EmulatorOptions = {}) => {
  const emulator = await startEmulator({ settle: 'manual', rngSeed: 7, clock: '2030-01-05T12:00:00Z', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Random values of a world: ids, a token, the secrets of a client and a subscription, the id of a delivery. */
async function drawn(world: Pick<EmulatorWorld, 'baseUrl' | 'token' | 'control' | 'accounts'>) {
  const { baseUrl, token, control, accounts } = world
  const client = createClient({ baseUrl, token })
  onTestFinished(() => client.close())
  const account = await client.call('accounts.create', { body: { currency: 'CRC' } })
  const subscription = await client.call('webhooks.create', {
    body: { url: `http://127.0.0.1:1/${account.id}`, events: ['payment.created'] },
  })
  const payment = await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': `k-${account.id}` },
    body: { source_account_id: accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 },
  })
  const minted = await control.tokens.mint({})
  const app = await control.clients.create({ name: 'shop', redirect_uris: ['http://127.0.0.1/'] })
  const { seed } = await control.faults.add({ endpoint: 'accounts.balance', status: 503, probability: 0.5 })
  return { account, subscription, payment, minted, app, seed }
}

describe('a seed of random values', () => {
  it('gives the same in every emulator, and another seed other values', async () => {
    const [one, two, other] = [await start(), await start({ rngSeed: '7' }), await start({ rngSeed: 8 })]
    const [first, second, third] = [await drawn(one), await drawn(two), await drawn(other)]

    expect(second).toEqual(first)
    expect(two.worldId).toBe(one.worldId)
    expect(other.worldId).not.toBe(one.worldId)
    for (const [kind, value] of Object.entries(third)) expect(value).not.toEqual(first[kind as 'account'])
    expect(third.subscription.secret).toMatch(/^[A-Za-z0-9]{32}$/)
  })

  it('gives each world its own values by its name, in whatever order worlds are made', async () => {
    const of = async (names: readonly string[]) => {
      const emulator = await start()
      const worlds = await Promise.all(names.map((name) => emulator.world({ name })))
      return Object.fromEntries(await Promise.all(worlds.map(async (world) => [world.name, await drawn(world)])))
    }
    const worlds = await of(['a', 'b', 'c'])

    expect(await of(['c', 'b', 'a'])).toEqual(worlds)
    expect(new Set(['a', 'b', 'c'].map((name) => worlds[name]?.payment.id)).size).toBe(3)
  })

  it('gives a world the values of its stream, whatever its name, after a reset and a restart too', async () => {
    const of = async (emulator: Awaited<ReturnType<typeof start>>, name?: string) => {
      const world = await emulator.world({ ...(name !== undefined && { name }), rngStream: 'checkout: pays twice' })
      return [world, await drawn(world)] as const
    }
    const folder = mkdtempSync(join(tmpdir(), 'payctl-streams-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const emulator = await start({ worlds: folder })
    const [[first, values], [other, others]] = [await of(emulator, 'a'), await of(emulator)]
    expect(others).toEqual(values)
    expect(other.worldId).not.toBe(first.worldId)
    expect((await drawn(await emulator.world({ name: 'checkout' }))).payment.id).not.toBe(values.payment.id)
    await first.control.reset()
    expect(await drawn(first)).toEqual(values)
    await emulator.close()

    const again = await startEmulator({ settle: 'manual', rngSeed: 7, worlds: folder })
    onTestFinished(() => again.close())
    expect(await again.control.worlds.get({ name: 'a' })).toMatchObject({ rng_stream: 'checkout: pays twice' })
    const client = createClient({ baseUrl: `${again.baseUrl}/w/a`, token: again.token })
    onTestFinished(() => client.close())
    await fetch(`${again.baseUrl}/w/a/_emulator/reset`, { method: 'POST' })
    const account = await client.call('accounts.create', { body: { currency: 'CRC' } })
    expect(account.id).toBe(values.account.id)
  })

  it('gives a name that is used again the same values, in another world', async () => {
    const emulator = await start()
    const ids = new Set<string>()
    const values: unknown[] = []
    for (let count = 0; count < 3; count++) {
      const world = await emulator.world({ name: 'a' })
      ids.add(world.worldId)
      values.push(await drawn(world))
      await world.close()
    }
    expect(values).toEqual([values[0], values[0], values[0]])
    expect(ids.size).toBe(3)
  })

  it('begins again with a reset, which makes another world', async () => {
    const emulator = await start()
    const ids = [emulator.worldId]
    const first = await drawn(emulator)
    for (let count = 0; count < 2; count++) {
      await emulator.control.reset()
      ids.push(emulator.worldId)
      expect(await drawn(emulator)).toEqual(first)
    }
    expect(new Set(ids).size).toBe(3)
  })

  it('never gives an id that a row already has: after a restore, in a fork, after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payctl-determinism-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const data = join(folder, 'world.db')
    const emulator = await start({ data })
    const first = await drawn(emulator)
    await emulator.control.snapshots.create({ name: 'paid' })
    const ids = [first.payment.id]
    for (let count = 0; count < 2; count++) {
      await emulator.control.snapshots.restore({ name: 'paid' })
      ids.push((await drawn(emulator)).payment.id)
    }
    const fork = await emulator.world({ name: 'fork', from: { world: 'default' } })
    ids.push((await drawn(fork)).payment.id)
    await emulator.close()
    const restarted = await startEmulator({ settle: 'manual', rngSeed: 7, data })
    onTestFinished(() => restarted.close())
    ids.push((await drawn(restarted)).payment.id)

    expect(ids[2], 'one snapshot, one series').toBe(ids[1])
    expect(new Set(ids).size).toBe(4)
  })

  it('is refused where other machines reach the emulator, and does not let other names in', async () => {
    const secrets = { token: 'a-token-of-my-own-0123456789', controlToken: 'another-of-my-own-9876543210' }
    await expect(startEmulator({ host: '0.0.0.0', rngSeed: 7, ...secrets })).rejects.toThrow(EmulatorRefusal)
    const { baseUrl } = await start(secrets)
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
    get(`${baseUrl}/api/user`, { headers: { Host: 'shop.example' } }, resolve)
    expect((await promise).resume().statusCode).toBe(421)
  })
})

describe('deliveries of a world with a seed', () => {
  it('are sent one after another, in the order of their events, even if a receiver is slow', async () => {
    const { baseUrl, token, control, accounts } = await start()
    const arrived: string[] = []
    const url = await serve(async (request, response) => {
      const name = request.url?.slice(1)
      arrived.push(`${name} ${request.headers['x-webhook-id']} ${request.headers['x-webhook-attempt']}`)
      await request.resume().toArray()
      // Gives other deliveries time to arrive: they must wait for the answer to the slow delivery.
      for (let turn = 0; name === 'slow' && turn < 5; turn++) await fetch(`${baseUrl}/_emulator/health`)
      response.writeHead(name === 'failing' ? 500 : 200).end()
    })
    const client = createClient({ baseUrl, token })
    onTestFinished(() => client.close())
    for (const path of ['slow', 'failing', 'quick']) {
      await client.call('webhooks.create', {
        body: { url: `${url}/${path}`, events: ['payment.created'], max_attempts: 2 },
      })
    }
    for (const key of ['a', 'b']) {
      await client.call('payments.create', {
        headers: { 'X-Idempotency-Key': key },
        body: { source_account_id: String(accounts()[0]?.id), recipient_phone: '87000001', amount: 1000 },
      })
    }
    await control.clock.advance({ ms: 60_000 })

    const first = ['slow', 'failing', 'quick', 'slow', 'failing', 'quick'].map(
      (name, at) => `${name} whd_00000000000${at + 1} 1`,
    )
    // The second failing delivery is not retried: its subscription is suspended by then.
    expect(arrived).toEqual([...first, 'failing whd_000000000002 2'])
  })
})

describe('a clock that stands still from the start', () => {
  it('shows the given time in the first answer, in new worlds and after a reset', async () => {
    const emulator = await start()
    const dates = async (url: string) => (await fetch(`${url}/_emulator/health`)).headers.get('date')
    const world = await emulator.world()
    const shown = [await dates(emulator.baseUrl), await dates(world.baseUrl)]
    await emulator.control.clock.advance({ ms: 1000 })
    await emulator.control.reset()
    shown.push(await dates(emulator.baseUrl))

    expect(new Set(shown)).toEqual(new Set(['Sat, 05 Jan 2030 12:00:00 GMT']))
    expect(await emulator.control.clock.get()).toMatchObject({ frozen: true, now: '2030-01-05T12:00:00.000Z' })
  })

  it('runs on from there', async () => {
    const { control } = await start()
    await control.clock.unfreeze()
    expect((await control.clock.get()).now).toMatch(/^2030-01-05T12:00/)
  })

  it('is not set for a file that has its own time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payctl-clock-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const data = join(folder, 'world.db')
    await (await start({ data })).close()
    await expect(start({ data })).rejects.toMatchObject({
      message: expect.stringContaining('; clock 2030-01-05T12:00:00Z would change nothing'),
      hint:
        'Leave clock out, and move the clock once the emulator is running: ' +
        "emulator.control.clock.at({ time: '2030-01-05T12:00:00Z' })",
    })
  })

  it.each(['2030-01-05', 'soon', '2030-13-01T00:00:00Z', '10000-01-01T00:00:00Z'])('is not %s', async (clock) => {
    await expect(start({ clock })).rejects.toThrow('The option clock takes an ISO 8601 time with its zone')
  })
})
