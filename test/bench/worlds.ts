import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Load, requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { emulate, get, portOf, post, sendOne } from './requests.ts'
import { type ServerProcess, startServer } from './server_process.ts'

const rounds = 7
const manyWorlds = 1000

/**
 * Times of forks and resets, compared with the time of a copy of the same database in one process. Also measures, with
 * a thousand other worlds alive, the memory of each world, and the rate of reads from one world, compared with the rate
 * without the other worlds.
 */
export async function worldRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  try {
    const demo = await forkRows(join(folder, 'demo.db'), { payments: 1, budget: 4 })
    const large = await forkRows(join(folder, 'large.db'), { payments: 10_000, budget: 2 })
    return [...demo, ...large, ...(await aliveRows(join(folder, 'many.db')))]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Size {
  readonly payments: number
  readonly budget: number
}

async function forkRows(file: string, { payments, budget }: Size): Promise<Row[]> {
  await fill(file, payments)
  const baseline = copying(file)
  const emulator = await startServer(() => emulate(file))
  try {
    // Forks a world in memory: a fork of a world in a file would read the file first.
    await control(emulator, '/_emulator/worlds', { name: 'base', from: { world: 'default' } })
    const row = { unit: 'ms', budget, better: 'less', rounds } as const
    const fork = JSON.stringify({ from: { world: 'base' }, ttl_seconds: 1 })
    return [
      await compare({
        ...row,
        what: `fork over HTTP, ${payments} payments`,
        baseline,
        candidate: () => millisecondsEach(emulator, posting('/_emulator/worlds', fork)),
      }),
      await compare({
        ...row,
        what: `reset of a fork over HTTP, ${payments} payments`,
        baseline,
        candidate: () => millisecondsEach(emulator, posting('/w/base/_emulator/reset', '', 200)),
      }),
    ]
  } finally {
    await emulator.stop()
  }
}

async function fill(file: string, payments: number): Promise<void> {
  const emulator = await startServer(() => emulate(file))
  await sendOne(emulator)
  for (let sent = 1; sent < payments; ) {
    const rate = await requestsPerSecond({ ...one(emulator, post(emulator)), connections: 8, milliseconds: 500 })
    sent += Math.floor(rate / 2)
  }
  await emulator.stop()
}

/** Returns a function that measures one copy, in milliseconds: serialize, open, one prepared read. */
function copying(file: string): () => number {
  const source = new Database(file)
  const image = source.serialize()
  source.close()
  image[18] = image[19] = 1 // a rollback journal: a database in memory has no write-ahead log
  const base = new Database(image)
  return () => {
    const copies = 50
    const started = performance.now()
    for (let copy = 0; copy < copies; copy++) {
      const opened = new Database(base.serialize())
      opened.prepare('SELECT * FROM payments WHERE id = ?').get('none')
      opened.close()
    }
    return (performance.now() - started) / copies
  }
}

async function aliveRows(file: string): Promise<Row[]> {
  const emulator = await startServer(() => emulate(file))
  try {
    const id = await sendOne(emulator)
    const read = { ...one(emulator, get(`/api/payments/${id}`, emulator)), expect: 200, connections: 8 }
    const load: Load = { ...read, milliseconds: 1000 }
    await requestsPerSecond(load)
    const alone = await requestsPerSecond(load)
    const before = residentMiB(emulator)
    for (let world = 0; world < manyWorlds; world++) {
      await control(emulator, '/_emulator/worlds', { from: { world: 'default' } })
    }
    const each = (residentMiB(emulator) - before) / manyWorlds
    const together = await requestsPerSecond(load)
    return [
      {
        what: `memory of a world, ${manyWorlds} alive`,
        unit: 'MiB',
        baseline: 1,
        candidate: each,
        ratio: each,
        budget: 0.4,
        better: 'less',
      },
      {
        what: `GET /api/payments/{id}, ${manyWorlds} other worlds alive`,
        unit: 'requests/s',
        baseline: alone,
        candidate: together,
        ratio: together / alone,
        budget: 0.95,
        better: 'more',
      },
    ]
  } finally {
    await emulator.stop()
  }
}

const one = (emulator: ServerProcess, request: Load['request']): Load => ({
  port: portOf(emulator),
  connections: 1,
  milliseconds: 300,
  expect: 201,
  request,
})

const millisecondsEach = async (emulator: ServerProcess, { request, expect }: Posting): Promise<number> =>
  1000 / (await requestsPerSecond({ ...one(emulator, request), expect }))

interface Posting {
  readonly request: Load['request']
  readonly expect: number
}

function posting(path: string, body: string, expect = 201): Posting {
  const type = body === '' ? '' : 'Content-Type: application/json\r\n'
  const text = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`
  return { request: () => text, expect }
}

async function control(emulator: ServerProcess, path: string, body: object): Promise<void> {
  const { status } = await fetch(`${emulator.ready.base_url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (status !== 201) throw new Error(`${path} answered ${status}`)
}

function residentMiB({ child }: ServerProcess): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
