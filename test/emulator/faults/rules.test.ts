import { describe, expect, it } from 'vitest'
import { type Endpoint, type EndpointId, endpoints, type FaultBody } from '../../../src/contract/index.ts'
import { startWorld, type World } from '../control/world.ts'

/** Statuses of `count` requests. */
async function statuses({ emulator: { baseUrl, token } }: World, count: number, path = '/api/user'): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < count; n += 1) {
    const { status } = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${token}` } })
    all.push(status)
  }
  return all
}

const add = (world: World, body: FaultBody) => world.steer('control.faults.add', { body })

describe('a rule', () => {
  it('lets matches pass, fires, and ends, and says how often it did', async () => {
    const world = await startWorld()
    const rule = { endpoint: 'user.get', status: 401, after: 2, times: 2 } as const
    expect(await add(world, rule)).toEqual({ id: 1, ...rule, matched: 0, fired: 0 })
    expect(await statuses(world, 3)).toEqual([200, 200, 401])
    expect(await world.steer('control.faults.list')).toEqual([{ id: 1, ...rule, times: 1, matched: 3, fired: 1 }])
    expect(await statuses(world, 2)).toEqual([401, 200])
    expect(await world.steer('control.faults.list')).toEqual([])
    expect(await world.steer('control.faults.list', { query: { which: 'all' } })).toEqual([
      { id: 1, ...rule, times: 0, matched: 4, fired: 2 },
    ])
    await world.steer('control.reset')
    expect(await world.steer('control.faults.list', { query: { which: 'all' } })).toEqual([])
  })

  it.each([
    [
      { method: 'GET', path: '/api/accounts/*/balance' },
      ['/api/accounts/A/balance'],
      ['/api/accounts', '/api/accounts/A'],
    ],
    [{ path: '/api/accounts/{id}' }, ['/api/accounts/A'], ['/api/accounts', '/api/accounts/A/balance']],
    [{ path: '/api/accounts/**' }, ['/api/accounts/A', '/api/accounts/A/balance'], ['/api/accounts', '/api/user']],
    [{ method: 'POST' }, [], ['/api/accounts', '/api/accounts/A']],
    [{}, ['/api/accounts', '/api/user', '/api/accounts/A?x=1'], []],
  ] as const)('of %j is for some requests and not for others', async (which, matching, others) => {
    const world = await startWorld()
    await add(world, { ...which, status: 429, times: null })
    for (const path of matching) expect(await statuses(world, 1, path.replace('A', world.colones))).toEqual([429])
    for (const path of others) expect(await statuses(world, 1, path.replace('A', world.colones))).toEqual([200])
  })

  it('has no status that an endpoint does not have', async () => {
    const world = await startWorld()
    await add(world, { status: 503, times: null })
    expect(await statuses(world, 1)).toEqual([200])
    expect(await statuses(world, 1, '/api/accounts')).toEqual([503])
  })

  it('ends at a time of the world', async () => {
    const world = await startWorld()
    await world.steer('control.clock.freeze')
    const { now } = await world.steer('control.clock.get')
    const until = new Date(Date.parse(now) + 60_000).toISOString()
    expect(await add(world, { endpoint: 'user.get', status: 401, until })).toMatchObject({ until, times: null })
    expect(await statuses(world, 2)).toEqual([401, 401])
    await world.steer('control.clock.advance', { body: { ms: 60_000 } })
    expect(await statuses(world, 1)).toEqual([200])
    expect(await world.steer('control.faults.list')).toEqual([])
  })

  it('fires with a probability, and equally for the same seed', async () => {
    const drawn = async (body: Partial<FaultBody>) => {
      const world = await startWorld()
      const { seed } = await add(world, { endpoint: 'user.get', status: 401, probability: 0.5, ...body })
      return { seed, all: await statuses(world, 40) }
    }
    const [first, second, third] = [await drawn({}), await drawn({}), await drawn({ seed: 99 })]
    expect(second).toEqual(first)
    expect(first.seed).toBe(1)
    expect(third.all).not.toEqual(first.all)
    const fired = first.all.filter((status) => status === 401).length
    expect([fired > 8, fired < 32]).toEqual([true, true])
    expect((await drawn({ probability: 0 })).all).not.toContain(401)
    expect((await drawn({ probability: 1 })).all).not.toContain(200)
  })

  it('gives way to an older one', async () => {
    const world = await startWorld()
    await add(world, { endpoint: 'accounts.list', status: 503 })
    await add(world, { status: 429 })
    expect(await statuses(world, 3, '/api/accounts')).toEqual([503, 429, 200])
  })

  it('belongs to its world: a fork starts without it', async () => {
    const world = await startWorld()
    await add(world, { endpoint: 'user.get', status: 401, times: null })
    const fork = await world.make({ from: { world: 'default' } })
    expect(await fork.steer('control.faults.list')).toEqual([])
    expect(await fork.client.call('user.get')).toMatchObject({ name: 'María Fernández Rojas' })
    expect(await statuses(world, 1)).toEqual([401])
  })

  it('can have every endpoint give every error that the interface has for it', async () => {
    const world = await startWorld()
    for (const [id, { errors }] of Object.entries<Endpoint>(endpoints)) {
      for (const status of Object.keys(errors).map(Number)) {
        expect(await add(world, { endpoint: id as EndpointId, status })).toMatchObject({ endpoint: id, status })
      }
    }
  })

  it.each([
    [{}, 'status'],
    [{ endpoint: 'user.get' }, 'status'],
    [{ endpoint: 'user.get', status: 404 }, 'status'],
    [{ method: 'GET', status: 409 }, 'status'],
    [{ status: 421 }, 'status'],
    [{ status: 429, fault: 'reset' }, 'fault'],
    [{ endpoint: 'user.get', path: '/api/user', status: 401 }, 'endpoint'],
    [{ path: 'api', status: 401 }, 'path'],
    [{ path: '/api/**/balance', status: 401 }, 'path'],
    [{ path: '/api/pay*', status: 401 }, 'path'],
    [{ path: '/api/pay**', status: 401 }, 'path'],
    [{ fault: 'burn' }, 'fault'],
    [{ status: 500, retry_after: 3 }, 'retry_after'],
    [{ status: 429, probability: 2 }, 'probability'],
    [{ status: 429, until: 'tomorrow' }, 'until'],
    [{ status: 429, until: '2026-13-45T99:00:00Z' }, 'until'],
    [{ status: 429, tims: 3 }, 'tims'],
    [{ event: 'payment.completed', fault: 'reset' }, 'fault'],
    [{ event: 'payment.completed', status: 500 }, 'fault'],
    [{ event: 'payment.completed', fault: 'drop', retry_after: 3 }, 'fault'],
    [{ event: 'payment.begun', fault: 'drop' }, 'event'],
    [{ endpoint: 'user.get', fault: 'drop' }, 'event'],
    [{ event: '*', fault: 'drop', delay_ms: 5 }, 'delay_ms'],
  ])('is not %j', async (body, field) => {
    const { ask, steer, emulator } = await startWorld()
    const { status, body: answer } = await ask('control.faults.add', { body })
    expect([status, Object.keys(answer.errors)]).toEqual([422, [field]])
    expect(() => emulator.control.addFault(body as FaultBody)).toThrow(answer.message)
    expect(await steer('control.faults.list', { query: { which: 'all' } })).toEqual([])
  })
})
