import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { grouped } from '../run/counts.ts'
import type { Reporter } from '../run/reporter.ts'
import type { Target } from '../sheets/output_file.ts'
import type { Sheet } from '../sheets/sheet.ts'
import { type ExtendedRow, isXlsxName, writeExtended } from '../sheets/write_sheet.ts'
import { mostRows, tooManyRows } from '../sheets/write_xlsx.ts'
import { say } from '../words/text.ts'
import { type Answer, AnswerFile, longestRun, openAnswerFolder, outcomeOf } from './answers.ts'
import { askForHolders, type HolderSource } from './ask_for_holders.ts'
import { type ExpectedColumns, HolderChecks } from './holder_checks.ts'
import { type CellKey, keyOf, type LookupColumn } from './sheet_columns.ts'

interface FileLookup extends HolderSource {
  /** Opens the sheet from its first row, with its blank rows; `onBytes` receives every byte of the file. */
  readonly open: (onBytes: (bytes: Uint8Array) => void) => Promise<Sheet>
  /** The sheet as it was read to choose the columns. */
  readonly sample: Omit<Sheet, 'rows'>
  readonly columns: readonly LookupColumn[]
  /** Columns to compare with the holders. */
  readonly expected: ExpectedColumns
  readonly target: Target
  readonly stateDir: string
  /** Key of service, user and world: saved answers are valid only for them. */
  readonly asker: string
  /** Milliseconds for which other runs may use an answer; 0: don't save answers. */
  readonly cacheMs: number
}

/** Counts of a file's values by result. A value that occurs twice counts twice. */
export interface FileLookupResult {
  readonly rows: number
  readonly columns: number
  readonly added: number
  readonly found: number
  readonly notFound: number
  /** Number of values that are not phone numbers or IBANs, or that the service refused. */
  readonly invalid: number
  /** Numbers of the first lines with invalid values. */
  readonly invalidLines: readonly number[]
  /** True if more lines have invalid values. */
  readonly areMore: boolean
  /** Number of values that have no result because the service failed. */
  readonly failed: number
  /** Results of comparing holders with what the rows expect; null if nothing is compared. */
  readonly names: HolderChecks['names']
  readonly documents: HolderChecks['documents']
  /** Number of distinct values answered from earlier runs. */
  readonly remembered: number
  /** True if a later run with the same file can use the answers of this run. */
  readonly isSaved: boolean
  readonly encoding: string
}

/** Milliseconds for which "not found" is valid: short, because people may enrol. */
const notFoundMs = 3_600_000

/**
 * Looks up the values of columns and writes the rows to another file, with the results beside them. Requests each value
 * once. Saves each answer to disk at once: after an interruption, a run with a file of the same content continues from
 * the saved answers.
 */
export async function lookUpFile(lookup: FileLookup): Promise<FileLookupResult> {
  const { columns, sample, reporter, stateDir, asker, cacheMs, signal } = lookup
  const values = await valuesOf(lookup)
  const folder = openAnswerFolder(stateDir)
  if (folder === undefined)
    reporter.remark(say`${stateDir} can't be written: an interrupted run must start from the beginning.`)
  const fileOf = (kind: string, ...parts: readonly string[]) =>
    folder === undefined ? undefined : join(folder, `${kind}-${digest([asker, ...parts])}.ndjson`)
  const cache =
    cacheMs > 0
      ? new AnswerFile(fileOf('answers'), { found: cacheMs, notFound: Math.min(cacheMs, notFoundMs) })
      : undefined
  const places = [...(sample.xlsx ? [sample.xlsx.sheet] : []), ...columns.map(({ at }) => String(at))]
  const run = new AnswerFile(fileOf('run', values.content, ...places), { found: longestRun, notFound: longestRun })
  try {
    const answers = savedAnswers(values.keys, run, cache)
    const remembered = answers.size
    noteSavedAnswers(run.size, remembered - run.size, values.keys.size, reporter)
    const missing = [...values.keys].filter((key) => !answers.has(key))
    const failed = await askForHolders(missing, lookup, { answers, run, cache })
    const result = await write(lookup, answers, values).catch((error) => {
      // The answers of a run are found again only for the same content.
      const isSaved = error instanceof FileChanged ? cache?.isSaved : run.isSaved
      if (isSaved && !signal.aborted)
        reporter.remark('The answers are saved. Run the command again: it asks only for the values without an answer.')
      throw error
    })
    const isSaved = run.isSaved || cache?.isSaved === true
    if (failed === 0) await run.remove()
    return { ...result, remembered, isSaved }
  } finally {
    reporter.progress(null)
    await Promise.all([run.close(), cache?.close()])
  }
}

/** Answers to these keys, saved by an interrupted run on equal content or by other runs. */
function savedAnswers(keys: ReadonlySet<string>, run: AnswerFile, cache: AnswerFile | undefined): Map<string, Answer> {
  const answers = new Map<string, Answer>()
  for (const key of keys) {
    const answer = run.get(key) ?? cache?.get(key)
    if (answer) answers.set(key, answer)
  }
  return answers
}

