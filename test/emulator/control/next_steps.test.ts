import { describe, expect, it } from 'vitest'
import { Channel, type ControlOutputOf, type PaymentStatus } from '../../../src/contract/index.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type WorldUnderTest } from './world.ts'

const carlos = 'CR73015100100000000001'
const recipients = { pin: { recipient_iban: carlos }, sinpe_movil: { recipient_phone: '87000001' } } as const

type Story = ControlOutputOf<'control.payments.get'>

const read = ({ steer }: WorldUnderTest, id: string): Promise<Story> =>
  steer('control.payments.get', { params: { id } })

describe('what can happen next', () => {
  it('has each status that the payment can reach, with the time of those that come by themselves', async () => {
    const world = await startWorld({ settle: 1000 })
    await world.steer('control.clock.freeze')
    const { id } = await world.pay(recipients.pin, 5000)

    const { next, status, created_at } = await read(world, id)

    expect(status).toBe('pending')
    const after = (ms: number) => new Date(Date.parse(created_at) + ms).toISOString().slice(0, 19)
    expect(next.map(({ to, statuses }) => [to, statuses])).toEqual([
      ['processing', ['processing']],
      ['completed', ['processing', 'completed']],
      ['failed', ['processing', 'failed']],
      ['timeout', ['processing', 'timeout']],
      ['service_unavailable', ['service_unavailable']],
      ['validation_failed', ['validation_failed']],
      ['system_error', ['processing', 'system_error']],
    ])
    expect(next[1]?.due_at?.slice(0, 19)).toBe(after(1000))
    expect(next.slice(2).map(({ due_at }) => due_at)).toEqual([null, null, null, null, null])
  })

  it.each(Channel.enum)('is what then happens over %s: status, entries, balances and events', async (channel) => {
    const { url } = await startReceiver()
    const origin = await startWorld()
    const events = ['payment.processing', 'payment.completed', 'payment.failed', 'transaction.received'] as const
    await origin.client.call('webhooks.create', { body: { url, events: [...events] } })
    await origin.steer('control.clock.freeze')
    const { id } = await origin.pay(recipients[channel], 5000)
    const start = await read(origin, id)
    for (const { to } of start.next) {
      const world = await origin.make({ from: { world: 'default' } })
      const before = await read(world, id)
      const promised = before.next.find((step) => step.to === to) as Story['next'][number]
      const { statuses, entries, balances, call } = promised
      await world.steer('control.payments.move', { params: { id }, body: call.body as { to: PaymentStatus } })
      const story = await read(world, id)
      expect(story.statuses.map(({ status }) => status)).toEqual(['pending', ...statuses])
      expect(story.entries.slice(before.entries.length).map(({ at, ...entry }) => entry)).toEqual(entries)
      expect(story.events.slice(before.events.length).map(({ event }) => event)).toEqual(
        promised.events.map(({ event }) => event),
      )
      expect(promised.events.every(({ deliveries }) => deliveries === 1)).toBe(true)
      for (const { owner, purpose, after } of balances) {
        const query = `SELECT sum(amount) FROM ledger_entries WHERE owner = '${owner}' AND purpose = '${purpose}' AND currency = '${after.currency}'`
        const { rows } = await world.steer('control.sql', { body: { query } })
        expect(rows).toEqual([[after.value]])
      }
    }
  })

  it('of a payment between two accounts of the world includes the receiver’s record', async () => {
    const world = await startWorld()
    const { id } = await world.pay({ recipient_phone: '88005678' }, 5000)
    const { next } = await read(world, id)
    const completed = next.find(({ to }) => to === 'completed')
    expect(completed?.events.map(({ event }) => event)).toEqual([
      'payment.processing',
      'payment.completed',
      'transaction.received',
    ])
    expect(
      completed?.balances.map(({ purpose, before, after }) => [purpose, after.value - before.value]),
    ).toContainEqual(['available', 5000])
  })

  it('of a completed payment is its return, and then nothing', async () => {
    const world = await startWorld({ settle: 'instant' })
    const { id } = await world.pay(recipients.pin, 5000)
    const { next } = await read(world, id)
    expect(next).toMatchObject([
      {
        to: 'returned',
        due_at: null,
        statuses: [],
        entries: [
          { movement: 'credit', owner: 'pin', purpose: 'rail', amount: { value: -5000 } },
          { movement: 'credit', owner: world.colones, purpose: 'available', amount: { value: 5000 } },
        ],
        call: {
          endpoint: 'control.payments.return',
          path: `/_emulator/payments/${id}/return`,
          body: null,
          options: [],
        },
      },
    ])
    const credit = await world.steer('control.payments.return', { params: { id } })
    expect(await read(world, id)).toMatchObject({ next: [], returned_by: credit.id, held: { value: 0 } })
    expect((await read(world, credit.id)).next).toEqual([])
  })

  it('names the members that a failure can have', async () => {
    const world = await startWorld()
    const { id } = await world.pay(recipients.pin, 5000)
    const { next } = await read(world, id)
    const options = Object.fromEntries(next.map(({ to, call }) => [to, call.options]))
    expect(options).toMatchObject({ failed: ['state_code', 'error', 'after_ms'], completed: ['after_ms'] })
  })

  it('follows an outage: a payment that hangs waits for the end of the maintenance, or for ever', async () => {
    const world = await startWorld({ settle: 1000 })
    await world.steer('control.clock.freeze')
    const { id } = await world.pay(recipients.pin, 5000)
    const due = async () =>
      Object.fromEntries((await read(world, id)).next.map(({ to, due_at }) => [to, due_at] as const))
    await world.steer('control.rails.set', { body: { pin: 'offline', under_way: { pin: 'hang' } } })
    expect(Object.values(await due()).every((time) => time === null)).toBe(true)
    await world.steer('control.rails.set', { body: { under_way: { pin: 'timeout' } } })
    const { service_unavailable, completed } = await due()
    expect([typeof service_unavailable, completed]).toEqual(['string', null])
  })

  it('changes nothing by being read', async () => {
    const world = await startWorld()
    const { id } = await world.pay(recipients.pin, 5000)
    const before = await world.steer('control.state')
    const story = await read(world, id)
    expect(await read(world, id)).toEqual(story)
    expect(await world.steer('control.state')).toMatchObject({ ...before, clock: {} })
  })
})

describe('the story of a payment', () => {
  it('has statuses, entries, events, deliveries and requests so far, and what is still held', async () => {
    const world = await startWorld()
    const { url } = await startReceiver()
    await world.client.call('webhooks.create', { body: { url, events: ['payment.created'] } })
    const { id } = await world.pay(recipients.sinpe_movil, 150_025)
    await world.client.call('payments.get', { params: { id } })
    const story = await read(world, id.toUpperCase())
    expect(story).toMatchObject({
      id,
      account_id: world.colones,
      outcome: 'completed',
      statuses: [{ status: 'pending' }],
      held: { value: 150_025 },
      entries: [{ movement: 'hold' }, { movement: 'hold' }],
      events: [{ event: 'payment.created' }],
      deliveries: [{ event: 'payment.created' }],
      requests: ['r2', 'r3'],
      returned_by: null,
    })
    expect((await world.ask('control.payments.get', { params: { id: world.colones } })).status).toBe(404)
    expect((await world.ask('control.payments.get', { params: { id: 'x' } })).status).toBe(422)
  })
})
