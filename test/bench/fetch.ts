import { startEmulator } from '../../src/testing/index.ts'
import { compare, type Row } from './ratio.ts'

const milliseconds = 1000
const rounds = 7
const atOnce = 8

/**
 * Compares `world.fetch` with `fetch` over the port of the same emulator, called by one program in the same process.
 */
export async function fetchRows(): Promise<Row[]> {
  const emulator = await startEmulator({ settle: 'manual', rateLimit: 'off' })
  const world = await emulator.world()
  const headers = { Authorization: `Bearer ${world.token}` }
  const from = world.accounts()[0]?.id
  let key = 0
  const sent = (): RequestInit => ({
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'X-Idempotency-Key': `bench-${key++}` },
    body: JSON.stringify({ source_account_id: from, amount: 1, recipient_phone: '87000001' }),
  })
  const first = await world.fetch('/api/payments', sent())
  const { data } = (await first.json()) as { readonly data: { readonly id: string } }
  const requests = {
    'GET /api/payments/{id}': [`/api/payments/${data.id}`, () => ({ headers })],
    'POST /api/payments': ['/api/payments', sent],
  } as const
  const rows: Row[] = []
  for (const [what, [path, init]] of Object.entries(requests)) {
    const rate = (ask: typeof fetch) => requestsPerSecond(() => ask(`${world.baseUrl}${path}`, init()))
    rows.push(
      await compare({
        what: `${what} by world.fetch, to the port`,
        unit: 'requests/s',
        budget: 2,
        better: 'more',
        rounds,
        baseline: () => rate(fetch),
        candidate: () => rate(world.fetch),
      }),
    )
  }
  await emulator.close()
  return rows
}

/** Answers read per second, by callers that each wait for an answer before the next request. */
async function requestsPerSecond(ask: () => Promise<Response>): Promise<number> {
  const started = performance.now()
  let count = 0
  const calling = async () => {
    while (performance.now() < started + milliseconds) {
      const response = await ask()
      await response.json()
      if (!response.ok) throw new Error(`Answered ${response.status}`)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, calling))
  return (count / (performance.now() - started)) * 1000
}
