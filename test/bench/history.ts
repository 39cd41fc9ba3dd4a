import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { emulate, get, portOf, sendOne } from './requests.ts'
import { type ServerProcess, startServer } from './server_process.ts'

const sizes = { baseline: 1_000, candidate: 1_000_000 }
const perPage = 15

const filters = {
  'no filter': '',
  'channel=sinpe_movil': '&channel=sinpe_movil',
  recipient_document_number: '&recipient_document_number=0304930258',
}

/** Milliseconds per page of a history of a million payments, compared with a history of a thousand. */
export async function historyRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const servers: ServerProcess[] = []
  try {
    const start = async (size: number) => {
      const file = join(folder, `${size}.db`)
      await fill(file, size)
      const server = await startServer(() => emulate(file))
      servers.push(server)
      return { server, size }
    }
    const baseline = await start(sizes.baseline)
    const candidate = await start(sizes.candidate)
    const rows: Row[] = []
    for (const [filter, query] of Object.entries(filters)) {
      for (const place of ['first', 'middle', 'last'] as const) {
        const measure = (world: typeof baseline) => () => milliseconds(world.server, pageAt(place, world.size), query)
        rows.push(
          await compare({
            what: `history, ${place} page, ${filter}`,
            unit: 'ms',
            budget: 3,
            better: 'less',
            rounds: 5,
            baseline: measure(baseline),
            candidate: measure(candidate),
          }),
        )
      }
    }
    return rows
  } finally {
    for (const server of servers) await server.stop()
    rmSync(folder, { recursive: true })
  }
}

const pageAt = (place: 'first' | 'middle' | 'last', size: number): number =>
  ({ first: 1, middle: Math.ceil(size / perPage / 2), last: Math.ceil(size / perPage) })[place]

async function milliseconds(server: ServerProcess, page: number, query: string): Promise<number> {
  const path = `/api/payments/history?per_page=${perPage}&page=${page}${query}`
  const rate = await requestsPerSecond({
    port: portOf(server),
    connections: 1,
    milliseconds: 400,
    expect: 200,
    request: get(path, server),
  })
  return 1000 / rate
}

/**
 * Copies one real payment until there are `size` payments, all of one channel and to one payee: the worst case for
 * every filter.
 */
async function fill(file: string, size: number): Promise<void> {
  const emulator = await startServer(() => emulate(file))
  await sendOne(emulator)
  await emulator.stop()
  const db = new Database(file)
  const columns = db.pragma('table_info(payments)') as { name: string }[]
  const numbered = ['seq', 'position', 'kind_position', 'payee_position']
  const values = columns.map(({ name }) => {
    if (numbered.includes(name)) return 'n'
    if (name === 'id') return `printf('01900000-0000-7000-8000-%012x', n)`
    return name === 'idempotency_key' ? `'copy-' || n` : name
  })
  db.exec(`
    INSERT INTO payments (${columns.map(({ name }) => name)})
    WITH RECURSIVE numbers (n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${size})
    SELECT ${values} FROM numbers, payments WHERE seq = 1`)
  db.close()
}
