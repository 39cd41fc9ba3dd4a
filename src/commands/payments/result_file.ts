import { closeSync, createReadStream, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { reasonOf, UsageError } from '../../errors/cli_error.ts'
import { fileFault } from '../../files/file_fault.ts'
import { type Appendable, openEmpty } from '../../files/open_private.ts'
import { chosenColumns } from '../../output/chosen_columns.ts'
import type { Column } from '../../output/output.ts'
import type { Renderer } from '../../output/renderer.ts'
import type { Results } from '../../payments/batch_plan.ts'
import type { ResultRow } from '../../payments/batch_result.ts'
import { requireWritable, writeWhole } from '../../sheets/output_file.ts'
import type { CsvDialect } from '../../sheets/sheet.ts'
import { isXlsxName } from '../../sheets/write_sheet.ts'
import { say, type Text } from '../../words/text.ts'

// The file that `--output-file` names.

/** Columns and CSV form of the rows to write. */
interface Shape<Row> {
  readonly columns: readonly Column<Row>[]
  /** Names of the columns to write, if chosen. */
  readonly chosen: readonly string[] | undefined
  /** Form of the caller's own CSV file. */
  readonly form: CsvDialect | null
}

/** Opens the file for results and empties it, because the run reports every row again. Throws UsageError. */
export async function openResultFile<Row extends ResultRow>(
  path: string,
  { columns: all, chosen, form }: Shape<Row>,
): Promise<Results<Row>> {
  if (chosen && /json/i.test(extname(path))) {
    throw new UsageError(
      say`--columns chooses columns of .csv, .tsv and .xlsx; ${path} has every field. Nothing was sent.`,
      'Leave --columns out, or name another file',
    )
  }
  const columns = chosen === undefined ? all : chosenColumns(chosen, all, 'csv')
  const rowsIn = isXlsxName(path) ? `${path}.unfinished.ndjson` : path
  const renderer = await rendererFor(rowsIn, form)
  try {
    requireWritable({ path, force: true })
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new UsageError(say`${path} is a link`)
    const file = new ResultFile(rowsIn, await openEmpty(rowsIn), { renderer, columns })
    return rowsIn === path ? file : new ResultWorkbook(path, file, columns)
  } catch (error) {
    throw new UsageError(
      say`The result file can't be written: ${reasonWithFile(rowsIn, error)}. Nothing was sent.`,
      'Name another one',
    )
  }
}

/** Reason of an error, with the name of the file if the reason is the file system's. */
const reasonWithFile = (path: string, error: unknown): Text =>
  error instanceof Error && 'syscall' in error ? say`${path}: ${fileFault(error)}` : reasonOf(error)

interface RowFormat<Row> {
  readonly renderer: Renderer
  readonly columns: readonly Column<Row>[]
}

/** Place of a row's text in the file, in bytes. */
interface Written {
  readonly line: number
  readonly start: number
  readonly length: number
}

/**
 * Appends rows as they become known, so that they survive a killed run. Once all rows are known, sorts them into the
 * order of the caller's file.
 */
class ResultFile<Row extends ResultRow> implements Results<Row> {
  readonly path: string
  readonly #file: Appendable
  readonly #form: RowFormat<Row>

  constructor(path: string, file: Appendable, form: RowFormat<Row>) {
    this.path = path
    this.#file = file
    this.#form = form
  }

  /** Throws an error that names the file. */
  async write(rows: AsyncIterable<Row>): Promise<void> {
    try {
      const written = await this.#append(rows)
      await this.#file.sync().catch(requireSyncable)
      const isSorted = written.every(({ line }, at) => line >= (written[at - 1]?.line ?? 0))
      if (!isSorted && statSync(this.path).isFile()) await this.#sort(written)
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
      const said = reasonWithFile(this.path, error)
      throw Object.assign(new Error(String(said), { cause: error }), { said })
    }
  }

  /** The renderer yields one string for each row, perhaps with other strings before and after all rows. */
  async #append(rows: AsyncIterable<Row>): Promise<readonly Written[]> {
    const { renderer, columns } = this.#form
    const written: Written[] = []
    let row: Row | undefined
    const taken = async function* (): AsyncGenerator<Row, void> {
      for await (const one of rows) {
        row = one
        yield one
        row = undefined
      }
    }
    let start = 0
    for await (const text of renderer.rows(taken(), columns)) {
      const length = Buffer.byteLength(text)
      if (row) written.push({ line: row.line ?? 0, start, length })
      start += length
      await this.#file.appendFile(text)
    }
    return written
  }

  async #sort(written: readonly Written[]): Promise<void> {
    const [first] = written
    const last = written.at(-1)
    if (!first || !last) return
    const descriptor = openSync(this.path, 'r')
    const read = (start: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start))
    }
    try {
      await writeWhole({ path: this.path, force: true }, async (file) => {
        await file.appendFile(read(0, first.start))
        for (const [at, { start, length }] of written.toSorted((one, other) => one.line - other.line).entries()) {
          const bytes = read(start, length)
          // A JSON array has a bracket before its first row, and a comma before each later row.
          if (extname(this.path).toLowerCase() === '.json') bytes.write(at === 0 ? '[' : ',')
          await file.appendFile(bytes)
        }
        const end = last.start + last.length
        await file.appendFile(read(end, fstatSync(descriptor).size - end))
      })
    } finally {
      closeSync(descriptor)
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/**
 * Nothing can be appended to a workbook: rows are saved in a draft beside the workbook, and the draft survives a killed
 * run. The workbook is written when all rows are known.
 */
class ResultWorkbook<Row extends ResultRow> implements Results<Row> {
  readonly #path: string
  readonly #draft: ResultFile<Row>
  readonly #columns: readonly Column<Row>[]
  #isWritten = false

  constructor(path: string, draft: ResultFile<Row>, columns: readonly Column<Row>[]) {
    this.#path = path
    this.#draft = draft
    this.#columns = columns
  }

  async write(rows: AsyncIterable<Row>): Promise<void> {
    await this.#draft.write(rows)
    try {
      const { xlsx } = await import('../../output/spreadsheet_formats.ts')
      const bytes = await xlsx(rowsIn<Row>(this.#draft.path), this.#columns)
      await writeWhole({ path: this.#path, force: true }, (file) => file.appendFile(bytes))
      this.#isWritten = true
    } catch (error) {
      const said = say`${reasonWithFile(this.#path, error)}; the rows are in ${this.#draft.path}`
      throw Object.assign(new Error(String(said), { cause: error }), { said })
    }
  }

  async close(): Promise<void> {
    await this.#draft.close()
    if (this.#isWritten) await rm(this.#draft.path, { force: true })
  }
}

async function* rowsIn<Row>(ndjson: string): AsyncGenerator<Row, void> {
  for await (const line of createInterface({ input: createReadStream(ndjson) })) yield JSON.parse(line)
}

/** Pipes and devices cannot be synced. */
function requireSyncable(error: unknown): void {
  const isStream = error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP')
  if (!isStream) throw error
}

/** Throws UsageError for a path to which the results can't be written. Call this function before any other work. */
export function checkResultPath(path: string, input?: string): void {
  if (!(extname(path).toLowerCase() in renderers) && !isXlsxName(path)) {
    throw new UsageError(
      say`The result file ${path} must end in ${Object.keys(renderers).join(', ')} or .xlsx. Nothing was sent.`,
      'The ending of the name sets the format: --output-file result.csv',
    )
  }
  if (input !== undefined && isSameFile(path, input)) {
    throw new UsageError(
      say`The result file ${path} is the file of payments itself. Nothing was sent.`,
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

async function rendererFor(path: string, form: CsvDialect | null): Promise<Renderer> {
  if (form && /\.csv$/i.test(path)) return (await import('../../output/spreadsheet_formats.ts')).csvLike(form)
  const load = renderers[extname(path).toLowerCase()]
  if (!load) throw new Error(`No format for ${path}`)
  return await load()
}

/** True if both paths lead to the same file; `-` is the file that stdin is redirected from. */
function isSameFile(path: string, input: string): boolean {
  try {
    const [one, other] = [statSync(path), input === '-' ? fstatSync(0) : statSync(input)]
    return one.isFile() && one.ino === other.ino && one.dev === other.dev
  } catch {
    return false // one of the files is missing
  }
}
