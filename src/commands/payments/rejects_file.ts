import { resolve } from 'node:path'
import type { Context } from '../../cli/command.ts'
import { decimal } from '../../contract/money.ts'
import { reasonOf, UsageError } from '../../errors/cli_error.ts'
import type { StagedRows } from '../../journal/staged_rows.ts'
import { reasonColumn } from '../../payments/batch_columns.ts'
import type { StagedFile } from '../../payments/batch_file.ts'
import type { StagingOptions } from '../../payments/checked_rows.ts'
import { plainName } from '../../sheets/column_names.ts'
import { requireWritable, type Target } from '../../sheets/output_file.ts'
import { isSeparatorLine, type SheetRow } from '../../sheets/sheet.ts'
import { type ExtendedRow, isXlsxName, writeExtended } from '../../sheets/write_sheet.ts'
import { type Said, say } from '../../words/text.ts'

/**
 * The file that `--rejects-file` names. Throws UsageError for a path that can't be written: call this function before
 * any work.
 */
export function rejectsFileAt(target: Target, result: string | undefined): RejectsFile {
  const { path } = target
  if (!/\.(csv|xlsx)$/i.test(path)) {
    throw new UsageError(
      say`The name of the file for refused rows must end in .csv or .xlsx: ${path}. Nothing was sent.`,
      'The ending of the name sets the format: --rejects-file bad.csv',
    )
  }
  if (result !== undefined && resolve(path) === resolve(result)) {
    throw new UsageError('--rejects-file and --output-file name the same file. Nothing was sent.', 'Name two files')
  }
  requireWritable(target)
  return new RejectsFile(target)
}

/**
 * File for wrong rows and for rows that the service refused: the rows are copied unchanged, and a column of reasons is
 * added.
 */
export class RejectsFile {
  readonly #target: Target
  #file: StagedFile | undefined

  constructor(target: Target) {
    this.#target = target
  }

  /** Call this function before the rows are read. */
  begin(file: StagedFile): void {
    this.#file = file
  }

  /** Writes wrong rows with their faults. */
  writeWrong(context: Context): StagingOptions['onWrong'] {
    return ({ faults }, staged) => this.write('wrong', faults, staged, context)
  }

  /**
   * Writes the rows for which `faults`, keyed by line, has reasons. The reasons are in the language of the run, because
   * the file is for the person who corrects the rows. Reports a write error without throwing: the results of the rows
   * are already known.
   */
  async write(
    which: 'wrong' | 'refused',
    faults: ReadonlyMap<number, readonly Said[]>,
    staged: StagedRows,
    { output, translate }: Context,
  ): Promise<void> {
    const { path } = this.#target
    if (faults.size === 0) return output.note(say`No row was refused: ${path} is not written.`)
    const reasons = new Map([...faults].map(([line, all]) => [line, all.map(translate).join('; ')]))
    try {
      if (this.#file) await writeOriginals(this.#file, reasons, staged, this.#target)
      output.note(
        which === 'wrong'
          ? say`The wrong rows are in ${path}, each with the reason.`
          : say`The refused rows are in ${path}, each with the reason.`,
      )
    } catch (error) {
      output.note(
        which === 'wrong'
          ? say`The wrong rows could not be written to ${path}: ${reasonOf(error)}`
          : say`The refused rows could not be written to ${path}: ${reasonOf(error)}`,
      )
    }
  }
}

/**
 * Writes the original rows in file order. In a workbook an amount from CSV becomes a number, because its text could
 * have two readings.
 */
async function writeOriginals(
  { sheet, header, heading, amounts }: StagedFile,
  reasons: ReadonlyMap<number, string>,
  staged: StagedRows,
  target: Target,
): Promise<void> {
  const reasonAt = header.cells.findIndex((cell) => plainName(cell) === reasonColumn)
  const lines = [...reasons.keys()].toSorted((one, other) => one - other)
  const amountAt = sheet.csv && isXlsxName(target.path) ? heading.places.get('amount') : undefined
  const find = (line: number): SheetRow | undefined => {
    const row = staged.original(line)
    const amount = row && amountAt !== undefined ? amounts.certain(row) : undefined
    return row && amount !== undefined ? withNumber(row, amountAt ?? -1, decimal(amount)) : row
  }
  const rows = function* (): Generator<ExtendedRow, void> {
    const [first] = sheet.before
    if (first && isSeparatorLine(first)) yield { row: first, added: [] }
    yield { row: without(header, reasonAt), added: [reasonColumn] }
    for (const line of lines) {
      const row = find(line)
      if (row) yield { row: without(row, reasonAt), added: [reasons.get(line) ?? ''] }
    }
  }
  const width = without(header, reasonAt).cells.length
  await writeExtended(target, { sheet, width, headerLine: header.line, rows })
}

/** Removes the cell with the reason that an earlier run has written; `at` -1: returns the row unchanged. */
function without(row: SheetRow, at: number): SheetRow {
  if (at === -1) return row
  const { line, cells, kinds } = row
  return { line, cells: cells.toSpliced(at, 1), ...(kinds && { kinds: kinds.toSpliced(at, 1) }) }
}

function withNumber({ line, cells }: SheetRow, place: number, text: string): SheetRow {
  const kinds = cells.map((_, at) => (at === place ? ('number' as const) : ('text' as const)))
  return { line, cells: cells.with(place, text), kinds }
}
