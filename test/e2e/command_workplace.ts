import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { rig } from '../commands/webhooks/rig.ts'
import { full } from '../support/full.ts'
import { payctlCommand } from '../support/program.ts'
import { runPayctl } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'
import { openPayctl, openProgram } from '../support/terminal.ts'
import { crcAccount } from './machine.ts'

/** Width of the terminals. */
export const columns = 80

export interface Ended {
  readonly code: number | undefined
  /** In a terminal the raw output, with escape sequences and CRLF line ends. */
  readonly stdout: string
  readonly stderr: string
}

/** An action of the test during a run: without it the command would not end. */
export interface Meanwhile {
  /** Text on stdout or stderr that says the command is ready. */
  readonly cue: RegExp
  act(kill: (signal: NodeJS.Signals) => void): unknown
}

interface Wishes {
  readonly env?: Readonly<Record<string, string>>
  /** All of stdin, which is a file even in a terminal. */
  readonly input?: string
  readonly meanwhile?: Meanwhile
}

/** Milliseconds after which a run is killed, so that the test fails with what the run has printed. */
const patience = 45_000

async function withPatience<T>(run: Promise<T>, kill: () => void): Promise<T> {
  const timer = setTimeout(kill, patience)
  try {
    return await run
  } finally {
    clearTimeout(timer)
  }
}

/** An emulator with a history, and the machine of a user of this emulator. */
export async function workplace() {
  const { emulator, home, env, pay, settle, client, token, run } = await rig()
  const payment = await pay()
  await settle()
  const base = { PATH: process.env.PATH ?? '', ...env }
  const inputFile = (text: string) => {
    const file = join(home, 'stdin')
    writeFileSync(file, text)
    return file
  }

  /** Runs payctl with pipes as stdin, stdout and stderr. */
  async function piped(argv: readonly string[], { env: more, input = '', meanwhile }: Wishes = {}): Promise<Ended> {
    const run = startRun(argv, { env: { ...base, ...more }, input, stripFinalNewline: false })
    onTestFinished(() => void run.kill('SIGKILL'))
    const said = { stdout: '', stderr: '' }
    const hear = hearing(said, meanwhile, (signal) => run.kill(signal))
    run.stdout.on('data', (chunk) => hear('stdout', String(chunk)))
    run.stderr.on('data', (chunk) => hear('stderr', String(chunk)))
    const { exitCode, stdout, stderr } = await withPatience(run, () => run.kill('SIGKILL'))
    return { code: exitCode, stdout, stderr }
  }

  /** Runs payctl in this process, in a simulated terminal. */
  async function seenByMain(argv: readonly string[], { env: more, input, meanwhile }: Wishes): Promise<Ended> {
    const interruption = new AbortController()
    const said = { stdout: '', stderr: '' }
    const hear = hearing(said, meanwhile, (signal) => interruption.abort(signal))
    const finished = await runPayctl(argv, {
      env: { ...base, ...more },
      terminal: columns,
      signal: interruption.signal,
      ...(input !== undefined && { input }),
      onStdout: (text) => hear('stdout', text.slice(said.stdout.length)),
      onStderr: (text) => hear('stderr', text.slice(said.stderr.length)),
    })
    return finished
  }

  /**
   * Runs payctl with a terminal as stdout, and also as stdin if `input` is missing. stderr is a pipe, to separate the
   * two outputs. Only a run with colours, in the full tests, uses a real terminal.
   */
  async function atTerminal(argv: readonly string[], wishes: Wishes = {}): Promise<Ended> {
    if (!full || wishes.env?.NO_COLOR) return await seenByMain(argv, wishes)
    const { env: more, input, meanwhile } = wishes
    const errors = join(home, `stderr-${Math.random()}`)
    execFileSync('mkfifo', [errors])
    const line = `exec "$@" 2>"$ERRORS"${input === undefined ? '' : ' <"$INPUT"'}`
    const terminal = openProgram('/bin/sh', ['-c', line, 'sh', ...payctlCommand(argv).flat()], {
      env: { ...base, ERRORS: errors, INPUT: inputFile(input ?? ''), ...more },
      columns,
    })
    const said = { stdout: '', stderr: '' }
    const hear = hearing(said, meanwhile, (signal) => terminal.kill(signal))
    const reader = spawn('cat', [errors])
    reader.stdout.setEncoding('utf8').on('data', (text) => hear('stderr', text))
    const closed = new Promise((resolve) => reader.on('close', resolve))
    const code = await withPatience(terminal.ended, () => terminal.kill('SIGKILL'))
    await closed
    return { code, stdout: terminal.written, stderr: said.stderr }
  }

  /**
   * Runs payctl with a terminal as stdin, stdout and stderr, so that it can ask a person. The result has all output as
   * stdout.
   */
  async function inTerminal(argv: readonly string[], { env: more, meanwhile }: Wishes = {}): Promise<Ended> {
    const terminal = openPayctl(argv, { env: { ...base, ...more }, columns })
    if (meanwhile) await terminal.shows(meanwhile.cue)
    await meanwhile?.act((signal) => terminal.kill(signal))
    return { code: await terminal.ended, stdout: terminal.written, stderr: '' }
  }

  return {
    emulator,
    home,
    env,
    client,
    run,
    piped,
    atTerminal,
    inTerminal,
    pay,
    settle,
    token,
    payment,
    account: crcAccount(emulator),
    /** Writes a file on the machine and returns its path. */
    file(name: string, content: string): string {
      writeFileSync(join(home, name), content)
      return join(home, name)
    },
  }
}

export type Workplace = Awaited<ReturnType<typeof workplace>>

/** Saves the output, and acts once when the cue appears. */
function hearing(
  said: { stdout: string; stderr: string },
  meanwhile: Meanwhile | undefined,
  kill: (signal: NodeJS.Signals) => void,
) {
  let acted = false
  return (stream: 'stdout' | 'stderr', text: string) => {
    said[stream] += text
    if (acted || !meanwhile || !meanwhile.cue.test(`${said.stdout}${said.stderr}`)) return
    acted = true
    meanwhile.act(kill)
  }
}
