import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { baselineServer, payctl, type ServerProcess, startServer } from './server_process.ts'

const milliseconds = 1500
const rounds = 7

/** Command line of an emulator with every check: tokens, scopes, rate limits (too high to matter), validation. */
export const emulate = (file: string) =>
  [payctl, 'emulate', '--json', '--port', '0', '--data', file].concat([
    '--settle',
    'manual',
    '--rate-limit',
    '999999999/min',
  ])

/**
 * Rates of GET /api/payments/{id} and POST /api/payments, compared with a bare server that runs the same statements on
 * the same tables.
 */
export async function requestRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const files = { emulator: join(folder, 'emulator.db'), baseline: join(folder, 'baseline.db') }
  const id = await makeWorld(files)
  const baseline = await startServer(() => [baselineServer, files.baseline])
  const emulator = await startServer(() => emulate(files.emulator))
  try {
    return [await reads({ id, baseline, emulator }), await writes({ id, baseline, emulator })]
  } finally {
    await baseline.stop()
    await emulator.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Writes the data file of a world with one payment, and a copy of the file. Returns the payment's id. */
async function makeWorld(files: { readonly emulator: string; readonly baseline: string }): Promise<string> {
  const emulator = await startServer(() => emulate(files.emulator))
  const id = await sendOne(emulator)
  await emulator.stop()
  copyFileSync(files.emulator, files.baseline)
  return id
}

interface Servers {
  readonly id: string
  readonly baseline: ServerProcess
  readonly emulator: ServerProcess
}

async function reads({ id, baseline, emulator }: Servers): Promise<Row> {
  const port = portOf(emulator)
  const load = { connections: 8, milliseconds, expect: 200 }
  return compare({
    what: 'GET /api/payments/{id}',
    unit: 'requests/s',
    budget: 0.55,
    better: 'more',
    rounds,
    baseline: () =>
      requestsPerSecond({ ...load, port: Number(baseline.ready.port), request: get(`/api/payments/${id}`) }),
    candidate: () => requestsPerSecond({ ...load, port, request: get(`/api/payments/${id}`, emulator) }),
  })
}

async function writes({ baseline, emulator }: Servers): Promise<Row> {
  const load = { connections: 8, milliseconds, expect: 201 }
  return compare({
    what: 'POST /api/payments, 8 connections',
    unit: 'requests/s',
    budget: 0.8,
    better: 'more',
    rounds,
    baseline: () => requestsPerSecond({ ...load, port: Number(baseline.ready.port), request: post() }),
    candidate: () => requestsPerSecond({ ...load, port: portOf(emulator), request: post(emulator) }),
  })
}

export const portOf = (emulator: ServerProcess): number => Number(new URL(String(emulator.ready.base_url)).port)

const authorization = (server?: ServerProcess): string =>
  server ? `Authorization: Bearer ${server.ready.token}\r\n` : ''

export const get = (path: string, server?: ServerProcess): Load['request'] => {
  const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization(server)}\r\n`
  return () => text
}

/** Keys in order, like the ids on both sides, so that neither side has scattered index pages. */
let sequence = 0
export const payment = JSON.stringify({
  source_account_id: '01900000-0000-7000-8000-0000000000c1',
  amount: 1,
  recipient_phone: '87000001',
})
export const post =
  (server?: ServerProcess): Load['request'] =>
  () =>
    `POST /api/payments HTTP/1.1\r\nHost: localhost\r\n${authorization(server)}Content-Type: application/json\r\n` +
    `X-Idempotency-Key: bench-${String(sequence++).padStart(12, '0')}\r\n` +
    `Content-Length: ${payment.length}\r\n\r\n${payment}`

/** Sends a payment, which is then read repeatedly. */
export async function sendOne(emulator: ServerProcess): Promise<string> {
  const response = await fetch(`${emulator.ready.base_url}/api/payments`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${emulator.ready.token}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': `bench-first`,
    },
    body: payment,
  })
  const { data } = (await response.json()) as { data: { id: string } }
  return data.id
}
