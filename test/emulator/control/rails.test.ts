import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/client/index.ts'
import { startWorld } from './world.ts'

const keyed = () => ({ headers: { 'X-Idempotency-Key': randomUUID() } })

describe('a rail that is offline', () => {
  it('shows in service-status', async () => {
    const { steer, client } = await startWorld()
    expect(await steer('control.rails.set', { body: { pin: 'offline' } })).toEqual({
      pin: 'offline',
      sinpe_movil: 'online',
      under_way: { pin: 'complete', sinpe_movil: 'complete' },
      maintenance: { pin: [], sinpe_movil: [] },
      maintenance_until: { pin: null, sinpe_movil: null },
    })
    expect(await client.call('payments.serviceStatus')).toEqual({
      pin_service: { available: false, status: 'offline' },
      sinpe_service: { available: true, status: 'online' },
      overall_status: 'partial',
    })
    await steer('control.rails.set', { body: { sinpe_movil: 'offline' } })
    expect(await client.call('payments.serviceStatus')).toMatchObject({ overall_status: 'offline' })
    await steer('control.rails.set', { body: { pin: 'online', sinpe_movil: 'online' } })
    expect(await client.call('payments.serviceStatus')).toMatchObject({ overall_status: 'online' })
  })

  it('ends payments at once, with nothing held, and fails their validation', async () => {
    const { steer, client, colones, pay } = await startWorld()
    await steer('control.rails.set', { body: { sinpe_movil: 'offline' } })
    const before = await client.call('accounts.balance', { params: { id: colones } })
    const { id, status } = await pay({ recipient_phone: '87000001' })
    expect(status).toBe('service_unavailable')
    expect(await client.call('accounts.balance', { params: { id: colones } })).toEqual(before)
    const body = { source_account_id: colones, amount: 1000, recipient_phone: '87000001' }
    const refusal = await client.call('payments.validate', { ...keyed(), body }).catch((error) => error)
    expect(refusal).toBeInstanceOf(ApiError)
    expect(refusal).toMatchObject({ status: 422 })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'service_unavailable' })
    expect(await steer('control.ledger')).toMatchObject({ balanced: true, unfinished: 0 })
  })

  it('leaves payments of the other rail and those under way alone', async () => {
    const { steer, client, pay } = await startWorld()
    const { id } = await pay({ recipient_phone: '87000001' })
    await steer('control.rails.set', { body: { sinpe_movil: 'offline' } })
    const [first] = await steer('control.registry.list').then((all) => all.filter(({ channel }) => channel === 'pin'))
    expect(await pay({ recipient_iban: first?.address ?? '' })).toMatchObject({ status: 'pending' })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({ status: 'completed' })
  })
})

it.each([
  ['control.rails.set', { pin: 'down' }, 'pin'],
  ['control.rails.set', { sinpe_movil: true }, 'sinpe_movil'],
] as const)('%s refuses %j and changes nothing', async (id, body, field) => {
  const { ask, steer } = await startWorld()
  const before = await steer('control.state')
  const answer = await ask(id, { body })
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
  const { clock: _, ...after } = await steer('control.state')
  expect(before).toMatchObject(after)
})
