import { type Load, requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { portOf, post } from './requests.ts'
import { payctl, type ServerProcess, startServer } from './server_process.ts'

const emulate = (...flags: readonly string[]) =>
  startServer(() =>
    [payctl, 'emulate', '--json', '--port', '0', '--settle', 'manual'].concat(['--rate-limit', 'off'], flags),
  )

/** Rate of POSTs with moments, compared with the rate without moments; memory of a thousand moments of a demo world. */
export async function momentRows(): Promise<Row[]> {
  const baseline = await emulate()
  const candidate = await emulate('--moments', '64')
  try {
    const memory = await memoryOfThousand(candidate)
    const rows: Row[] = []
    for (const connections of [1, 8]) {
      const load = { connections, milliseconds: 1000 }
      const row = await compare({
        what: `POST /api/payments with moments, connections: ${connections}`,
        unit: 'requests/s',
        budget: 0.5,
        better: 'more',
        rounds: 7,
        baseline: () => postsPerSecond(baseline, load),
        candidate: () => postsPerSecond(candidate, load),
      })
      rows.push(row)
    }
    return [...rows, memory]
  } finally {
    await baseline.stop()
    await candidate.stop()
  }
}

const postsPerSecond = (emulator: ServerProcess, load: Pick<Load, 'connections' | 'milliseconds'>): Promise<number> =>
  requestsPerSecond({ ...load, port: portOf(emulator), expect: 201, request: post(emulator) })

/** Sends one payment at a time, so that each payment makes its own moment. */
async function memoryOfThousand(emulator: ServerProcess): Promise<Row> {
  let kept = { count: 0, size_bytes: 0 }
  while (kept.count < 1000) {
    await postsPerSecond(emulator, { connections: 1, milliseconds: 200 })
    const answer = await fetch(`${emulator.ready.base_url}/_emulator/moments?per_page=1`)
    kept = ((await answer.json()) as { data: { kept: typeof kept } }).data.kept
  }
  const thousand = (kept.size_bytes / kept.count) * 1000
  const MiB = 1024 * 1024
  const row = { what: '1,000 moments of a demo world', unit: 'MiB', baseline: 1, budget: 16, better: 'less' } as const
  return { ...row, candidate: thousand / MiB, ratio: thousand / MiB }
}
