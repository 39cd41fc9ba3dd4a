import { UsageError } from '../errors/cli_error.ts'

/** Type of a cell in an .xlsx file. In CSV all cells are text. */
export type CellKind = 'empty' | 'text' | 'number' | 'date' | 'boolean' | 'error'

export interface SheetRow {
  /** First line of the record in the text, or row number in the sheet. From 1. */
  readonly line: number
  /**
   * Text of the cells. A number of an .xlsx file is an exact decimal with a point (`1500.25`), without the rounding
   * error of a float. A date is `2026-03-09` or `2026-03-09 14:30:00`. Line ends are LF.
   */
  readonly cells: readonly string[]
  /** Types of the cells; only for an .xlsx file. */
  readonly kinds?: readonly CellKind[]
  /** True if the row is hidden or filtered out in an .xlsx file: the file's author may not have seen it. */
  readonly isHidden?: true
  /** Notes, by index, on cells of an .xlsx file that show another text, have a formula or are covered. */
  readonly notes?: ReadonlyMap<number, CellNote>
  /** The original record of the CSV file, without its line end. */
  readonly raw?: string
}

/** Facts about a cell that the cell's text does not show. */
export interface CellNote {
  /** True if the text is the result of a formula, as of the last save. */
  readonly isFormula?: true
  /** Text that the cell's number format shows instead; null if unknown. */
  readonly shown?: string | null
  /** True if a merged cell covers the cell: no program shows it. */
  readonly isCovered?: true
}

export type EncodingName = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

/** Encoding of a text file. */
export interface Encoding {
  name: EncodingName
  /** True if the file begins with a byte order mark, which is not part of the text. */
  hasMark: boolean
}

/** Format of a CSV file. */
export interface CsvForm {
  readonly separator: Separator
  /** Encoding, known only as far as the file has been read. */
  readonly encoding: Readonly<Encoding>
  /** Line end of the first line. */
  readonly lineEnd: '\n' | '\r\n' | '\r'
}

export type Separator = ',' | ';' | '\t' | '|'

/** Format of a CSV file, to write another file in the same format. */
export interface CsvDialect {
  readonly separator: Separator
  readonly decimal: 'comma' | 'point'
  /** True if the file begins with a byte order mark. */
  readonly hasMark: boolean
}

/** Facts about the sheet that was read from an .xlsx file. */
export interface XlsxForm {
  readonly sheet: string
  /** Names of other visible, non-empty sheets. */
  readonly others: readonly string[]
  /** Number of non-empty rows that are hidden or filtered out. */
  readonly hiddenRows: number
  /** Indexes of hidden columns, from 0. */
  readonly hiddenColumns: readonly number[]
  /**
   * True: Excel recomputes the formulas when it opens the file, so the results in the file may differ from what Excel
   * shows.
   */
  readonly recalculates: boolean
}

export interface Sheet {
  readonly csv?: CsvForm
  readonly xlsx?: XlsxForm
  /** Rows before the header, such as a title or the line `sep=;`. */
  readonly before: readonly SheetRow[]
  /** Undefined if the file has no header. */
  readonly header: SheetRow | undefined
  /** The rows, which can be read only once. Throws SheetError if the file turns out to be damaged. */
  readonly rows: AsyncIterable<SheetRow>
}

/** True for `sep=;`, the first line with which Excel names the separator of a CSV file. */
export const isSeparatorLine = ({ cells }: SheetRow): boolean => /^"?sep=."?$/i.test(cells.join(''))

/** True if no cell has text. */
export const isBlank = ({ cells }: SheetRow): boolean => cells.every((cell) => cell.trim() === '')

/** Thrown if the file is not a sheet, or can't be read without guessing. */
export class SheetError extends UsageError {
  override readonly name: string = 'SheetError'
}

/** Hint for a file that is too large to read as .xlsx. */
export const tooMuch = 'Save the rows that you need as a separate file, or as CSV, which payctl reads at any length'
