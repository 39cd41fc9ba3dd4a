import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { onTestFinished, vi } from 'vitest'
import { main } from '../../../src/main.ts'

/** Sets the machine's clock forward until the test ends. */
export function later(ms: number): void {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
  }
  vi.setSystemTime(Date.now() + ms)
}

export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Payctl {
  readonly stateDir: string
  /** Writes a file and returns its path. */
  file(name: string, content: string): string
  /** This machine with another token or base URL. */
  as(other: { readonly token?: string; readonly baseUrl?: string }): Payctl
  run(...argv: readonly string[]): Promise<Run>
  /**
   * Runs payctl with a person at a terminal, who types `keys` at the first question, at once or when a promise
   * resolves.
   */
  ask(keys: string | (() => Promise<string>), ...argv: readonly string[]): Promise<Run>
  /** Runs payctl, and interrupts it as soon as `when` resolves. */
  interrupt(when: Promise<unknown>, ...argv: readonly string[]): Promise<Run>
}

/** payctl in this process, for `baseUrl`, with a separate state directory. */
export function payctl(
  baseUrl: string,
  { token }: { token: string | undefined } = { token: 'token-of-the-test' },
): Payctl {
  const home = mkdtempSync(join(tmpdir(), 'payctl-test-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return payctlIn(home, { baseUrl, token })
}

interface Target {
  readonly baseUrl: string
  readonly token: string | undefined
}

function payctlIn(home: string, target: Target): Payctl {
  const { baseUrl, token } = target
  const stateDir = join(home, 'state')
  const env = {
    PAYCTL_BASE_URL: baseUrl,
    PAYCTL_TOKEN: token,
    PAYCTL_STATE_DIR: stateDir,
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    NO_COLOR: '1',
  }
  const start = async (argv: readonly string[], stdin: PassThrough, options: Options = {}): Promise<Run> => {
    const stdout = new Capture()
    const stderr = new Capture(options.onStderr)
    if (options.terminal) Object.assign(stderr, { isTTY: true, columns: 200 })
    const io = { stdin: Object.assign(stdin, { isTTY: options.terminal === true }), stdout, stderr }
    const code = await main(argv, env, io, options.signal ?? new AbortController().signal)
    return { code, stdout: stdout.text, stderr: stderr.text }
  }
  return {
    stateDir,
    file(name, content) {
      const path = join(home, name)
      writeFileSync(path, content)
      return path
    },
    as: (other) => payctlIn(home, { ...target, ...other }),
    run: (...argv) => start(argv, new PassThrough()),
    ask(keys, ...argv) {
      const stdin = new PassThrough()
      const onStderr = (text: string) => {
        if (!text.includes('(y/N)')) return
        if (typeof keys === 'string') setImmediate(() => stdin.write(keys))
        else void keys().then((typed) => stdin.write(typed))
      }
      return start(argv, stdin, { terminal: true, onStderr })
    },
    interrupt(when, ...argv) {
      const controller = new AbortController()
      when.then(() => controller.abort('SIGINT'))
      return start(argv, new PassThrough(), { signal: controller.signal })
    },
  }
}

interface Options {
  readonly terminal?: boolean
  readonly onStderr?: (text: string) => void
  readonly signal?: AbortSignal
}

class Capture extends Writable {
  text = ''
  /** A terminal that ignores moves of the cursor. */
  cursorTo = (): boolean => true
  moveCursor = (): boolean => true
  clearLine = (): boolean => true
  readonly #onText: ((text: string) => void) | undefined

  constructor(onText?: (text: string) => void) {
    super({ decodeStrings: false })
    this.#onText = onText
  }

  /** Does nothing, because the streams of a process can't be ended. */
  override end(): this {
    return this
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    this.text += String(chunk)
    this.#onText?.(String(chunk))
    done()
  }
}

/** Arguments of the `payments resume` that a hint on stderr names. */
export const hinted = (stderr: string): string[] => (/payctl (payments resume .*)$/m.exec(stderr)?.[1] ?? '').split(' ')
