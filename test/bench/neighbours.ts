import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedWorld } from '../../src/contract/index.ts'
import { compare, type Row } from './ratio.ts'
import { payctl, startServer } from './server_process.ts'

const rounds = 5
const milliseconds = 4000
/** Pause of the quiet team between two requests, in milliseconds. */
const pause = 5

const keys = { quiet: 'quiet.key-of-the-bench', noisy: 'noisy.key-of-the-bench' }
const adminKey = 'administrator-of-the-bench-0123456789'

/** Limits of the noisy team, all of which it reaches. */
const quotas = { worlds: 20, snapshots: 10, mebibytes: 64, requests_per_minute: 6000, calls_at_once: 100 }

/** Times of a team's requests while no other team works, and while another team is at all its limits. */
export async function neighbourRows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const [teams, control] = [join(folder, 'teams.json'), join(folder, 'admin.key')]
  const digest = (key: string) => createHash('sha256').update(key).digest('hex')
  const file = { quiet: { keys: { k: digest(keys.quiet) } }, noisy: { keys: { k: digest(keys.noisy) }, quotas } }
  writeFileSync(teams, JSON.stringify({ teams: file }))
  writeFileSync(control, adminKey, { mode: 0o600 })
  const flags = ['--worlds', join(folder, 'worlds'), '--teams', teams, '--control-token-file', control]
  const emulator = await startServer(() => [
    payctl,
    'emulate',
    '--json',
    '--port',
    '0',
    '--rate-limit',
    'off',
    ...flags,
  ])
  try {
    const base = String(emulator.ready.base_url)
    const [quiet, noisy] = [await worldOf(base, keys.quiet), await worldOf(base, keys.noisy)]
    const slowest = () => percentile99(quiet)
    const besideNoise = async () => {
      const silence = await makeNoise(base, noisy)
      try {
        return await percentile99(quiet)
      } finally {
        await silence()
      }
    }
    const row = { unit: 'ms', budget: 2, better: 'less', rounds, baseline: slowest, candidate: besideNoise } as const
    return [await compare({ ...row, what: 'p99 of a team beside one at its limits' })]
  } finally {
    await emulator.stop()
    rmSync(folder, { recursive: true })
  }
}

const headers = (secret: string) => ({ Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' })

async function worldOf(base: string, key: string): Promise<CreatedWorld> {
  const init = { method: 'POST', headers: headers(key), body: JSON.stringify({ name: 'bench' }) }
  const answer = (await (await fetch(`${base}/_emulator/worlds`, init)).json()) as { data: CreatedWorld }
  return answer.data
}

/** Slowest of a hundred payments and reads, in milliseconds. */
async function percentile99({ base_url, token, accounts }: CreatedWorld): Promise<number> {
  const times: number[] = []
  const end = performance.now() + milliseconds
  for (let number = 0; performance.now() < end; number += 1) {
    const began = performance.now()
    const body = JSON.stringify({ source_account_id: accounts[0]?.id, recipient_phone: '87000001', amount: 100 })
    const init =
      number % 2 === 0
        ? { headers: headers(token) }
        : { method: 'POST', headers: { ...headers(token), 'X-Idempotency-Key': `${process.pid}-${began}` }, body }
    const answer = await fetch(`${base_url}/api/${number % 2 === 0 ? 'user' : 'payments'}`, init)
    await answer.text()
    if (!answer.ok) throw new Error(`The quiet team got ${answer.status}`)
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  times.sort((one, other) => one - other)
  return times[Math.floor(times.length * 0.99)] as number
}

/** Does everything that a team may do, and more; returns a function that ends it. */
async function makeNoise(base: string, { base_url: world, token }: CreatedWorld): Promise<() => Promise<void>> {
  let isOver = false
  const gone = new AbortController()
  const sockets: Socket[] = []
  const control = (path: string, body?: object, at = world) =>
    fetch(`${at}/_emulator/${path}`, {
      headers: headers(keys.noisy),
      signal: gone.signal,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const again = async (work: (number: number) => Promise<Response>, wait = 20) => {
    for (let number = 0; !isOver; number += 1) {
      const answer = await work(number).catch(() => null)
      await answer?.text().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
  const large = 'x'.repeat(1024 * 1024 - 100)
  const slow = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
  const noises = [
    ...Array.from({ length: 500 }, () => control('events').catch(() => null)),
    ...Array.from({ length: 4 }, () => again(() => fetch(`${world}/api/user`, { headers: headers(token) }), 1)),
    again(() => fetch(`${world}/api/payments`, { method: 'POST', headers: headers(token), body: large }), 100),
    again((number) => control('worlds', { name: `n${number % 40}` }, base), 50),
    again((number) => control('snapshots', { name: `s${number % 20}`, replace: true }), 100),
    ...Array.from({ length: 4 }, () => again(() => control('sql', { query: slow, timeout_ms: 1000 }))),
    ...Array.from({ length: 20 }, () => again(() => control('wait', { requests: 1_000_000, timeout_ms: 30_000 }))),
  ]
  const { hostname, port, pathname } = new URL(world)
  for (let count = 0; count < 50; count += 1) {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => {})
    // Asks for files, and never reads them.
    const ask = `GET ${pathname}/_emulator/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.noisy}\r\n\r\n`
    socket.pause().write(ask.repeat(5))
    sockets.push(socket)
  }
  // The streams are open by then.
  await new Promise((resolve) => setTimeout(resolve, 500))
  return async () => {
    isOver = true
    gone.abort()
    for (const socket of sockets) socket.destroy()
    await Promise.allSettled(noises)
  }
}
