import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { ControlRefusal, type Emulator, startEmulator } from '../../../src/testing/index.ts'
import { full } from '../../support/full.ts'

let emulator: Emulator
let whole: Buffer
const faults: unknown[] = []

beforeAll(async () => {
  emulator = await startEmulator({ settle: 'manual', onFault: (fault) => faults.push(fault) })
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, retries: 0, strict: true })
  await client.call('webhooks.create', {
    body: { url: 'http://127.0.0.1:9/hook', events: ['payment.created'], max_attempts: 1 },
  })
  for (const key of Array(10).keys()) {
    const body = { source_account_id: emulator.accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 }
    await client.call('payments.create', { headers: { 'X-Idempotency-Key': `key-${key}` }, body })
  }
  whole = Buffer.from(await emulator.control.export())
  await client.close()
  return () => emulator.close()
})

/** Reads everything and lets payments under way end; returns the statuses of the service's answers. */
async function used(file: Buffer): Promise<readonly number[]> {
  await using world = await emulator.world({ from: { file } })
  expect(await world.control.ledger()).toMatchObject({ balanced: true })
  await world.control.clock.advance({ ms: 60_000 })
  expect(await world.control.ledger()).toMatchObject({ balanced: true })
  await world.control.registry.list()
  await world.control.deliveries.list()
  const headers = { Authorization: `Bearer ${world.token}` }
  const paths = ['accounts', 'payments/history', 'webhooks', 'user']
  return Promise.all(paths.map(async (path) => (await fetch(`${world.baseUrl}/api/${path}`, { headers })).status))
}

const flips = fc.array(fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) }), {
  minLength: 1,
  maxLength: 4,
})

it('a file with bytes of it flipped is refused, or a world whose books balance; it stays as it is', async () => {
  await fc.assert(
    fc.asyncProperty(flips, async (changes) => {
      const file = Buffer.from(whole)
      for (const { at, by } of changes) file[at % file.length] = (file[at % file.length] ?? 0) ^ by
      const before = Buffer.from(file)
      try {
        expect(await used(file)).not.toContain(500)
      } catch (error) {
        if (!(error instanceof ControlRefusal)) throw error
        expect(error).toMatchObject({ status: 422, message: expect.stringMatching(/^The file /) })
      }
      expect(file.equals(before)).toBe(true)
      expect(faults).toEqual([])
    }),
    { numRuns: full ? 600 : 20 },
  )
})
