import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { UsageError } from '../errors/cli_error.ts'
import { grouped } from '../run/counts.ts'
import type { Reporter } from '../run/reporter.ts'
import type { Target } from '../sheets/output_file.ts'
import type { Sheet } from '../sheets/sheet.ts'
import { type ExtendedRow, isXlsxName, writeExtended } from '../sheets/write_sheet.ts'
import { mostRows, tooManyRows } from '../sheets/write_xlsx.ts'
import { type Answer, AnswerFile, longestRun, openAnswerFolder, outcomeOf } from './answers.ts'
import { askForHolders, type HolderSource } from './ask_for_holders.ts'
import { type CellKey, keyOf, type LookupColumn } from './sheet_columns.ts'

interface FileLookup extends HolderSource {
  /** Opens the sheet from its first row on, blank rows included; `onBytes` gets every byte of the file. */
  readonly open: (onBytes: (bytes: Uint8Array) => void) => Promise<Sheet>
  /** The sheet as it was opened to choose the columns. */
  readonly sample: Omit<Sheet, 'rows'>
  readonly columns: readonly LookupColumn[]
  readonly target: Target
  readonly stateDir: string
  /** Service, user and world: whose answers these are. */
  readonly asker: string
  /** Milliseconds for which an answer counts in another run; 0: no answer is kept. */
  readonly cacheMs: number
}

/** What became of the values of a file. A value that stands there twice counts twice. */
export interface FileLookupResult {
  readonly rows: number
  readonly columns: number
  readonly added: number
  readonly found: number
  readonly notFound: number
  /** No phones or IBANs, the first lines that have some, and whether there are more such lines. */
  readonly invalid: number
  readonly invalidLines: readonly number[]
  readonly areMore: boolean
  /** The service failed for these alone. */
  readonly failed: number
  /** Different values that were taken from earlier runs. */
  readonly remembered: number
  readonly encoding: string
}

/** Milliseconds for which "not found" counts: people register. */
const notFoundMs = 3_600_000

/**
 * Looks up the values of columns and writes the rows to another file, with what was found beside them. Each value is asked
 * for once. What is answered is on disk at once: a run that ends early goes on from there when it is repeated with a file
 * of the same content.
 */
export async function lookUpFile(lookup: FileLookup): Promise<FileLookupResult> {
  const { columns, reporter, stateDir, asker, cacheMs, signal } = lookup
  const values = await valuesOf(lookup)
  const folder = openAnswerFolder(stateDir)
  if (folder === undefined) reporter.remark(`${stateDir} can't be written: a run that ends early starts anew.`)
  const fileOf = (kind: string, ...parts: readonly string[]) =>
    folder === undefined ? undefined : join(folder, `${kind}-${digest([asker, ...parts])}.ndjson`)
  const cache =
    cacheMs > 0
      ? new AnswerFile(fileOf('answers'), { found: cacheMs, notFound: Math.min(cacheMs, notFoundMs) })
      : undefined
  const places = columns.map(({ at }) => String(at))
  const run = new AnswerFile(fileOf('run', values.content, ...places), { found: longestRun, notFound: longestRun })
  try {
    const answers = answersTo(values.keys, { run, cache })
    const remembered = answers.size
    remarkOnAnswers({ ofThisFile: run.size, ofOthers: remembered - run.size, total: values.keys.size }, reporter)
    const missing = [...values.keys].filter((key) => !answers.has(key))
    const failed = await askForHolders(missing, lookup, { answers, run, cache })
    const result = await write(lookup, answers, values.content).catch((error) => {
      if (run.size > 0 && !signal.aborted)
        reporter.remark('What the service answered is kept. Run it again: that is not asked for twice.')
      throw error
    })
    if (failed === 0) await run.remove()
    return { ...result, remembered }
  } finally {
    reporter.progress(null)
    await Promise.all([run.close(), cache?.close()])
  }
}

interface Kept {
  /** Of a run on the same content that ended early. */
  readonly run: AnswerFile
  /** Of all runs. */
  readonly cache: AnswerFile | undefined
}

