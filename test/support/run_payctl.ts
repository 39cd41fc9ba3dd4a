import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { main } from '../../src/main.ts'

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Settings {
  readonly env?: Readonly<Record<string, string>>
  /** Width of the terminal on stdin, stdout and stderr; without it they are pipes. */
  readonly terminal?: number
  readonly signal?: AbortSignal
  /** All of stdin; without it stdin stays open. */
  readonly input?: string | Uint8Array
  /** A replacement for stdin, such as a stream that fails. */
  readonly stdin?: PassThrough
  /** Called with everything written so far. */
  readonly onStdout?: (text: string) => void
  readonly onStderr?: (text: string) => void
}

/** A stream that saves everything written to it. */
export class Captured extends Writable {
  readonly isTTY: boolean
  readonly columns: number
  #chunks: Buffer[] = []
  readonly #onText: ((text: string) => void) | undefined

  constructor(columns = 0, onText?: (text: string) => void) {
    super()
    this.isTTY = columns > 0
    this.columns = columns
    this.#onText = onText
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
    this.#onText?.(this.text)
  }

  /** Does nothing: the stream does not track the cursor. */
  cursorTo = (): boolean => true
  moveCursor = (): boolean => true
  clearLine = (): boolean => true

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'payctl-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Runs the command line in this process, without the environment of the machine. */
export async function runPayctl(argv: readonly string[], settings: Settings = {}): Promise<Finished> {
  const { env = {}, terminal = 0, signal = new AbortController().signal, input } = settings
  const [stdout, stderr] = [new Captured(terminal, settings.onStdout), new Captured(terminal, settings.onStderr)]
  const stdin = Object.assign(settings.stdin ?? new PassThrough(), { isTTY: terminal > 0 && input === undefined })
  if (input !== undefined) stdin.end(input)
  const state = env.PAYCTL_STATE_DIR ?? (await temporaryDirectory())
  const own = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: join(state, 'config'), ...env }
  const code = await main(argv, own, { stdin, stdout, stderr }, signal)
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** The environment of a run against a server. */
export const at = (url: string) => ({ env: { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: 'token-of-the-test' } })
