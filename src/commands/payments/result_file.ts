import { createReadStream, fstatSync, lstatSync, statSync } from 'node:fs'
import { type FileHandle, rm } from 'node:fs/promises'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { reasonOf, UsageError } from '../../errors/cli_error.ts'
import { openEmpty } from '../../files/open_private.ts'
import { chosenColumns } from '../../output/chosen_columns.ts'
import type { Column } from '../../output/output.ts'
import type { Renderer } from '../../output/renderer.ts'
import type { Results } from '../../payments/batch_plan.ts'
import type { ResultRow } from '../../payments/batch_result.ts'
import { requireWritable, writeWhole } from '../../sheets/output_file.ts'
import { isXlsxName } from '../../sheets/write_sheet.ts'
import { columnsWith } from './batch_results.ts'

// The file that `--output-file` names.

/**
 * Opens the file for results and empties it, because the run reports all rows. `own`: names of columns of the caller's
 * file. `chosen`: names of the columns to write. Throws UsageError.
 */
export async function openResultFile(
  path: string,
  own: readonly string[],
  chosen: readonly string[] | undefined,
): Promise<Results> {
  if (chosen && /json/i.test(extname(path))) {
    throw new UsageError(
      `--columns chooses columns of .csv, .tsv and .xlsx; ${path} has every field. Nothing was sent.`,
      'Leave it out, or name another file',
    )
  }
  const columns = chosen === undefined ? columnsWith(own) : chosenColumns(chosen, columnsWith(own), 'csv')
  const rowsIn = isXlsxName(path) ? `${path}.unfinished.ndjson` : path
  const renderer = await rendererFor(rowsIn)
  try {
    requireWritable({ path, force: true })
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link`)
    const file = new ResultFile(rowsIn, await openEmpty(rowsIn), { renderer, columns })
    return rowsIn === path ? file : new ResultWorkbook(path, file, columns)
  } catch (error) {
    throw new UsageError(`The result file can't be written: ${reasonOf(error)}. Nothing was sent.`, 'Name another one')
  }
}

interface RowFormat {
  readonly renderer: Renderer
  readonly columns: readonly Column<ResultRow>[]
}

/** Appends rows as they become known, so that they survive a killed run. */
class ResultFile implements Results {
  readonly path: string
  readonly #file: FileHandle
  readonly #form: RowFormat

  constructor(path: string, file: FileHandle, form: RowFormat) {
    this.path = path
    this.#file = file
    this.#form = form
  }

  /** Throws an error that names the file. */
  async write(rows: AsyncIterable<ResultRow>): Promise<void> {
    const { renderer, columns } = this.#form
    try {
      for await (const text of renderer.rows(rows, columns)) await this.#file.appendFile(text)
      await this.#file.sync().catch(requireSyncable)
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      throw new Error(`${this.path}: ${error.message}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** A workbook can't be added to: rows are kept in a draft beside it, which a killed run leaves, and written once all are known. */
class ResultWorkbook implements Results {
  readonly #path: string
  readonly #draft: ResultFile
  readonly #columns: readonly Column<ResultRow>[]
  #isWritten = false

  constructor(path: string, draft: ResultFile, columns: readonly Column<ResultRow>[]) {
    this.#path = path
    this.#draft = draft
    this.#columns = columns
  }

  async write(rows: AsyncIterable<ResultRow>): Promise<void> {
    await this.#draft.write(rows)
    try {
      const { xlsx } = await import('../../output/spreadsheet_formats.ts')
      const bytes = await xlsx(rowsIn(this.#draft.path), this.#columns)
      await writeWhole({ path: this.#path, force: true }, (file) => file.writeFile(bytes))
      this.#isWritten = true
    } catch (error) {
      throw new Error(`${reasonOf(error)}; the rows are in ${this.#draft.path}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    await this.#draft.close()
    if (this.#isWritten) await rm(this.#draft.path, { force: true })
  }
}

async function* rowsIn(ndjson: string): AsyncGenerator<ResultRow, void> {
  for await (const line of createInterface({ input: createReadStream(ndjson) })) yield JSON.parse(line)
}

/** Pipes and devices cannot be synced. */
function requireSyncable(error: unknown): void {
  const isStream = error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP')
  if (!isStream) throw error
}

/** Must be called before anything else. */
export function checkResultPath(path: string, input?: string): void {
  if (!(extname(path).toLowerCase() in renderers) && !isXlsxName(path)) {
    throw new UsageError(
      `The result file ${path} has none of the endings ${Object.keys(renderers).join(', ')}, .xlsx. Nothing was sent.`,
      'Its ending says its format: --output-file result.csv',
    )
  }
  if (input !== undefined && isSameFile(path, input)) {
    throw new UsageError(
      `The result file ${path} is the file of payments itself. Nothing was sent.`,
      'Name another one',
    )
  }
}

const renderers: Readonly<Record<string, () => Promise<Renderer>>> = {
  '.csv': async () => (await import('../../output/spreadsheet_formats.ts')).csv,
  '.tsv': async () => (await import('../../output/text_formats.ts')).tsv,
  '.ndjson': async () => (await import('../../output/text_formats.ts')).ndjson,
  '.jsonl': async () => (await import('../../output/text_formats.ts')).ndjson,
  '.json': async () => (await import('../../output/text_formats.ts')).json,
}

async function rendererFor(path: string): Promise<Renderer> {
  const load = renderers[extname(path).toLowerCase()]
  if (!load) throw new Error(`No format for ${path}`)
  return await load()
}

/** True if both are the same file, under any name; `-` is the file that stdin is redirected from. */
function isSameFile(path: string, input: string): boolean {
  try {
    const [one, other] = [statSync(path), input === '-' ? fstatSync(0) : statSync(input)]
    return one.isFile() && one.ino === other.ino && one.dev === other.dev
  } catch {
    return false // one of them is not there
  }
}
