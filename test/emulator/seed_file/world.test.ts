import { describe, expect, it } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { newSecret } from '../../../emulator/store/secret.ts'
import { expectBalanced, fileWith, pair, seenBy, startSeeded } from './seeded.ts'

describe('a world of a seed', () => {
  it('has its users, accounts, balances and statuses, and the first user owns the emulator’s token', async () => {
    const emulator = await startSeeded({
      ...pair,
      accounts: [...pair.accounts, { user: 'leo', status: 'closed' }, { user: 'leo', status: 'inactive' }],
      tokens: [{ token: 'leo-token', user: 'leo' }],
    })
    const ana = await seenBy(emulator, emulator.token)
    expect(ana.user).toMatchObject({ name: 'Ana Vargas', email: 'user1@example.com' })
    expect(ana.accounts.map(({ balance }) => balance.formatted)).toEqual(['1,500.25 CRC', '50.00 USD'])
    const leo = await seenBy(emulator, 'leo-token')
    expect(leo.accounts.map(({ status, balance }) => [status, balance.value])).toEqual([
      ['active', 0],
      ['closed', 0],
      ['inactive', 0],
    ])
    expectBalanced(emulator)
  })

  it('has the same ids in every run, from aliases or from the seed', async () => {
    const given = '01900000-0000-7000-8000-00000000abcd'
    const seed = { ...pair, accounts: [...pair.accounts, { id: given, user: 'ana' }] }
    const [one, other] = [await startSeeded(seed), await startSeeded(seed)]
    const ids = one.accounts().map(({ id }) => id)
    expect(ids).toEqual(other.accounts().map(({ id }) => id))
    expect(ids).toEqual(['e5e5fc21-013d-5215-a9b5-0b3bbf9b6721', '14cc58df-5af8-5cde-9cc1-fa645420821c', given])
  })

  it('adds to the demo where it extends that', async () => {
    const emulator = await startSeeded({
      extends: 'demo',
      accounts: [{ balance: 7 }],
      registry: pair.registry.slice(0, 1),
    })
    const { users, accounts, seed } = await emulator.control.state()
    expect({ users, accounts, seed }).toEqual({ users: 2, accounts: 4, seed: 'custom' })
    expect(emulator.accounts().map(({ balance }) => balance)).toEqual([250_000_000, 1_000_000, 7])
    expect(await emulator.control.registry.list()).toHaveLength((await demoRegistrySize()) + 1)
  })

  it('that names nobody has the user of the empty seed', async () => {
    const emulator = await startSeeded({})
    expect(await seenBy(emulator, emulator.token)).toMatchObject({
      user: { name: 'María Fernández Rojas' },
      accounts: [],
    })
  })

  it('has its tokens, with their scopes, until they expire', async () => {
    const emulator = await startSeeded({
      ...pair,
      clock: { time: '2030-01-05T12:00:00Z', frozen: true },
      tokens: [
        { token: 'reads', user: 'leo', scopes: ['read-user'] },
        { token: 'ends', expires_at: '2030-01-05T13:00:00Z' },
      ],
    })
    const statusOf = async (path: string, token: string) =>
      (await fetch(`${emulator.baseUrl}${path}`, { headers: { Authorization: `Bearer ${token}` } })).status
    expect(await statusOf('/api/user', 'reads')).toBe(200)
    expect(await statusOf('/api/accounts', 'reads')).toBe(403)
    expect(await statusOf('/api/accounts', 'ends')).toBe(200)
    await emulator.control.clock.advance({ ms: 3_600_000 })
    expect(await statusOf('/api/accounts', 'ends')).toBe(401)
  })

  it('has its subscriptions, clients, rails, fees, rates, rate limit and clock', async () => {
    const subscription = { url: 'https://shop.example/hook', events: ['payment.completed' as const] }
    const emulator = await startSeeded({
      ...pair,
      clients: [
        { client_id: 'shop', client_secret: 'shop-secret', redirect_uris: ['https://shop.example/callback'] },
        { client_id: 'wallet', public: true, redirect_uris: ['com.example.wallet:/callback'] },
      ],
      subscriptions: [
        { ...subscription, headers: { 'X-Key': 'k' }, secret: 's'.repeat(32) },
        { ...subscription, user: 'leo', suspended_at: '2026-01-01T12:00:00Z' },
      ],
      rails: {
        pin: 'offline',
        under_way: { pin: 'hang', sinpe_movil: 'timeout' },
        maintenance: { sinpe_movil: ['sun 22:00-23:30'] },
      },
      fees: { pin: 250 },
      fx: { bid: 480, ask: 490 },
      rate_limit: 60,
      clock: { time: '2030-01-05T12:00:00Z', frozen: true },
    })
    expect(await emulator.control.state()).toMatchObject({
      subscriptions: { active: 1, suspended: 1 },
      rails: {
        ...{ pin: 'offline', sinpe_movil: 'online', under_way: { pin: 'hang', sinpe_movil: 'timeout' } },
        maintenance: { pin: [], sinpe_movil: ['sun 22:00-23:30'] },
      },
      fees: { pin: 250, pin_usd: 100, sinpe_movil: 0, own_accounts: 'same' },
      fx: { upstream: { bid: 480, ask: 490 } },
      clock: { now: '2030-01-05T12:00:00.000Z', frozen: true },
    })
    expect(await emulator.control.rateLimit.get()).toMatchObject({ limit: 60 })
    const clients = await emulator.control.clients.list()
    expect(clients.map(({ client_id, public: isPublic }) => [client_id, isPublic])).toEqual([
      ['payctl', false],
      ['shop', false],
      ['wallet', true],
    ])
  })

  it('starts at its time whenever it is made, and continues from there', async () => {
    const emulator = await startSeeded({ ...pair, clock: { time: '2030-01-05T12:00:00Z', speed: 60 } })
    await emulator.control.clock.advance({ ms: 86_400_000 })
    expect((await emulator.control.clock.get()).now).toMatch(/^2030-01-06T12/)
    await emulator.control.worlds.create({ name: 'other' })
    const { made_from } = await emulator.control.worlds.get({ name: 'other' })
    expect(made_from).toEqual({ seed: 'custom' })
    await emulator.control.reset()
    expect(await emulator.control.clock.get()).toMatchObject({
      speed: 60,
      now: expect.stringMatching(/^2030-01-05T12/),
    })
  })
})

