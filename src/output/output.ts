import type { TSchema } from 'typebox'
import type { Format } from '../run/invocation.ts'
import type { Marks, Tone } from '../run/style.ts'
import type { Said } from '../words/text.ts'

/** Value of a cell in output for machines. */
export type CellData = string | number | boolean | null | undefined

/** Presentation of one field of a record. `columns.ts` creates the usual columns. */
export interface Column<Row> {
  /** Field name in csv and tsv, and, in upper case, the heading in a table. */
  readonly name: string
  /** Value for machines (csv, tsv): ISO times, plain numbers. */
  readonly data: (row: Row) => CellData
  /** Text for people (table), if it differs from `data`: local times, formatted money. */
  readonly text?: (row: Row) => Said
  /** Heading of a table, if it differs from the name. */
  readonly heading?: string
  readonly align?: 'right'
  /** Values are never cut, even on a narrow terminal. */
  readonly uncut?: true
  /** The words wrap instead of being cut. */
  readonly wraps?: true | 'between words'
  /** Width to reserve, in terminal cells, if a table begins before all rows are known. */
  readonly width?: number
  /** Minimum width, in terminal cells. */
  readonly least?: number
  /** A list's table omits the column, except with `-o wide`. */
  readonly detail?: true
  /** A table without enough room omits this column before other columns. */
  readonly dispensable?: true
  /** A table shows the column only on a terminal with room for it. */
  readonly spare?: true
  /** An id. A table shows the shortest ending that is unique among the rows. */
  readonly shortened?: true
  /** `data` is an amount in major units. */
  readonly isMoney?: true
  /** The column contains times: people see local times, and the zone once, in the heading. */
  readonly isTime?: true
  readonly tone?: (row: Row) => Tone | undefined
  /** Meaning for `--columns help`, if no schema has a field with this name and meaning. */
  readonly meaning?: string
  /** Sign that a table shows in place of the value. */
  readonly mark?: (row: Row) => Mark
}

export type Mark = Extract<keyof Marks, Tone | 'unknown' | 'incoming'>

/** Layouts of a list for all formats. */
export interface Layout<Row> {
  /** All fields, for csv and tsv, and for -o wide unless `wide` is set. */
  readonly columns: readonly Column<Row>[]
  /** Columns of a table, without details; default: `columns`. */
  readonly table?: readonly Column<Row>[]
  readonly wide?: readonly Column<Row>[]
  /**
   * `of` returns the text of a row's group, such as the day of its time. The text is printed above the first row of
   * each group, in the table's column `over`.
   */
  readonly group?: { readonly over: string; readonly of: (row: Row) => string }
  /** A line below a row, such as the reason for its failure. */
  readonly below?: (row: Row) => Said | null | undefined
  /** One record on a terminal; default: a line for each column. */
  readonly card?: (row: Row) => Card
  /** True: a terminal shows each row as a card, because it is an answer and not an item of a list. */
  readonly isCards?: true
  /** The row's schema, for `--columns`: its name in the OpenAPI documents, or a function that loads it. */
  readonly schema?: string | (() => Promise<TSchema>)
  /** True: further column names are known only with the rows. */
  readonly isOpen?: true
}

/** Layout of one record for people. */
export interface Card {
  readonly mark: Mark
  /** Parts of the first line; empty: no first line. */
  readonly title: readonly Said[]
  /** Further lines. Empty lines are omitted. */
  readonly lines: readonly (readonly [label: string, text: Said | null | undefined, tone?: Tone | undefined])[]
}

export type Columns<Row> = readonly Column<Row>[] | Layout<Row>

/** Options for a list. */
interface ListOptions {
  /** json and yaml print this value instead of the rows. */
  readonly data?: unknown
  /** Note on stderr if the list has no rows. */
  readonly none?: Said | undefined
  /** Reason why rows are missing, if any are: an incomplete list can't be sorted. */
  readonly part?: Said | undefined
}

/** Options for a streamed list. */
interface StreamOptions extends Pick<ListOptions, 'none'> {
  /** True if all rows fit into memory: --sort can then wait for all rows. */
  readonly sortable?: boolean
  /** True for rows that no later run prints: if --jq fails, these rows are printed unfiltered. */
  readonly isOnce?: boolean
}

/** Writes a command's result to stdout in the requested format, and notes for people to stderr. */
export interface Output {
  readonly format: Format
  /** Writes one object. json and yaml print `data` as the service sent it. */
  record<Row>(data: Row, columns: Columns<Row>): Promise<void>
  /** Writes a list that is already in memory. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, options?: ListOptions): Promise<void>
  /** Writes a list of any length as it arrives, in bounded memory. */
  stream<Row>(rows: AsyncIterable<Row>, columns: Columns<Row>, options?: StreamOptions): Promise<void>
  /** Writes a bare line to stdout in any format. A string (a token, a path) is never translated. */
  line(text: Said): Promise<void>
  /** Writes a note to stderr, without control characters; silent with --quiet. */
  note(text: Said): void
  /**
   * Writes a note with a command to type. The command stays on one line, because a shell would run each line
   * separately.
   */
  commandNote(label: Said, command: readonly string[]): void
}
