import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const payctl = join(import.meta.dirname, '../../bin/payctl.js')
export const baselineServer = join(import.meta.dirname, 'baselines/server.cjs')

export interface ServerProcess {
  /** First line of the server's output: a JSON object. */
  readonly ready: Record<string, string | number>
  readonly child: ChildProcess
  stop(): Promise<void>
}

/** Starts a server in a separate folder and waits for the line of JSON that it prints when it listens. */
export async function startServer(args: (folder: string) => readonly string[]): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-bench-'))
  const env = { ...process.env, PAYCTL_STATE_DIR: join(folder, 'state') }
  const child = spawn(process.execPath, [...args(folder)], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The server exited ${code}`)))
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died])) as [string]
  return {
    ready: JSON.parse(line),
    child,
    async stop() {
      child.kill('SIGTERM')
      await died.catch(() => {})
      rmSync(folder, { recursive: true })
    },
  }
}
