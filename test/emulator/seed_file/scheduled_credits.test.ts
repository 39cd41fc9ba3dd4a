import { describe, expect, it } from 'vitest'
import type { SeedFile } from '../../../src/contract/index.ts'
import { startWorld, type World } from '../control/world.ts'

const reference = { pin: '2026010537022010000102590', sinpe_movil: '2026010537083000000000961' }
const saturday = '2030-01-05T12:00:00Z'

describe('a scheduled credit of a seed', () => {
  const scheduled = (credit: object): SeedFile => ({
    extends: 'demo',
    clock: { time: saturday, frozen: true },
    scheduled_credits: [{ amount: 500, from: '87000001', due_at: '2030-01-05T14:00:00Z', ...credit }],
  })
  const refusalOf = async (world: World, seed: SeedFile) => {
    const { status, body } = await world.ask('control.worlds.create', { body: { from: { seed } } })
    expect(status).toBe(422)
    return body.errors
  }

  it('arrives when it is due, or at once if that is past', async () => {
    const world = await startWorld()
    const seed = scheduled({ sinpe_reference: reference.sinpe_movil })
    const past = { amount: 7, due_at: '2029-01-01T00:00:00Z' }
    const made = await world.make({
      from: { seed: { ...seed, scheduled_credits: [...(seed.scheduled_credits ?? []), past] } },
    })
    await made.steer('control.clock.advance', { body: { ms: 2 * 3_600_000 } })
    expect((await made.client.call('payments.history', {})).data).toMatchObject([
      { created_at: '2030-01-05T14:00:00.000000Z', sinpe_reference: reference.sinpe_movil },
      { created_at: '2030-01-05T12:00:00.000000Z', channel: 'pin', amount: { value: 7 } },
    ])
  })

  it.each([
    ['sinpe_reference', { sinpe_reference: reference.pin }, /Digits 12 to 15 must be 8300/],
    ['sinpe_reference', { sinpe_reference: '1' }, /must be 25 digits in quotes/],
    ['account', { account: 'nobody' }, /account nobody does not exist/],
    ['from', { from: '88001234' }, /is a user in this file/],
    ['due_at', { due_at: '2030-02-30T12:00:00Z' }, /must be a time that exists/],
  ])('with a wrong %s is refused', async (field, credit, message) => {
    const world = await startWorld()
    const errors = await refusalOf(world, scheduled(credit))
    expect(JSON.stringify(errors)).toMatch(message)
    expect(JSON.stringify(errors)).toContain(`scheduled_credits.0.${field}`)
  })

  it('has an id and a reference that no payment has', async () => {
    const world = await startWorld()
    const id = '01900000-0000-7000-8000-00000000abcd'
    const seed = scheduled({ id, sinpe_reference: reference.sinpe_movil })
    const payment = {
      ...{ id, transfer_type: 'credit' as const, amount: 5, from: '87000001' },
      sinpe_reference: reference.sinpe_movil,
    }
    const errors = JSON.stringify(await refusalOf(world, { ...seed, payments: [payment] }))
    expect(errors).toContain(`${id} is the id of a payment`)
    expect(errors).toContain(`${reference.sinpe_movil} is there twice`)
    const debit = { amount: 5, to: '87000001', sinpe_reference: reference.pin }
    expect(JSON.stringify(await refusalOf(world, { extends: 'demo', payments: [debit] }))).toContain('only a credit')
  })
})
