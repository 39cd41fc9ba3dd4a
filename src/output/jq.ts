import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { say } from '../words/text.ts'

export interface JqTask {
  readonly program: string
  /** Concatenated JSON texts. */
  readonly json: string
}

/** `stdout` contains compact JSON, one value per line. The thread answers null if it ran out of memory. */
export interface JqResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Values as JSON texts, the output of `debug` and `stderr`, and the error that ended the program. */
export interface JqOutput {
  readonly values: readonly string[]
  readonly notes: readonly string[]
  readonly fault: string | undefined
}

/**
 * jq sees rows in groups of a hundred, which must not affect the output, so these functions are disabled. The function
 * `env` returns nothing, because jq runs in a thread without environment variables.
 */
const prelude = [
  'def input: error("input is not available: the program gets one value at a time");',
  'def inputs: input;',
  'def halt: error("halt is not available");',
  'def halt_error: error;',
  'def halt_error($code): error;',
].join(' ')

const compileError = 3

/** Reason why a jq program failed that needed more than the 256 MiB that jq has. */
const outOfMemory = 'the program needs more memory than jq has here'

const exhausted: JqResult = { stdout: '', stderr: `jq: error: ${outOfMemory}`, exitCode: 5 }

const folder = import.meta.dirname
const extension = extname(import.meta.filename)

const workerFile = join(folder, `jq_worker${extension}`)

/** The build puts a copy of the file next to the bundle. */
const wasmFile =
  extension === '.cjs' ? join(folder, 'jq.wasm') : createRequire(import.meta.url).resolve('jq-wasm/jq.wasm')

/** One jq program, in a thread that an abort of the signal stops. */
export class Jq {
  readonly #program: string
  readonly #signal: AbortSignal
  readonly #worker: Worker

  private constructor(program: string, signal: AbortSignal) {
    this.#program = program
    this.#signal = signal
    this.#worker = new Worker(workerFile, { workerData: { wasmFile }, env: {}, stdout: true, stderr: true })
    this.#worker.unref()
  }

  /** Throws UsageError if the program is not valid jq. */
  static async start(program: string, signal: AbortSignal): Promise<Jq> {
    const jq = new Jq(program, signal)
    const { exitCode, stderr } = await jq.#send({ program, json: '' })
    if (exitCode === 0) return jq
    await jq.close()
    throw new UsageError(
      say`The --jq program is not valid: ${explain(stderr)}.`,
      exitCode === compileError
        ? "Quote it for the shell: --jq '.[].id'. The language: https://jqlang.org/manual"
        : undefined,
    )
  }

  /** Runs the program on each of the JSON texts. Rejects with the signal's reason after an abort. */
  async run(json: string): Promise<JqOutput> {
    const { stdout, stderr, exitCode } = await this.#send({ program: `${prelude} ${this.#program}`, json })
    const lines = stderr === '' ? [] : stderr.split('\n')
    const isError = (line: string) => line.startsWith('jq: error')
    // The exit code describes only the last value.
    const error = lines.find(isError)
    const failed = exitCode !== 0 || error !== undefined
    return {
      values: stdout === '' ? [] : stdout.split('\n'),
      notes: lines.filter((line) => !isError(line)),
      fault: failed ? explain(error ?? stderr) : undefined,
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(task: JqTask): Promise<JqResult> {
    const worker = this.#worker
    const signal = this.#signal
    const stop = () => worker.terminate()
    return new Promise<JqResult>((resolve, reject) => {
      signal.throwIfAborted()
      signal.addEventListener('abort', stop)
      worker.once('message', (result: JqResult | null) => resolve(result ?? exhausted))
      worker.once('error', reject)
      worker.once('exit', () => reject(signal.aborted ? signal.reason : new Error('jq ended unexpectedly.')))
      worker.ref()
      worker.postMessage(task)
    }).finally(() => {
      signal.removeEventListener('abort', stop)
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      worker.unref()
    })
  }
}

/** `jq: error (at /dev/stdin:0): boom` becomes `boom`; uses the first of several lines. */
const explain = (stderr: string): string =>
  (stderr.split('\n', 1)[0] ?? '').replace(/^jq: error(?: \(at [^)]*\))?:? ?/, '').replace(/[.:]$/, '') || 'it failed'

/**
 * Error for a jq program that failed on the values. `changed`: true if the service has carried out a change, or may
 * have done so. `isPrinted`: true if stdout has the whole answer.
 */
export function jqFailure(fault: string, changed: boolean, isPrinted = false): CliError {
  if (!changed) {
    return new UsageError(
      say`--jq failed: ${fault}.`,
      fault === outOfMemory
        ? 'Filter row by row: add --output ndjson.'
        : 'Run the command with --json instead of --jq: the program reads that output.',
    )
  }
  return new CliError(
    'outcome_unknown',
    say`The request was sent, but --jq failed on the result: ${fault}.`,
    isPrinted
      ? 'Do not send it again: stdout has the whole answer, unfiltered.'
      : 'Do not send it again: read the result, without --jq.',
  )
}
