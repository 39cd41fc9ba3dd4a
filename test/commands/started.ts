import { PassThrough, type Readable, type Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { execa, type Options } from 'execa'
import { main } from '../../src/main.ts'
import { full } from '../full.ts'

const payctl = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

export interface Ended {
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  readonly failed: boolean
  readonly stdout: string
  readonly stderr: string
}

/** A run of payctl that goes on: what tests use of a process. */
export interface Running extends Promise<Ended> {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly pid: number | undefined
  kill(signal?: NodeJS.Signals): boolean
}

export interface StartOptions extends Omit<Options, 'env' | 'input'> {
  /** All of its environment, but for PATH and the folder of compiled code. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** All of stdin; without it stdin stays open. */
  readonly input?: string | Uint8Array
  readonly nodeArgs?: readonly string[]
  /** What runs Node and the rest of the arguments. */
  readonly file?: string
  /** Even in the quick tests: for what only a process has, as signals that end it, modes and descriptors. */
  readonly process?: boolean
}

/** What a run in this process does as a process does it. */
const common = ['env', 'input', 'stdin', 'stripFinalNewline', 'maxBuffer', 'buffer', 'process']

/** Starts payctl: in the full tests the built one as a process, in the quick ones `main` in this process where that shows the same. */
export function startRun(args: readonly string[], options: StartOptions): Running {
  const asProcess = options.process ?? (full || Object.keys(options).some((name) => !common.includes(name)))
  return asProcess ? startProcess(args, options) : startMain(args, options)
}

function startProcess(
  args: readonly string[],
  { file = process.execPath, nodeArgs = [], process: _, env, ...options }: StartOptions,
): Running {
  const own = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, ...env }
  const settings = { env: own, extendEnv: false, reject: false, ...options } as Options
  return execa(file, [...nodeArgs, payctl, ...args], settings) as unknown as Running
}

function startMain(args: readonly string[], { env, input, stdin: source, stripFinalNewline = true }: StartOptions) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  if (input !== undefined || source === 'ignore') stdin.end(input)
  const said = { stdout: collected(stdout), stderr: collected(stderr) }
  const interruption = new AbortController()
  const run = async (): Promise<Ended> => {
    const exitCode = await main(
      args,
      { PATH: process.env.PATH, ...env },
      { stdin, stdout, stderr },
      interruption.signal,
    )
    stdout.end()
    stderr.end()
    const last = (chunks: readonly Buffer[]) =>
      stripFinalNewline ? String(Buffer.concat(chunks)).replace(/\r?\n$/, '') : String(Buffer.concat(chunks))
    const [out, err] = [last(said.stdout), last(said.stderr)]
    return { exitCode, signal: undefined, failed: exitCode !== 0, stdout: out, stderr: err }
  }
  const kill = (signal: NodeJS.Signals = 'SIGTERM') => {
    // Nobody kills what runs here: it is interrupted.
    interruption.abort(signal === 'SIGKILL' ? 'SIGTERM' : signal)
    return true
  }
  return Object.assign(run(), { stdin, stdout, stderr, pid: undefined, kill })
}

function collected(stream: PassThrough): readonly Buffer[] {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)))
  return chunks
}
