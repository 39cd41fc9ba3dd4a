import { PassThrough, type Readable, type Writable } from 'node:stream'
import { execa, type Options } from 'execa'
import { main } from '../../src/main.ts'
import { payctlCommand, payctlOnNode } from './program.ts'

export interface Ended {
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  readonly failed: boolean
  readonly stdout: string
  readonly stderr: string
}

/** A run of payctl in progress: the part of a process that tests use. */
export interface Running extends Promise<Ended> {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly pid: number | undefined
  kill(signal?: NodeJS.Signals): boolean
}

export interface RunOptions extends Omit<Options, 'env' | 'input'> {
  /** The whole environment of the run, except for PATH and the folder of compiled code. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** All of stdin; without it stdin stays open. */
  readonly input?: string | Uint8Array
  /** Flags for Node, such as `--require`. */
  readonly nodeArgs?: readonly string[]
  /** Words of a command that starts payctl, such as a shell with a limit. */
  readonly through?: readonly [file: string, ...args: string[]]
}

/** Starts the built payctl as a process. */
export function startProcess(args: readonly string[], { through, nodeArgs, env, ...options }: RunOptions): Running {
  const whole = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, ...env }
  const settings = { env: whole, extendEnv: false, reject: false, ...options } as Options
  const [file, own] = nodeArgs?.length ? payctlOnNode(nodeArgs, args) : payctlCommand(args)
  const running = through
    ? execa(through[0], [...through.slice(1), file, ...own], settings)
    : execa(file, own, settings)
  return running as unknown as Running
}

/** Starts `main` in this process. */
export function startMain(
  args: readonly string[],
  { env, input, stdin: source, stripFinalNewline = true }: RunOptions,
) {
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
    // Nothing can kill a run in this process, so SIGKILL interrupts it.
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
