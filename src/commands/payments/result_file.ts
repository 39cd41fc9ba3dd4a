import { fstatSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { UsageError } from '../../errors/cli_error.ts'
import { openEmpty } from '../../files/private_file.ts'
import type { Column } from '../../output/output.ts'
import type { Renderer } from '../../output/renderer.ts'
import type { ResultRow } from '../../payments/batch_result.ts'
import { requireWritable, type Target } from '../../sheets/output_file.ts'
import { columnsWith } from './batch_results.ts'

interface Shape {
  readonly renderer: Renderer
  readonly columns: readonly Column<ResultRow>[]
}

/** The file that `--result` names. Rows are appended as they become known, so that a killed run leaves them. */
export class ResultFile {
  readonly #path: string
  readonly #file: FileHandle
  readonly #renderer: Renderer
  readonly #columns: readonly Column<ResultRow>[]

  private constructor(path: string, file: FileHandle, shape: Shape) {
    this.#path = path
    this.#file = file
    this.#renderer = shape.renderer
    this.#columns = shape.columns
  }

  /** Empties it, because the run reports all rows. Throws UsageError. */
  static async open(path: string, own: readonly string[]): Promise<ResultFile> {
    const renderer = await rendererFor(path)
    try {
      return new ResultFile(path, await openEmpty(path), { renderer, columns: columnsWith(own) })
    } catch (error) {
      throw new UsageError(
        `The result file can't be written: ${messageOf(error)}. Nothing was sent.`,
        'Name another one',
      )
    }
  }

  /** Throws an error that names the file. */
  async write(rows: AsyncIterable<ResultRow>): Promise<void> {
    try {
      for await (const text of this.#renderer.rows(rows, this.#columns)) await this.#file.write(text)
      await this.#file.sync().catch(requireSyncable)
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      throw new Error(`${this.#path}: ${error.message}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Pipes and devices cannot be synced. */
function requireSyncable(error: unknown): void {
  const isStream = error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP')
  if (!isStream) throw error
}

/** Must be called before anything else. */
export function checkResultPath(path: string, input?: string): void {
  if (!(extname(path).toLowerCase() in renderers)) {
    throw new UsageError(
      `The result file ${path} has none of the endings ${Object.keys(renderers).join(', ')}. Nothing was sent.`,
      'Its ending says its format: --result result.csv',
    )
  }
  if (input !== undefined && isSameFile(path, input)) {
    throw new UsageError(
      `The result file ${path} is the file of payments itself. Nothing was sent.`,
      'Name another one',
    )
  }
}

/** Must be called before anything else. */
export function checkRejectsPath(target: Target, result: string | undefined): void {
  const { path } = target
  if (!/\.(csv|xlsx)$/i.test(path)) {
    throw new UsageError(
      `The file for refused rows ${path} has none of the endings .csv, .xlsx. Nothing was sent.`,
      'Its ending says its format: --rejects bad.csv',
    )
  }
  if (result !== undefined && resolve(path) === resolve(result)) {
    throw new UsageError('--rejects and --result name the same file. Nothing was sent.', 'Name two files')
  }
  requireWritable(target)
}

const renderers: Readonly<Record<string, () => Promise<Renderer>>> = {
  '.csv': async () => (await import('../../output/csv.ts')).csv,
  '.tsv': async () => (await import('../../output/separated.ts')).tsv,
  '.ndjson': async () => (await import('../../output/json.ts')).ndjson,
  '.jsonl': async () => (await import('../../output/json.ts')).ndjson,
  '.json': async () => (await import('../../output/json.ts')).json,
}

async function rendererFor(path: string): Promise<Renderer> {
  const load = renderers[extname(path).toLowerCase()]
  if (!load) throw new Error(`No format for ${path}`)
  return await load()
}

/** Whether both are the same file, under any name; `-` is the file that stdin is redirected from. */
function isSameFile(path: string, input: string): boolean {
  try {
    const [one, other] = [statSync(path), input === '-' ? fstatSync(0) : statSync(input)]
    return one.isFile() && one.ino === other.ino && one.dev === other.dev
  } catch {
    return false // one of them is not there
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
