import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { startReceiver } from './receiver.ts'
import { startWorld } from './world.ts'

describe('the state', () => {
  it('counts what there is', async () => {
    const { steer, client, pay, colones } = await startWorld()
    const before = await steer('control.state')
    expect(before).toMatchObject({
      version: manifest.version,
      seed: 'demo',
      settle_ms: { pin: 'manual', sinpe_movil: 'manual' },
      payments: { pending: 0, completed: 0, failed: 0 },
      unfinished: 0,
      subscriptions: { active: 0, suspended: 0 },
      deliveries: { pending: 0, delivered: 0 },
      rails: { pin: 'online', sinpe_movil: 'online', under_way: { pin: 'complete', sinpe_movil: 'complete' } },
      fees: { pin: 100, pin_usd: 100, sinpe_movil: 0, own_accounts: 'same' },
      fx: { bid: null, ask: null, spread: 0.004, offline: false },
      clock: { frozen: false },
      ledger_balanced: true,
    })
    const { url } = await startReceiver()
    const { id } = await client.call('webhooks.create', { body: { url, events: ['payment.created'] } })
    await client.call('webhooks.create', { body: { url, events: ['payment.failed'] } })
    await pay({ recipient_phone: '87000001' })
    await pay({ recipient_phone: '87000006' })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    await client.call('webhooks.suspend', { params: { id }, body: {} })
    await pay({ recipient_phone: '87000001' })
    await steer('control.users.create', { body: { name: 'Otra' } })
    await steer('control.credits.create', { body: { to: colones, amount: 5 } })
    const after = await steer('control.state')
    expect(after).toMatchObject({
      users: before.users + 1,
      payments: { pending: 1, completed: 2, failed: 1 },
      unfinished: 1,
      subscriptions: { active: 1, suspended: 1 },
      deliveries: { pending: 1, delivered: 3, exhausted: 0 },
      ledger_balanced: true,
    })
  })

  it('tells how long payments take', async () => {
    const { steer } = await startWorld({ settle: 250, seed: 'empty' })
    expect(await steer('control.state')).toMatchObject({
      settle_ms: { pin: 250, sinpe_movil: 250 },
      seed: 'empty',
      accounts: 0,
    })
  })
})

it('the ledger check counts payments and entries', async () => {
  const { steer, pay } = await startWorld()
  const before = await steer('control.ledger')
  expect(before).toMatchObject({ balanced: true, problems: [], payments: 0, unfinished: 0 })
  await pay({ recipient_phone: '87000001' })
  expect(await steer('control.ledger')).toEqual({ ...before, payments: 1, entries: before.entries + 2, unfinished: 1 })
})
