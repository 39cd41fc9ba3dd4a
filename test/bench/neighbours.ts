import { fork, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
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

/** Limits of the noisy team, which reaches all of them. */
const quotas = { worlds: 20, snapshots: 10, mebibytes: 64, requests_per_minute: 60_000, calls_at_once: 100 }

/** Times of a team's requests while no other team works, and while another team has reached all its limits. */
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
    prefer(emulator.child.pid)
    prefer(process.pid)
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

/** 99th percentile of the times of payments and reads, in milliseconds. */
async function percentile99({ base_url, token, accounts }: CreatedWorld): Promise<number> {
  const times: number[] = []
  const end = performance.now() + milliseconds
  for (let number = 0; performance.now() < end; number += 1) {
    const began = performance.now()
    const body = JSON.stringify({ source_account_id: accounts[0]?.id, recipient_phone: '87000001', amount: 100 })
    const status = await (number % 2 === 0
      ? send(`${base_url}/api/user`, { headers: headers(token) })
      : send(`${base_url}/api/payments`, {
          method: 'POST',
          headers: { ...headers(token), 'X-Idempotency-Key': `${process.pid}-${began}` },
          body,
        }))
    if (status >= 300) throw new Error(`The quiet team got ${status}`)
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  times.sort((one, other) => one - other)
  return times[Math.floor(times.length * 0.99)] as number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

interface Sent {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Sends a request; resolves with the status. Uses node:http: the garbage that `fetch` creates would slow the slowest
 * requests down further.
 */
const send = (url: string, { body, ...options }: Sent): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode as number))
    })
    sent.on('error', reject).end(body)
  })

/**
 * Gives a process priority over the noisy team's process, so that the team's use of the server is measured, and not its
 * use of the processor. Later children of the process have the usual priority. No-op without the right to raise a
 * priority.
 */
const prefer = (pid: number | undefined): void =>
  void spawnSync('chrt', ['--all-tasks', '--reset-on-fork', '--rr', '--pid', '10', String(pid)])

/** Starts a process that does everything that a team is allowed to do, and more; returns a function that ends it. */
async function makeNoise(base: string, { base_url: world, token }: CreatedWorld): Promise<() => Promise<void>> {
  const noise = fork(join(import.meta.dirname, 'noise.ts'), [JSON.stringify({ base, world, token, key: keys.noisy })])
  await once(noise, 'message')
  return async () => {
    noise.kill('SIGKILL')
    await once(noise, 'exit')
  }
}
