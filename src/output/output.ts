import type { Tone } from '../run/colour.ts'
import type { Format } from '../run/invocation.ts'
import type { Marks } from '../run/marks.ts'

/** How one field of a record is shown. `columns.ts` makes the usual ones. */
export interface Column<Row> {
  /** Field name in csv and tsv; in upper case the heading of a table. */
  readonly name: string
  /** For machines (csv, tsv): ISO times, plain numbers. */
  readonly data: (row: Row) => string | number | boolean | null | undefined
  /** For people (table), where it differs from `data`: local times, formatted money. */
  readonly text?: (row: Row) => string
  /** The heading of a table, where it is not the name. */
  readonly heading?: string
  readonly align?: 'right'
  /** Never cut, even on a narrow terminal. */
  readonly uncut?: true
  /** Words that go on below instead of being cut. */
  readonly wraps?: true | 'between words'
  /** Cells to reserve for the values of a table that begins before all rows are known. */
  readonly width?: number
  /** Cells that it takes even where its values need fewer. */
  readonly least?: number
  /** Omitted in the table of a list, but for `-o wide`. */
  readonly detail?: true
  /** Left out of a table that has no room for it. */
  readonly dispensable?: true
  /** An id. A table shows its shortest ending that no other row has. */
  readonly shortened?: true
  /** `data` is an amount in major units. */
  readonly isMoney?: true
  /** Local times, whose zone is told once. */
  readonly isTime?: true
  readonly tone?: (row: Row) => Tone | undefined
  /** Shown as a sign in a table. */
  readonly mark?: (row: Row) => Mark
}

export type Mark = Extract<keyof Marks, Tone | 'unknown' | 'incoming'>

/** The rows of a list in every form. */
export interface Layout<Row> {
  /** All fields: csv, tsv, and -o wide unless `wide` says otherwise. */
  readonly columns: readonly Column<Row>[]
  /** The table of a terminal; without it `columns` without details. */
  readonly table?: readonly Column<Row>[]
  readonly wide?: readonly Column<Row>[]
  /** Text above the first row and those where it changes, such as the day of a time, in the table's column `over`. */
  readonly group?: { readonly over: string; readonly of: (row: Row) => string }
  /** A line below a row, such as why it failed. */
  readonly below?: (row: Row) => string | null | undefined
  /** One record on a terminal; without it a line for each column. */
  readonly card?: (row: Row) => Card
  /** The schema of a row in the OpenAPI documents, for `--columns`. */
  readonly schema?: string
  /** It has more columns than these, whose names are known with its rows. */
  readonly isOpen?: true
}

/** One record as people read it. */
export interface Card {
  readonly mark: Mark
  /** Parts of the first line; empty for none. */
  readonly title: readonly string[]
  /** What follows. Without a text a line is left out. */
  readonly lines: readonly (readonly [label: string, text: string | null | undefined])[]
}

export type Columns<Row> = readonly Column<Row>[] | Layout<Row>

/** Options of a list. */
interface Remarks {
  /** json and yaml print this instead of the rows. */
  readonly data?: unknown
  /** Printed on stderr if there are no rows. */
  readonly none?: string | undefined
  /** Why these are not all rows, if so: a part can't be sorted. */
  readonly part?: string | undefined
}

/** Options of a list that is written as it comes. */
interface StreamRemarks extends Pick<Remarks, 'none'> {
  /** Rows that fit into memory: --sort waits for all of them. */
  readonly sortable?: boolean
  /** Rows that no later run prints: they are printed whole where --jq fails on them. */
  readonly isOnce?: boolean
}

/** Writes a command's result to stdout in the format asked for, and remarks for people to stderr. */
export interface Output {
  readonly format: Format
  /** One object. json and yaml print `data` as the service sent it. */
  record<Row>(data: Row, columns: Columns<Row>): Promise<void>
  /** A list in memory. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, remarks?: Remarks): Promise<void>
  /** A list of any length, written as it comes in bounded memory. */
  stream<Row>(rows: AsyncIterable<Row>, columns: Columns<Row>, remarks?: StreamRemarks): Promise<void>
  /** A bare line on stdout in any format (a token, a path); unchanged unless stdout is a terminal. */
  line(text: string): Promise<void>
  /** A remark on stderr; silent with --quiet. Control characters are removed. */
  note(text: string): void
  /** The same for a command to type: on one line, because a shell takes each part of a broken one for a command. */
  typed(label: string, command: readonly string[]): void
}
