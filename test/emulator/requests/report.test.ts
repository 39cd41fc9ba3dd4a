import { describe, expect, it } from 'vitest'
import { endpoints, keptFindings, oauthEndpoints } from '../../../src/contract/index.ts'
import { receiver } from '../../support/receiver.ts'
import { startWorld } from '../control/world.ts'

describe('the report', () => {
  it('counts endpoints and statuses over all worlds, and names those that nobody used', async () => {
    const world = await startWorld()
    const other = await world.make()
    await world.client.call('user.get')
    await other.client.call('user.get')
    await expect(other.client.call('payments.get', { params: { id: world.colones } })).rejects.toThrow()
    await other.steer('control.worlds.delete', { params: { name: other.made.name } })
    const report = await world.steer('control.report')
    expect(report).toMatchObject({ requests: 3, worlds: 2, unanswered: 0 })
    expect(report.endpoints.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining([...Object.keys(endpoints), ...Object.keys(oauthEndpoints)]),
    )
    const used = report.endpoints.filter(({ requests }) => requests > 0)
    expect(used).toEqual([
      {
        ...{ endpoint: 'user.get', method: 'GET', path: '/api/user', requests: 2 },
        ...{ statuses: [{ status: 200, requests: 2 }], never: [401, 403, 429] },
      },
      {
        ...{ endpoint: 'payments.get', method: 'GET', path: '/api/payments/{id}', requests: 1 },
        ...{ statuses: [{ status: 404, requests: 1 }], never: [200, 401, 403, 422, 429, 500] },
      },
    ])
  })

  it('has the unfinished work of each world, also of one that was reset', async () => {
    const world = await startWorld()
    await world.client.call('webhooks.create', {
      body: { url: 'http://127.0.0.1:9/hook', events: ['payment.created'], max_attempts: 1 },
    })
    await world.steer('control.faults.add', { body: { endpoint: 'accounts.get', status: 404 } })
    const { id } = await world.pay({ recipient_phone: '87000001' })
    await world.steer('control.clock.advance', { body: { ms: 0 } })
    const left = {
      untaken: {
        count: 1,
        first: [
          {
            ...{ world: 'default', url: 'http://127.0.0.1:9/hook', event: 'payment.created', status: 'exhausted' },
            ...{ attempts: 1, error: expect.stringContaining('ECONNREFUSED') },
          },
        ],
      },
      unfinished: { count: 1, first: [{ world: 'default', id, status: 'pending', amount: { value: 1000 } }] },
      unfired: { count: 1, first: [{ world: 'default', endpoint: 'accounts.get', status: 404, fired: 0 }] },
    }
    expect(await world.steer('control.report')).toMatchObject(left)
    await world.steer('control.reset')
    expect(await world.steer('control.report')).toMatchObject(left)
  })

  it('does not count the unfinished work of a world’s snapshot again', async () => {
    const world = await startWorld()
    await world.pay({ recipient_phone: '87000001' })
    await world.steer('control.snapshots.create', { body: { name: 'under-way' } })
    await world.make({ from: { snapshot: 'under-way' } })
    expect(await world.steer('control.report')).toMatchObject({ unfinished: { count: 1 } })
  })

  it('has no delivery that its receiver accepted and that waits to be sent again', async () => {
    await using hook = await receiver()
    const chaos = { seed: 1, profile: { duplicate_deliveries: 1, late_ms: 60_000 } }
    const world = await startWorld({ clock: '2030-01-05T12:00:00Z', chaos })
    await world.client.call('webhooks.create', { body: { url: hook.url, events: ['payment.created'] } })
    await world.pay({ recipient_phone: '87000001' })
    await world.steer('control.clock.advance', { body: { ms: 0 } })
    const { data } = await world.steer('control.deliveries.list')
    expect(data).toMatchObject([{ status: 'pending', attempts: 1 }])
    expect(await world.steer('control.report')).toMatchObject({ untaken: { count: 0, first: [] } })
  })

  it('counts a user’s repeated read with the same answer as polling once it is a loop', async () => {
    const world = await startWorld()
    const { id } = await world.pay({ recipient_phone: '87000001' })
    const read = () => world.client.call('payments.get', { params: { id } })
    for (let n = 0; n < 4; n += 1) await read()
    expect(await world.steer('control.report')).toMatchObject({ polling: { count: 0 } })
    for (let n = 0; n < 3; n += 1) await read()
    await world.steer('control.clock.advance', { body: { ms: 1000 } })
    for (let n = 0; n < 4; n += 1) await read()
    expect((await world.steer('control.report')).polling).toEqual({
      count: 1,
      first: [{ world: 'default', request: 'r2', method: 'GET', path: `/api/payments/${id}`, times: 7 }],
    })
  })

  it('counts each polling loop once, even beyond the loops that it lists', async () => {
    const world = await startWorld()
    const read = (page: number) => world.client.call('payments.history', { query: { page } })
    for (let page = 1; page <= keptFindings + 1; page += 1) for (let n = 0; n < 7; n += 1) await read(page)
    const { polling } = await world.steer('control.report')
    expect(polling.count).toBe(keptFindings + 1)
    expect(polling.first).toHaveLength(keptFindings)
    expect(polling.first[0]).toMatchObject({ request: 'r1', times: 7 })
  })

  it('has requests that went to the default world without its name while there were others', async () => {
    const world = await startWorld()
    const { emulator } = world
    const get = (base: string, path = '/api/user') => fetch(new URL(path, base))
    await get(emulator.baseUrl)
    const { made } = await world.make({ name: 'shop-7', port: 0 })
    const { made: other } = await world.make({ name: 'shop-8' })
    await get(made.base_url)
    await fetch(`${other.base_url}/api/user`)
    await fetch(`${emulator.baseUrl}/w/default/api/user`)
    expect(await world.steer('control.report')).toMatchObject({ default_world: { count: 0, first: [] } })
    await get(other.base_url)
    await get(other.base_url, '/api/nowhere')
    expect(await world.steer('control.report')).toMatchObject({
      default_world: {
        count: 2,
        first: [
          { world: 'default', request: 'r3', method: 'GET', path: '/api/user' },
          { world: 'default', request: 'r4', method: 'GET', path: '/api/nowhere' },
        ],
      },
    })
    await world.steer('control.worlds.delete', { params: { name: 'shop-7' } })
    await world.steer('control.worlds.delete', { params: { name: 'shop-8' } })
    await get(emulator.baseUrl)
    expect(await world.steer('control.report')).toMatchObject({ default_world: { count: 2 } })
  })

  it('has requests that broke the contract, keys apart, and requests that came too late', async () => {
    const world = await startWorld()
    const { emulator, colones } = world
    const { made, ask } = await world.make({ name: 'shop-7' })
    const headers = { Authorization: `Bearer ${emulator.token}`, 'Content-Type': 'application/json' }
    const post = (body: object, more = {}) =>
      fetch(`${emulator.baseUrl}/api/payments`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    const order = { source_account_id: colones, amount: 100, recipient_phone: '87000001' }
    await post(order)
    await post({ ...order, reference: 'x' }, { 'X-Idempotency-Key': 'k' })
    await post({ ...order, amount: 101 }, { 'X-Idempotency-Key': 'k' })
    await ask('control.worlds.delete', { params: { name: 'shop-7' } })
    await fetch(`${made.base_url}/api/user`, { headers })
    expect(await world.steer('control.report')).toMatchObject({
      violations: { count: 1, first: [{ request: 'r2', status: 201, kind: 'unknown_member' }] },
      keys: {
        count: 2,
        first: [
          { request: 'r1', status: 400, kind: 'missing_key' },
          { request: 'r3', kind: 'key_reused' },
        ],
      },
      late: { count: 1, first: [{ world: 'shop-7', method: 'GET', path: '/api/user' }] },
    })
  })
})