/** Prints notes about answers that were saved before this run. `total`: count of distinct values. */
function noteSavedAnswers(ofThisFile: number, ofOthers: number, total: number, reporter: Reporter): void {
  if (ofThisFile > 0) {
    reporter.remark(
      say`Continuing where a run stopped. Values already answered: ${grouped(ofThisFile)} of ${grouped(total)}.`,
    )
  }
  if (ofOthers > 0) {
    const text =
      ofOthers === 1 ? say`1 answer is from another run.` : say`${grouped(ofOthers)} answers are from other runs.`
    reporter.remark(text, { kind: 'bypass_cache' })
  }
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** Content of the file, from a first reading. */
interface Values {
  /** Every distinct value. */
  readonly keys: ReadonlySet<string>
  /** Digest of the bytes. */
  readonly content: string
  /** Number of cells in the longest row: in CSV, a row can be longer than the header. */
  readonly width: number
  /** The sheet with the encoding of the whole file: the sample may end before the first letter beyond ASCII. */
  readonly sheet: Pick<Sheet, 'csv' | 'xlsx'>
}

/** Reads the file for the first time. Throws for more rows than can be written. */
async function valuesOf({ open, columns, target }: FileLookup): Promise<Values> {
  const hash = createHash('sha256')
  const sheet = await open((bytes) => hash.update(bytes))
  const most = isXlsxName(target.path) ? mostRows : Number.POSITIVE_INFINITY
  const keys = new Set<string>()
  let rows = 0
  let width = sheet.header?.cells.length ?? 0
  for await (const row of sheet.rows) {
    rows += 1
    if (rows > most) throw tooManyRows('Nothing was looked up.', { kind: 'write_csv' })
    width = Math.max(width, row.cells.length)
    for (const column of columns) {
      const cell = keyOf(row, column)
      if (cell && 'key' in cell) keys.add(cell.key)
    }
  }
  return { keys, content: hash.digest('hex'), width, sheet }
}

/**
 * Second parts of the added columns' headings: `phone: holder`. The first part is the heading of the looked-up column.
 */
const added = ['holder', 'document', 'entity', 'currency', 'status', 'reason'] as const

type Result = Omit<FileLookupResult, 'remembered' | 'isSaved'>

class FileChanged extends UsageError {
  constructor() {
    super('The file changed while its values were looked up.', 'Run the command again')
  }
}

/** Reads the file a second time, and writes its rows, with the answers beside them, to the target file. */
async function write(
  lookup: FileLookup,
  answers: ReadonlyMap<string, Answer>,
  { content, width, sheet: original }: Values,
): Promise<Result> {
  const { open, columns, expected, target, signal, sample } = lookup
  let counts = new Counts()
  let checks = new HolderChecks(expected)
  const headings = [...added, ...checks.headings]
  const rows = async function* (): AsyncGenerator<ExtendedRow, void> {
    counts = new Counts()
    checks = new HolderChecks(expected)
    const hash = createHash('sha256')
    const sheet = await open((bytes) => hash.update(bytes))
    for (const row of sheet.before) yield { row, added: [] }
    if (sheet.header) {
      yield { row: sheet.header, added: columns.flatMap(({ name }) => headings.map((what) => `${name}: ${what}`)) }
    }
    for await (const row of sheet.rows) {
      signal.throwIfAborted()
      const isBlank = row.cells.every((cell) => cell.trim() === '')
      if (!isBlank) counts.rows += 1
      const cells = columns.flatMap((column) => {
        const cell = keyOf(row, column)
        const answer = answerTo(cell, answers)
        counts.add(row.line, cell, answer)
        const { name, document_number, entity_name, currency, status, reason } = answer
        const found = [name, document_number, entity_name, currency, status, reason].map((value) => value ?? '')
        return [...found, ...checks.cellsOf(row, answer)]
      })
      yield { row, added: isBlank ? [] : cells }
    }
    if (hash.digest('hex') !== content) throw new FileChanged()
  }
  const encoding = await writeExtended(target, { sheet: original, width, headerLine: sample.header?.line, rows })
  const { names, documents } = checks
  return { ...counts, names, documents, columns: width, added: columns.length * headings.length, encoding }
}

function answerTo(cell: CellKey, answers: ReadonlyMap<string, Answer>): Answer {
  if (!cell) return { reason: 'the cell is empty' }
  if ('fault' in cell) return { status: 'invalid', reason: cell.fault }
  return answers.get(cell.key) ?? { status: 'failed', reason: 'it was not looked up' }
}

/** Maximum number of listed lines with invalid values. */
const mostLines = 5

class Counts {
  rows = 0
  found = 0
  notFound = 0
  invalid = 0
  failed = 0
  readonly invalidLines: number[] = []
  areMore = false

  add(line: number, cell: CellKey, answer: Answer): void {
    if (!cell) return
    const outcome = outcomeOf(answer)
    if (outcome === 'found') this.found += 1
    else if (outcome === 'not_found') this.notFound += 1
    else if (outcome === 'failed') this.failed += 1
    else {
      this.invalid += 1
      if (this.invalidLines.at(-1) === line) return
      if (this.invalidLines.length < mostLines) this.invalidLines.push(line)
      else this.areMore = true
    }
  }
}
