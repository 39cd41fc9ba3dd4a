import { describe, expect, it } from 'vitest'
import type { ControlInputOf } from '../../../src/contract/index.ts'
import { startWorld, type World } from './world.ts'

type Query = ControlInputOf<'control.payments.list'>['query']

const list = ({ steer }: World, query: Query = {}) => steer('control.payments.list', { query })
const amounts = async (world: World, query: Query = {}) =>
  (await list(world, query)).data.map(({ amount }) => amount.value)

/** A world with three payments of the seeded user, oldest first, and money received by another user. */
async function busyWorld() {
  const world = await startWorld({ clock: '2026-01-05T12:00:00Z' })
  const { steer } = world
  const carlos = await world.pay({ recipient_iban: 'CR73015100100000000001' }, 100_000)
  await steer('control.clock.advance', { body: { ms: 60_000 } })
  const phone = await world.pay({ recipient_phone: '87000001' }, 200)
  const failed = await world.pay({ recipient_phone: '87000006' }, 300)
  await steer('control.payments.move', { params: { id: failed.id }, body: { to: 'failed' } })
  const credit = await steer('control.credits.create', { body: { to: '88005678', amount: 400 } })
  return { world, carlos, phone, failed, credit }
}

describe('payments of all users', () => {
  it('are listed newest first, in pages that new payments do not move', async () => {
    const { world, credit, phone } = await busyWorld()
    expect(await amounts(world)).toEqual([400, 300, 200, 100_000])
    expect(await list(world, { per_page: 2, page: 2 })).toMatchObject({
      total: 4,
      last_page: 2,
      data: [{ amount: { value: 200 }, account_id: world.colones }, { amount: { value: 100_000 } }],
    })
    expect(await list(world, { before: credit.id, per_page: 1 })).toMatchObject({
      total: 3,
      data: [{ amount: { value: 300 } }],
    })
    expect(await amounts(world, { before: phone.id.toUpperCase() })).toEqual([100_000])
  })

  it.each([
    [{ status: 'pending' }, [200]],
    [{ status: 'completed' }, [400, 100_000]],
    [{ status: 'failed,pending,processing' }, [300, 200]],
    [{ channel: 'pin' }, [100_000]],
    [{ transfer_type: 'credit' }, [400]],
    [{ channel: 'sinpe_movil', transfer_type: 'debit' }, [300, 200]],
    [{ from: '2026-01-05T12:00:30Z' }, [400, 300, 200]],
    [{ to: '2026-01-05T06:00:30-06:00' }, [100_000]],
    [{ text: 'CR7301510010000' }, [100_000]],
    [{ text: '8700000' }, [300, 200]],
    [{ text: '1000.00' }, [100_000]],
    [{ text: '1,000' }, [100_000]],
    [{ text: '1%000' }, []],
    [{ text: 'REJECTED by' }, [300]],
    [{ text: '_' }, [400]],
    [{ text: "' OR 1=1 --" }, []],
  ] satisfies [Query, number[]][])('with %j are %j', async (query, expected) => {
    const { world } = await busyWorld()
    expect(await amounts(world, query)).toEqual(expected)
  })

  it('are found by account, key, reference and id', async () => {
    const { world, carlos, credit } = await busyWorld()
    const story = await world.steer('control.payments.get', { params: { id: carlos.id } })
    expect(await amounts(world, { account: world.colones })).toEqual([300, 200, 100_000])
    const { account_id } = await world.steer('control.payments.get', { params: { id: credit.id } })
    expect(await amounts(world, { account: account_id })).toEqual([400])
    for (const text of [story.id, story.idempotency_key, story.channel_reference, story.sinpe_reference ?? '']) {
      expect(await amounts(world, { text })).toEqual([100_000])
    }
  })

  it.each([
    [{ status: 'paid' }, 'The status must be one or more of'],
    [{ account: '01900000-0000-7000-8000-00000000ffff' }, 'No account of this world'],
    [{ before: '01900000-0000-7000-8000-00000000ffff' }, 'No payment of this world'],
    [{ from: '2026-02-30T12:00:00Z' }, 'The from field must be a date that exists'],
    [{ from: 'yesterday' }, 'ISO 8601'],
  ] satisfies [Query, string][])('refuse %j', async (query, message) => {
    const world = await startWorld()
    const { status, body } = await world.ask('control.payments.list', { query })
    expect([status, JSON.stringify(body.errors)]).toEqual([422, expect.stringContaining(message)])
  })
})
