import { decimal } from '../contract/money.ts'
import { OriginalRows } from '../journal/original_rows.ts'
import { plainName } from '../sheets/column_names.ts'
import type { Target } from '../sheets/output_file.ts'
import { isSeparatorLine, type SheetRow } from '../sheets/sheet.ts'
import { type ExtendedRow, isXlsxName, writeExtended } from '../sheets/write_sheet.ts'
import { reasonColumn } from './batch_columns.ts'
import type { StagedFile } from './batch_file.ts'

/** The original file of a batch, so that rows can be written back. */
export class OriginalFile {
  readonly #rows = new OriginalRows()
  #file: StagedFile | undefined

  begin(file: StagedFile): void {
    this.#file = file
  }

  keep(row: SheetRow): void {
    this.#rows.add(row)
  }

  /**
   * Writes the original rows, in file order, with a column of reasons. In a workbook an amount from CSV becomes a
   * number, because its text could have two readings.
   */
  async write(reasons: ReadonlyMap<number, string>, target: Target): Promise<void> {
    if (!this.#file) return
    const { sheet, header, heading, amounts } = this.#file
    const reasonAt = header.cells.findIndex((cell) => plainName(cell) === reasonColumn)
    const lines = [...reasons.keys()].toSorted((one, other) => one - other)
    const amountAt = sheet.csv && isXlsxName(target.path) ? heading.places.get('amount') : undefined
    const find = (line: number): SheetRow | undefined => {
      const row = this.#rows.find(line)
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

  close(): void {
    this.#rows.close()
  }
}

/** Removes the reason of an earlier run. */
function without(row: SheetRow, at: number): SheetRow {
  if (at === -1) return row
  const { line, cells, kinds } = row
  return { line, cells: cells.toSpliced(at, 1), ...(kinds && { kinds: kinds.toSpliced(at, 1) }) }
}

function withNumber({ line, cells }: SheetRow, place: number, text: string): SheetRow {
  const kinds = cells.map((_, at) => (at === place ? ('number' as const) : ('text' as const)))
  return { line, cells: cells.with(place, text), kinds }
}