describe('a reset', () => {
  it('goes back to the seed, clients, tokens and subscriptions included', async () => {
    const emulator = await startSeeded({
      ...pair,
      clients: [{ client_id: 'shop', client_secret: 'shop-secret', redirect_uris: ['https://shop.example/callback'] }],
      tokens: [{ token: 'leo-token', user: 'leo' }],
      subscriptions: [{ url: 'https://shop.example/hook', events: ['payment.completed'] }],
    })
    const { control } = emulator
    const before = { clients: await control.clients.list(), tokens: await control.tokens.list() }
    await control.clients.remove({ client_id: 'shop' })
    for (const { id } of before.tokens) await control.tokens.revoke({ id: String(id) })
    await control.accounts.set({ id: emulator.accounts()[0]?.id ?? '', balance: 1 })
    await control.reset()
    expect({ clients: await control.clients.list(), tokens: await control.tokens.list() }).toEqual(before)
    expect((await seenBy(emulator, 'leo-token')).user.name).toBe('Leo Mora')
    expect((await control.state()).subscriptions.active).toBe(1)
    expect(emulator.accounts()[0]?.balance).toBe(150_025)
  })
})

describe('a data file', () => {
  it('stores its seed without the secrets, returns to it, and refuses another', async () => {
    const data = fileWith('', 'world.db')
    const secret = newSecret()
    const seed = { ...pair, tokens: [{ token: secret, user: 'leo' }] }
    const made = await startSeeded(seed, { data })
    await made.control.accounts.set({ id: made.accounts()[0]?.id ?? '', balance: 1 })
    await made.close()
    const again = await startSeeded(seed, { data })
    expect(again.accounts()[0]?.balance).toBe(1)
    await again.control.reset()
    expect(again.accounts()[0]?.balance).toBe(150_025)
    expect((await seenBy(again, secret)).user.name).toBe('Leo Mora')
    await again.close()
    for (const other of [{ ...seed, fees: { pin: 1 } }, pair]) {
      await expect(startSeeded(other, { data })).rejects.toThrow(/already holds a world made from another seed file/)
    }
    await expect(startEmulator({ data, seed: 'demo' })).rejects.toThrow(/; seed demo would change nothing/)
  })
})

async function demoRegistrySize(): Promise<number> {
  await using emulator = await startEmulator()
  return (await emulator.control.registry.list()).length
}