/** What was answered before. */
function answersTo(keys: ReadonlySet<string>, { run, cache }: Kept): Map<string, Answer> {
  const answers = new Map<string, Answer>()
  for (const key of keys) {
    const answer = run.get(key) ?? cache?.get(key)
    if (answer) answers.set(key, answer)
  }
  return answers
}

interface AnswerCounts {
  readonly ofThisFile: number
  readonly ofOthers: number
  /** Of different values. */
  readonly total: number
}

function remarkOnAnswers({ ofThisFile, ofOthers, total }: AnswerCounts, reporter: Reporter): void {
  if (ofThisFile > 0) {
    reporter.remark(`Going on where a run stopped: ${grouped(ofThisFile)} of ${grouped(total)} are answered.`)
  }
  if (ofOthers > 0) {
    const answers = ofOthers === 1 ? '1 answer is' : `${grouped(ofOthers)} answers are`
    reporter.remark(`${answers} from other runs; --cache none asks anew.`)
  }
}

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** Every different value of the file, and what tells its content from another. Throws for more rows than can be written. */
async function valuesOf({ open, columns, target }: FileLookup): Promise<{ keys: Set<string>; content: string }> {
  const hash = createHash('sha256')
  const sheet = await open((bytes) => hash.update(bytes))
  const most = isXlsxName(target.path) ? mostRows : Number.POSITIVE_INFINITY
  const keys = new Set<string>()
  let rows = 0
  for await (const row of sheet.rows) {
    rows += 1
    if (rows > most) throw tooManyRows('Nothing was looked up.', 'Write CSV: --output-file holders.csv')
    for (const column of columns) {
      const cell = keyOf(row, column)
      if (cell && 'key' in cell) keys.add(cell.key)
    }
  }
  return { keys, content: hash.digest('hex') }
}

/** Names of the added columns, after that of the column whose values they tell of. */
const added = ['holder', 'document', 'entity', 'currency', 'status', 'reason'] as const

type Result = Omit<FileLookupResult, 'remembered'>

/** Reads the file a second time, and writes it with the answers beside its rows. */
async function write(lookup: FileLookup, answers: ReadonlyMap<string, Answer>, content: string): Promise<Result> {
  const { open, columns, target, signal, sample } = lookup
  const width = sample.header?.cells.length ?? Math.max(...columns.map(({ at }) => at + 1))
  let counts = new Counts()
  const rows = async function* (): AsyncGenerator<ExtendedRow, void> {
    counts = new Counts()
    const hash = createHash('sha256')
    const sheet = await open((bytes) => hash.update(bytes))
    for (const row of sheet.before) yield { row, added: [] }
    if (sheet.header) {
      yield { row: sheet.header, added: columns.flatMap(({ name }) => added.map((what) => `${name}: ${what}`)) }
    }
    for await (const row of sheet.rows) {
      signal.throwIfAborted()
      const isBlank = row.cells.every((cell) => cell.trim() === '')
      if (!isBlank) counts.rows += 1
      const cells = columns.flatMap((column) => {
        const cell = keyOf(row, column)
        const answer = answerTo(cell, answers)
        counts.add(row.line, cell, answer)
        return cellsOf(answer)
      })
      yield { row, added: isBlank ? [] : cells }
    }
    if (hash.digest('hex') !== content) {
      throw new UsageError(
        'The file changed while its values were looked up.',
        'Run it again: what was answered is kept',
      )
    }
  }
  const encoding = await writeExtended(target, { sheet: sample, width, headerLine: sample.header?.line, rows })
  return { ...counts, columns: width, added: columns.length * added.length, encoding }
}

function answerTo(cell: CellKey, answers: ReadonlyMap<string, Answer>): Answer {
  if (!cell) return { reason: 'the cell is empty' }
  if ('fault' in cell) return { status: 'invalid', reason: cell.fault }
  return answers.get(cell.key) ?? { status: 'failed', reason: 'it was not asked for' }
}

const cellsOf = ({ name, document_number, entity_name, currency, status, reason }: Answer): string[] =>
  [name, document_number, entity_name, currency, status, reason].map((value) => value ?? '')

/** Lines of invalid values that are named. */
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
