import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import type { Context } from '../../../cli/command.ts'
import { argumentsWithout } from '../../../cli/global_options.ts'
import { optionsOf } from '../../../cli/register.ts'
import { exits } from '../../../errors/exit_codes.ts'
import { monotonicClock } from '../../../real_time.ts'
import { payctlProgram } from '../../../run/processes.ts'
import type { Ended } from '../chaos.ts'
import { flags } from '../options.ts'
import { secretFlags } from '../secrets.ts'
import type { SecretOptions } from '../start.ts'
import { type Handover, seedRunVariable } from './part.ts'

/** Result of a run with one seed, in its own process. */
export interface SeedEnd extends Ended {
  readonly seed: number
  readonly isInterrupted: boolean
  readonly seconds: number
  /** Output of the command, and payctl's messages about it. */
  readonly output: () => { readonly stdout: string; readonly stderr: string }
}

interface RunningSeed {
  readonly end: Promise<SeedEnd>
  stop(): void
}

/** Runs the command line of this payctl in processes, each with a seed and an emulator. */
export class SeedProcesses implements Disposable {
  readonly #context: Pick<Context, 'argv' | 'env' | 'signal'>
  readonly #secrets: SecretOptions
  /** Folder for the output of the processes. */
  readonly folder = mkdtempSync(join(tmpdir(), 'payctl-seeds-'))
  readonly #running = new Set<ChildProcess>()
  #started = 0

  constructor(context: Context, secrets: SecretOptions) {
    this.#context = context
    this.#secrets = secrets
    const events: EventTarget = context.signal
    for (const type of ['abort', 'further']) events.addEventListener(type, this.#passOn)
  }

  start(run: Omit<Handover, 'secrets'>): RunningSeed {
    const { argv, env } = this.#context
    const number = ++this.#started
    const files = ['stdout', 'stderr'].map((name) => join(this.folder, `${number}.${name}`)) as [string, string]
    const [stdout, stderr] = files.map((file) => openSync(file, 'ax', 0o600))
    const handover: Handover = { ...run, secrets: this.#secrets }
    const given = argumentsWithout([...secretFlags, '--oauth-client'], { argv, options: optionsOf(flags) })
    const started = monotonicClock()
    const child = spawn(execPath, [payctlProgram, ...given], {
      stdio: ['ignore', stdout, stderr, 'ipc'],
      env: { ...env, [seedRunVariable]: JSON.stringify(handover) },
      windowsHide: true,
    })
    for (const file of [stdout, stderr]) closeSync(file as number)
    this.#running.add(child)
    const output = () => {
      const [out, err] = files.map((file) => readFileSync(file, 'utf8'))
      return { stdout: out ?? '', stderr: err ?? '' }
    }
    const end = this.#endOf(child).then((ended) => ({
      ...ended,
      seed: run.seed,
      seconds: (monotonicClock() - started) / 1000,
      output,
    }))
    return { end, stop: () => void child.kill('SIGTERM') }
  }

  async #endOf(child: ChildProcess): Promise<Ended & { readonly isInterrupted: boolean }> {
    let answer: { readonly ended: Ended; readonly isInterrupted: boolean } | undefined
    child.once('message', (message) => {
      answer = message as typeof answer
    })
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    this.#running.delete(child)
    if (answer) {
      const { ended, isInterrupted } = answer
      // An interrupted command has not passed, even with exit code 0.
      return { ...ended, code: ended.code || (isInterrupted ? exits.interrupted.code : 0), isInterrupted }
    }
    const exit = code ?? 128 + constants.signals[killedBy ?? 'SIGKILL']
    return { code: exit, chaos: null, failing: [], isInterrupted: exit === exits.interrupted.code }
  }

  #passOn = (event: Event): void => {
    const name = (event instanceof CustomEvent ? event.detail : undefined) ?? this.#context.signal.reason
    for (const child of this.#running) child.kill(name)
  };

  [Symbol.dispose](): void {
    const events: EventTarget = this.#context.signal
    for (const type of ['abort', 'further']) events.removeEventListener(type, this.#passOn)
    rmSync(this.folder, { recursive: true, force: true })
  }
}
