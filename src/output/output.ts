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
  /** Makes no sense cut short. A table on a narrow terminal only cuts columns of words. */
  readonly uncut?: true
  /** Cells that a value takes on a terminal: a table that begins before all rows are known keeps them free. */
  readonly width?: number
  /** Left out of a list's table, where room is short. */
  readonly detail?: true
  readonly tone?: (row: Row) => Tone | undefined
}

/** What else is said of a list. */
export interface Remarks {
  /** Printed by json and yaml instead of the rows. */
  readonly data?: unknown
  /** For stderr, when there are no rows. */
  readonly none?: string | undefined
}

/** Writes a command's result to stdout in the format asked for, and remarks for people to stderr. */
export interface Output {
  readonly format: Format
  /** One object. json and yaml print `data` as the service sent it. */
  record<Row>(data: Row, columns: readonly Column<Row>[]): Promise<void>
  /** A list in memory. */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], remarks?: Remarks): Promise<void>
  /** A list of any length, written as it comes, in bounded memory. */
  stream<Row>(rows: AsyncIterable<Row>, columns: readonly Column<Row>[], remarks?: Pick<Remarks, 'none'>): Promise<void>
  /** A bare line to stdout, whatever the format (a token, a path): byte for byte where it is no terminal. */
  line(text: string): Promise<void>
  /** A remark on stderr; silent with --quiet. Control characters are removed. */
  note(text: string): void
}
