import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Pool } from 'undici'
import { requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { emulate, payment, portOf, post } from './requests.ts'
import { type ServerProcess, startServer } from './server_process.ts'

const baselines = join(import.meta.dirname, 'baselines')
const seconds = 1.5

/** Deliveries per second to a receiver on this machine, compared with undici posting the same bodies in a loop. */
export async function webhookRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const receiver = await startServer(() => [join(baselines, 'receiver.cjs')])
  const file = join(folder, 'world.db')
  const emulator = await startServer(() => emulate(file))
  const url = `http://127.0.0.1:${receiver.ready.port}/`
  try {
    const id = await subscribe(emulator, url)
    const deliveries = async () => {
      await control(emulator, 'POST', `/api/webhooks/subscriptions/${id}/suspend`)
      const queued = await queue(emulator)
      await fetch(url, { method: 'DELETE' })
      await control(emulator, 'POST', `/api/webhooks/subscriptions/${id}/resume`)
      return rateOf(url, queued)
    }
    const row = await compare({
      what: 'webhook deliveries',
      unit: 'deliveries/s',
      budget: 0.6,
      better: 'more',
      rounds: 5,
      baseline: () => posted(url, 10_000),
      candidate: deliveries,
    })
    await reportDelay({ emulator, url, file })
    return [row]
  } finally {
    emulator.child.kill('SIGTERM')
    await receiver.stop()
    rmSync(folder, { recursive: true })
  }
}

async function control(
  emulator: ServerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<{ data: { id: string } }> {
  const { base_url, token } = emulator.ready
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as { data: { id: string } }
}

async function subscribe(emulator: ServerProcess, url: string): Promise<string> {
  const { data } = await control(emulator, 'POST', '/api/webhooks/subscriptions', { url, events: ['payment.created'] })
  return data.id
}

/** Makes payments while the subscription is suspended; returns the number of waiting deliveries. */
async function queue(emulator: ServerProcess): Promise<number> {
  const load = { connections: 8, milliseconds: seconds * 1000, expect: 201 }
  const started = performance.now()
  const rate = await requestsPerSecond({ ...load, port: portOf(emulator), request: post(emulator) })
  return Math.round((rate * (performance.now() - started)) / 1000)
}

/** Deliveries per second, by the receiver's times, once 99 % of the deliveries have arrived. */
async function rateOf(url: string, sent: number): Promise<number> {
  for (;;) {
    const { count, first, last } = (await (await fetch(url)).json()) as { count: number; first: number; last: number }
    if (count >= sent * 0.99) return ((count - 1) / (last - first)) * 1000
    await pause(50)
  }
}

async function posted(url: string, count: number): Promise<number> {
  await fetch(url, { method: 'DELETE' })
  const body = JSON.stringify({ event: 'payment.created', data: { filler: 'x'.repeat(700) } })
  const poster = spawn(process.execPath, [join(baselines, 'poster.cjs'), url, String(count), body], {
    stdio: 'inherit',
  })
  await once(poster, 'exit')
  return rateOf(url, count)
}

interface Delayed {
  readonly emulator: ServerProcess
  readonly url: string
  readonly file: string
}

const paymentsEachTick = 10
const tick = 10
const ticks = 300

/**
 * Prints the delay from a payment to the receiver's first byte of its event, at 1,000 payments per second. The
 * measurement starts before the commit, so the true delay is slightly shorter.
 */
async function reportDelay({ emulator, url, file }: Delayed): Promise<void> {
  await fetch(url, { method: 'DELETE' })
  const pool = new Pool(String(emulator.ready.base_url))
  const sent: Promise<unknown>[] = []
  const started = performance.now()
  for (let beat = 0; beat < ticks; beat++) {
    for (let one = 0; one < paymentsEachTick; one++) sent.push(payThrough(pool, emulator))
    await pause(Math.max(0, started + (beat + 1) * tick - performance.now()))
  }
  await Promise.all(sent)
  await rateOf(url, sent.length)
  const arrivals = (await (await fetch(`${url}each`)).json()) as Record<string, number>
  await pool.close()
  await emulator.stop()
  const delays = delaysOf(file, arrivals).sort((a, b) => a - b)
  const at = (share: number) => (delays[Math.floor(delays.length * share)] ?? 0).toFixed(1)
  console.log(
    `webhook delay at 1,000 payments/s: median ${at(0.5)} ms, p99 ${at(0.99)} ms, ${delays.length} deliveries`,
  )
}

async function payThrough(pool: Pool, emulator: ServerProcess): Promise<void> {
  const { body } = await pool.request({
    method: 'POST',
    path: '/api/payments',
    headers: {
      Authorization: `Bearer ${emulator.ready.token}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': crypto.randomUUID(),
    },
    body: payment,
  })
  await body.dump()
}

/** Delay from the creation of each event in the emulator's file to the arrival of its delivery. */
function delaysOf(file: string, arrivals: Readonly<Record<string, number>>): number[] {
  const db = new Database(file, { readonly: true })
  const made = db.prepare<[number], number>(
    'SELECT created_at FROM events JOIN deliveries ON events.seq = event WHERE deliveries.seq = ?',
  )
  made.pluck()
  const delays = Object.entries(arrivals).map(([id, at]) => at - (made.get(Number(id.slice(4))) ?? at))
  db.close()
  return delays
}
