import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free_port.ts'
import { compare, type Row } from './ratio.ts'
import { baselineServer, payctl, startServer } from './server_process.ts'

const rounds = 31

/** Cold starts of whole processes, from spawn to exit, compared with the smallest program in Node. */
export async function processRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, budget, args] of [
    ['payctl --version', 1.15, ['--version']],
    ['payctl --help', 1.7, ['--help']],
    ['payctl payments --help', 1.7, ['payments', '--help']],
  ] as const) {
    rows.push(await againstNode({ what, budget, args }))
  }
  const emulator = await startServer(() => [payctl, 'emulate', '--json', '--port', '0', '--settle', 'instant'])
  const { base_url, token } = emulator.ready
  const env = { PAYCTL_BASE_URL: String(base_url), PAYCTL_TOKEN: String(token) }
  const sent = run([payctl, ...send], env)
  const { id } = JSON.parse(sent.stdout) as { id: string }
  rows.push(await againstNode({ what: 'payctl payments get', budget: 2.9, args: ['payments', 'get', id], env }))
  await emulator.stop()
  rows.push(await startUp())
  return rows
}

const send = '--json payments send --yes --from 01900000-0000-7000-8000-0000000000c1 --to 87000001 --amount 1'.split(
  ' ',
)

interface Cold {
  readonly what: string
  readonly budget: number
  readonly args: readonly string[]
  readonly env?: Record<string, string>
}

function againstNode({ what, budget, args, env }: Cold): Promise<Row> {
  return compare({
    what,
    unit: 'ms',
    budget,
    better: 'less',
    rounds,
    baseline: () => run(['-e', '0']).milliseconds,
    candidate: () => run([payctl, ...args], env).milliseconds,
  })
}

function run(args: readonly string[], env: Record<string, string> = {}) {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args.join(' ')} exited ${status}: ${stderr}`)
  return { milliseconds: performance.now() - started, stdout }
}

/** Time from the spawn of `payctl emulate` to its first 200 answer, compared with a bare server that opens SQLite. */
function startUp(): Promise<Row> {
  return compare({
    what: 'payctl emulate, spawn to first 200',
    unit: 'ms',
    budget: 2.5,
    better: 'less',
    rounds: 15,
    baseline: () => firstAnswer((port) => [baselineServer, ':memory:', String(port)], '/'),
    candidate: () => firstAnswer((port) => [payctl, 'emulate', '--port', String(port)], '/api/payments/service-status'),
  })
}

async function firstAnswer(args: (port: number) => readonly string[], path: string): Promise<number> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const started = performance.now()
  const child = spawn(process.execPath, [...args(port)], {
    stdio: 'ignore',
    env: { ...process.env, PAYCTL_STATE_DIR: folder },
  })
  while (!(await answers(port, path))) {
    if (child.exitCode !== null) throw new Error(`${args(port).join(' ')} exited ${child.exitCode}`)
  }
  const milliseconds = performance.now() - started
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(folder, { recursive: true })
  return milliseconds
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))
    socket.on('error', () => {}) // not listening yet: the socket closes
    socket.on('close', () => setTimeout(() => resolve(false), 1))
    socket.on('data', (chunk) => {
      socket.destroy()
      resolve(chunk.toString('latin1').startsWith('HTTP/1.1 200'))
    })
  })
}
