import { join } from 'node:path'
import { type Load, requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { floorServer, payctl, type ServerProcess, startServer } from './server_process.ts'

const milliseconds = 1500
const rounds = 7

/** Every middleware on: tokens, scopes, rate limits (too high to be hit), validation. */
const emulate = (folder: string) =>
  [payctl, 'emulate', '--json', '--port', '0', '--data', join(folder, 'world.db')].concat([
    '--settle',
    'manual',
    '--rate-limit',
    '1000000000/min',
  ])

/** GET /api/payments/{id} and POST /api/payments against a bare server that does the same statements. */
export async function requestRows(): Promise<Row[]> {
  const floor = await startServer((folder) => [floorServer, join(folder, 'floor.db')])
  const emulator = await startServer(emulate)
  try {
    return [await reads(floor, emulator), await writes(floor, emulator)]
  } finally {
    await floor.stop()
    await emulator.stop()
  }
}

async function reads(floor: ServerProcess, emulator: ServerProcess): Promise<Row> {
  const port = portOf(emulator)
  const id = await sendOne(emulator)
  const load = { connections: 8, milliseconds, expect: 200 }
  return compare({
    what: 'GET /api/payments/{id}',
    unit: 'requests/s',
    budget: 0.55,
    better: 'more',
    rounds,
    floor: () =>
      requestsPerSecond({ ...load, port: Number(floor.ready.port), request: get(String(floor.ready.sample)) }),
    candidate: () => requestsPerSecond({ ...load, port, request: get(id, emulator) }),
  })
}

async function writes(floor: ServerProcess, emulator: ServerProcess): Promise<Row> {
  const load = { connections: 8, milliseconds, expect: 201 }
  return compare({
    what: 'POST /api/payments, 8 connections',
    unit: 'requests/s',
    budget: 0.8,
    better: 'more',
    rounds,
    floor: () => requestsPerSecond({ ...load, port: Number(floor.ready.port), request: post() }),
    candidate: () => requestsPerSecond({ ...load, port: portOf(emulator), request: post(emulator) }),
  })
}

const portOf = (emulator: ServerProcess): number => Number(new URL(String(emulator.ready.base_url)).port)

const authorization = (server?: ServerProcess): string =>
  server ? `Authorization: Bearer ${server.ready.token}\r\n` : ''

const get = (id: string, server?: ServerProcess): Load['request'] => {
  const text = `GET /api/payments/${id} HTTP/1.1\r\nHost: localhost\r\n${authorization(server)}\r\n`
  return () => text
}

/** Ordered keys, as ordered ids on both sides: neither pays for scattered index pages. */
let sequence = 0
const body = JSON.stringify({
  source_account_id: '01900000-0000-7000-8000-0000000000c1',
  amount: 1,
  recipient_phone: '87000001',
})
const post =
  (server?: ServerProcess): Load['request'] =>
  () =>
    `POST /api/payments HTTP/1.1\r\nHost: localhost\r\n${authorization(server)}Content-Type: application/json\r\n` +
    `X-Idempotency-Key: bench-${String(sequence++).padStart(12, '0')}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`

/** One payment of the emulator's, to read over and over. */
async function sendOne(emulator: ServerProcess): Promise<string> {
  const response = await fetch(`${emulator.ready.base_url}/api/payments`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${emulator.ready.token}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': `bench-first`,
    },
    body,
  })
  const { data } = (await response.json()) as { data: { id: string } }
  return data.id
}
