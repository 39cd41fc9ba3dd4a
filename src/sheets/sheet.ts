import { UsageError } from '../errors/cli_error.ts'

/** What a cell of an .xlsx file holds. In CSV all cells are text. */
export type CellKind = 'empty' | 'text' | 'number' | 'date' | 'boolean' | 'error'

export interface SheetRow {
  /** Line of the text that it begins at, or number of the row in the sheet. From 1. */
  readonly line: number
  /**
   * Text of the cells. A number of an .xlsx file is an exact decimal with a point (`1500.25`), without the rounding error
   * of a float; a date `2026-03-09` or `2026-03-09 14:30:00`; line ends are `\n`.
   */
  readonly cells: readonly string[]
  /** Only of an .xlsx file. */
  readonly kinds?: readonly CellKind[]
  /** Hidden or filtered out in an .xlsx file: whoever made it may not have seen the row. */
  readonly isHidden?: true
  /** Cells of an .xlsx file that show or are more than their text says, by their places. */
  readonly notes?: ReadonlyMap<number, CellNote>
  /** The record as it stands in the CSV file, without its line end. */
  readonly raw?: string
}

/** A cell that a person may see in another way. */
export interface CellNote {
  /** The text is the result of a formula, from when the file was saved. */
  readonly isFormula?: true
  /** What the number format of the cell shows in place of the text; null where that is not known. */
  readonly shown?: string | null
  /** The cell is below a merged one: no program shows it. */
  readonly isCovered?: true
}

export type EncodingName = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

/** How the bytes of a text were read. */
export interface Encoding {
  name: EncodingName
  /** Whether a byte order mark was in front, which is no part of the text. */
  hasMark: boolean
}

/** How a CSV file is written. */
export interface CsvForm {
  readonly separator: Separator
  /** Known only as far as the file has been read. */
  readonly encoding: Readonly<Encoding>
  /** Of the first line. */
  readonly lineEnd: '\n' | '\r\n' | '\r'
}

export type Separator = ',' | ';' | '\t' | '|'

/** Which sheet of an .xlsx file was read. */
export interface XlsxForm {
  readonly sheet: string
  /** Visible sheets with something in them that were not read. */
  readonly others: readonly string[]
  /** Rows with something in them that are hidden or filtered out. */
  readonly hiddenRows: number
  /** Places of hidden columns, from 0. */
  readonly hiddenColumns: readonly number[]
  /** Excel computes its formulas when it opens the file: their results in the file may be others. */
  readonly recalculates: boolean
}

export interface Sheet {
  readonly csv?: CsvForm
  readonly xlsx?: XlsxForm
  /** Rows before the header, such as a title or the line `sep=;`. */
  readonly before: readonly SheetRow[]
  /** Undefined if the file has none. */
  readonly header: SheetRow | undefined
  /** Can be read once. Throws SheetError for a file that is damaged further down. */
  readonly rows: AsyncIterable<SheetRow>
}

/** `sep=;`, the first line by which Excel names the separator of a CSV file. */
export const isSeparatorLine = ({ cells }: SheetRow): boolean => /^"?sep=."?$/i.test(cells.join(''))

/** Whether no cell has any text. */
export const isBlank = ({ cells }: SheetRow): boolean => cells.every((cell) => cell.trim() === '')

/** A file that is no sheet, or one that can't be read without a guess. */
export class SheetError extends UsageError {
  override readonly name: string = 'SheetError'
}

/** What to do about a file that is too large for an .xlsx reader. */
export const tooMuch = 'Save the rows that you need as a file of their own, or as CSV, which payctl reads at any length'
