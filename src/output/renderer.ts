import type { Column } from './output.ts'

export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>

/** Turns results into the text of one format. */
export interface Renderer {
  record<Row>(data: Row, columns: readonly Column<Row>[]): string
  /** Yields text as rows come. Holds a bounded number of rows. */
  rows<Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): AsyncIterable<string>
  /** For formats that print the whole answer instead of its rows. */
  whole?(data: unknown): string
}

/** For machines. */
export const dataOf = <Row>({ data }: Column<Row>, row: Row): string => textOf(data(row))

/** For people. */
export const shownOf = <Row>({ data, text }: Column<Row>, row: Row): string => textOf(text ? text(row) : data(row))

/** Empty for missing values. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
