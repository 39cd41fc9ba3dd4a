import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EmulatorOptions } from '../../../emulator/index.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const textOf = async ({ steer }: World) => (await steer('control.story')).text

/** Random seeds and dates that no story may depend on. */
const settings: readonly EmulatorOptions[] = [
  { rngSeed: 1, clock: '2026-01-05T18:00:00Z' },
  { rngSeed: 'other', clock: '2031-11-30T03:59:59.999Z' },
  { clock: '2040-02-29T12:00:00.001Z' },
]

const started = (options: EmulatorOptions) => startWorld({ settle: 'manual', ...options })

/** Pays with a webhook that is refused once, repeats the key, polls, causes an error, and receives money. */
async function shop(world: World): Promise<void> {
  const { client, colones, steer } = world
  const receiver = await startReceiver()
  receiver.answer(500)
  await client.call('webhooks.create', {
    body: { url: receiver.url, events: ['payment.created', 'payment.completed'] },
  })
  const order = {
    headers: { 'X-Idempotency-Key': randomUUID() },
    body: { source_account_id: colones, recipient_phone: '87000001', amount: 1000 },
  }
  const { id } = await client.call('payments.create', order)
  await client.call('payments.create', order)
  for (let poll = 0; poll < 3; poll++) await client.call('payments.get', { params: { id } })
  const { headers, body } = order
  await client.call('payments.create', { headers, body: { ...body, amount: 0 } }).catch(() => {})
  await textOf(world)
  receiver.answer(204)
  await steer('control.clock.advance', { body: { ms: 60_000 } })
  await client.call('payments.get', { params: { id } })
  await steer('control.credits.create', { body: { to: '88001234', amount: 500, from_phone: '87000001' } })
}

describe('the story of a world', () => {
  it('is the same with other random values, dates and ports', async () => {
    const texts: string[] = []
    for (const options of settings) {
      const world = await started(options)
      await shop(world)
      texts.push(await textOf(world))
    }
    expect(texts[0]).toMatchInlineSnapshot(`
      "+0s POST /api/webhooks/subscriptions 201
        {"url":"http://127.0.0.1:port-1/hook","events":["payment.created","payment.completed"]}
      +0s POST /api/payments 201, with key-1
        {"source_account_id":"account-1","recipient_phone":"87000001","amount":1000}
        payment-1: 10.00 CRC from account-1 to 87000001
          pending
            hold: available of account-1 -10.00 CRC, held of account-1 10.00 CRC
            event payment.created
              to http://127.0.0.1:port-1/hook: 500, delivered
          +0.500s processing
          +1s completed
            capture: held of account-1 -10.00 CRC, rail of sinpe_movil 10.00 CRC
            event payment.completed
              to http://127.0.0.1:port-1/hook: delivered
      +0s POST /api/payments 201, with key-1, answered as before
        {"source_account_id":"account-1","recipient_phone":"87000001","amount":1000}
      +0s GET /api/payments/payment-1 200
      +0s POST /api/payments 201, with key-1, answered as before
        {"source_account_id":"account-1","recipient_phone":"87000001","amount":0}
        breaks the contract: its key was used before, with another amount: no payment was made
      +0s the clock moves to +1m
      +1m GET /api/payments/payment-1 200
      +1m payment-2: 5.00 CRC to account-1 from 87000001
        completed
          credit: rail of sinpe_movil -5.00 CRC, available of account-1 5.00 CRC
      "
    `)
    expect(new Set(texts).size).toBe(1)
  })

  it('has neither secrets nor anything else that differs from run to run', async () => {
    const world = await started({ rngSeed: 1 })
    await shop(world)
    const text = await textOf(world)
    for (const secret of [world.emulator.token, String(new URL(world.emulator.baseUrl).port)]) {
      expect(text).not.toContain(secret)
    }
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|\d{4}-\d\d-\d\d|duration|whd_/)
  })

  it('is the same for any sequence of actions', { timeout: 120_000 }, async () => {
    const action = fc.constantFrom('pay', 'pay again', 'read', 'list', 'advance', 'fail', 'receive', 'wrong')
    const act = async (world: World, actions: readonly string[]): Promise<string> => {
      const { client, colones, steer, pay } = world
      const receiver = await startReceiver()
      await client.call('webhooks.create', {
        body: { url: receiver.url, events: ['payment.created', 'payment.failed'] },
      })
      let id: string | undefined
      const body = { source_account_id: colones, recipient_phone: '87000002', amount: 300 }
      for (const [at, each] of actions.entries()) {
        if (each === 'pay') id = (await pay({ recipient_phone: '87000001' }, 100 + at)).id
        if (each === 'pay again') await client.call('payments.create', { headers: { 'X-Idempotency-Key': 'k' }, body })
        if (each === 'read' && id) await client.call('payments.get', { params: { id } })
        if (each === 'list') await client.call('payments.history', { query: { per_page: 2 } })
        if (each === 'advance') await steer('control.clock.advance', { body: { ms: 500 } })
        if (each === 'fail') await pay({ recipient_phone: '87000006' }, 100)
        if (each === 'receive') await steer('control.credits.create', { body: { to: colones, amount: 5 } })
        if (each === 'wrong') await pay({ recipient_phone: '1' }, 1).catch(() => {})
      }
      return textOf(world)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        const [one, other] = [await started(settings[0] ?? {}), await started(settings[1] ?? {})]
        expect(await act(other, actions)).toBe(await act(one, actions))
      }),
      { numRuns: 8 },
    )
  })

  it('begins with the world: not with what its seed or the world that it comes from did', async () => {
    const world = await started({ rngSeed: 1 })
    await shop(world)
    const fork = await world.make({ from: { world: 'default' } })
    expect((await fork.steer('control.story')).text).toBe('Nothing has happened.\n')
    await fork.steer('control.clock.advance', { body: { ms: 1000 } })
    expect((await fork.steer('control.story')).text).toBe('+0s the clock moves to +1s\n')
    const payments = [{ amount: 700, to: '87000001' }]
    const seeded = await started({ seed: { extends: 'demo', payments } })
    expect(await textOf(seeded)).toBe('Nothing has happened.\n')
    const body = { payee: '87000001', amount: 700, times: 0 }
    expect(await seeded.steer('control.assertions.paid', { body })).toMatchObject({ pass: true, nearest: [] })
  })

  it('leaves out the time that passes by itself, if the clock runs', async () => {
    const world = await startWorld({ settle: 'manual', clock: 'running' })
    await world.pay({ recipient_phone: '87000001' })
    await world.steer('control.clock.advance', { body: { ms: 60_000 } })
    const text = await textOf(world)
    expect(text).toMatch(/^\+0s POST /)
    expect(text).toContain('\n+0s the clock moves to +1m\n')
  })
})
