import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { payctlCommand } from '../../support/program.ts'
import { startRun } from '../../support/started.ts'
import type { Run } from './payctl.ts'

export interface Started {
  readonly child: ChildProcess
  /** Output so far. */
  readonly said: { stdout: string; stderr: string }
  /** Exit code; -1 after a kill. */
  readonly finished: Promise<Run>
}

interface BuiltPayctl {
  /** A separate directory of the test, for its files. */
  readonly folder: string
  readonly stateDir: string
  /** Writes a file in `folder` and returns its path. */
  file(name: string, content: string | Buffer): string
  /** Runs a process of the built payctl. */
  start(argv: readonly string[], settings?: { readonly input?: string; readonly shell?: string }): Started
  run(...argv: readonly string[]): Promise<Run>
  /** Runs payctl with this input on stdin. */
  pipe(input: string, ...argv: readonly string[]): Promise<Run>
}

interface Server {
  readonly base_url: string
  readonly token: string
}

/** payctl for a server, with separate directories. */
export function builtPayctl({ base_url, token }: Server): BuiltPayctl {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-built-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const stateDir = join(folder, 'state')
  const env = {
    PATH: process.env.PATH,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    PAYCTL_BASE_URL: base_url,
    PAYCTL_TOKEN: token,
    PAYCTL_STATE_DIR: stateDir,
    PAYCTL_CONFIG_DIR: join(folder, 'config'),
    NO_COLOR: '1',
  }
  const start: BuiltPayctl['start'] = (argv, { input = '', shell } = {}) => {
    const command = payctlCommand(argv)
    const child = shell
      ? spawn('sh', ['-c', `${shell}; exec "$@"`, 'sh', ...command.flat()], { env })
      : spawn(...command, { env })
    const said = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text) => (said.stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (said.stderr += text))
    child.stdin?.on('error', () => {}).end(input)
    const finished = once(child, 'close').then(([code]) => ({ code: (code as number | null) ?? -1, ...said }))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await finished
    })
    return { child, said, finished }
  }
  const run = async (argv: readonly string[], input: string): Promise<Run> => {
    const { exitCode = -1, stdout, stderr } = await startRun(argv, { env, input, stripFinalNewline: false })
    return { code: exitCode, stdout, stderr }
  }
  return {
    folder,
    stateDir,
    start,
    file(name, content) {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    run: (...argv) => run(argv, ''),
    pipe: (input, ...argv) => run(argv, input),
  }
}
