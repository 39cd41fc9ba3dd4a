import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { payctlCommand } from '../../support/program.ts'

export interface EmulateProcess {
  readonly ready: { readonly base_url: string; readonly token: string; readonly pid: number }
  readonly child: ChildProcess
  /** Stops the emulator as Ctrl-C would. */
  stop(): Promise<void>
  /** Kills the emulator. */
  kill(): Promise<void>
}

/** Starts the built `payctl emulate` on a free port. */
export async function startEmulate(args: readonly string[]): Promise<EmulateProcess> {
  const state = mkdtempSync(join(tmpdir(), 'payctl-conformance-'))
  const child = spawn(...payctlCommand(['emulate', '--port', '0', '--json', ...args]), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: state },
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text
  })
  const exited = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
    rmSync(state, { recursive: true, force: true })
  }
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => {
      throw new Error(`payctl emulate ended: ${complaint}`)
    }),
  ])
  return {
    ready: JSON.parse(String(line[0])),
    child,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
