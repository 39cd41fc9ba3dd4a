import { expect, it } from 'vitest'
import { createClient } from '../../src/client/create_client.ts'
import { readService } from '../../src/masking/service_content.ts'
import { startEmulator } from '../../src/testing/index.ts'

it('a service is read within its rate limit: the reader waits before the limit is reached', async () => {
  await using emulator = await startEmulator({
    settle: 'manual',
    rateLimit: 10,
    seed: {
      accounts: [{ balance: 10_000_000 }],
      payments: Array.from({ length: 25 }, (_, at) => {
        const name = `Payee ${at}`
        return { to: `8700${1000 + at}`, amount: 100, name, document_number: '0109990888' }
      }),
      registry: Array.from({ length: 25 }, (_, at) => ({
        phone: `8700${1000 + at}`,
        name: `Payee ${at}`,
        document_number: '0109990888',
      })),
    },
  })
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, retries: 0 })
  const waits: number[] = []
  const progress: unknown[] = []
  const content = await readService({
    client,
    provider: 'upstream',
    looksUp: true,
    reporter: { progress: (state) => void progress.push(state) },
    signal: new AbortController().signal,
    async wait(ms) {
      waits.push(ms)
      await emulator.control.clock.advance({ ms: 60_000 })
    },
  })
  await client.close()
  expect(content.holders.size).toBe(25)
  expect(waits.length).toBeGreaterThan(1)
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000)
  const { data } = await emulator.control.requests.list({ status: '4xx' })
  expect(data).toEqual([])
  expect(progress).toContainEqual(expect.stringMatching(/^Waiting \d+ s for the rate limit$/))
  expect(progress.at(-1)).toBe(null)
})
