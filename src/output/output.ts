import type { Tone } from '../run/colour.ts'
import type { Format } from '../run/invocation.ts'

/** How one field of a record is shown. `columns.ts` makes the usual ones. */
export interface Column<Row> {
  /** Field name in csv and tsv; in upper case the heading of a table. */
  readonly name: string
  /** For machines (csv, tsv): ISO times, plain numbers. */
  readonly data: (row: Row) => string | number | boolean | null | undefined
  /** For people (table), where it differs from `data`: local times, formatted money. */
  readonly text?: (row: Row) => string
  readonly align?: 'right'
  /** Never cut, even on a narrow terminal. */
  readonly uncut?: true
  /** Cells to reserve for the values of a table that begins before all rows are known. */
  readonly width?: number
  /** Omitted in the table of a list. */
  readonly detail?: true
  readonly tone?: (row: Row) => Tone | undefined
}

/** Options of a list. */
export interface Remarks {
  /** json and yaml print this instead of the rows. */
  readonly data?: unknown
  /** Printed on stderr if there are no rows. */
  readonly none?: string | undefined
}

/** Writes a command's result to stdout in the format asked for, and remarks for people to stderr. */
export interface Output {
  readonly format: Format
  /** One object. json and yaml print `data` as the service sent it. */
  record<Row>(data: Row, columns: readonly Column<Row>[]): Promise<void>
  /** A list in memory. */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], remarks?: Remarks): Promise<void>
  /** A list of any length, written as it comes in bounded memory. */
  stream<Row>(rows: AsyncIterable<Row>, columns: readonly Column<Row>[], remarks?: Pick<Remarks, 'none'>): Promise<void>
  /** A bare line on stdout in any format (a token, a path); unchanged unless stdout is a terminal. */
  line(text: string): Promise<void>
  /** A remark on stderr; silent with --quiet. Control characters are removed. */
  note(text: string): void
}
