import type { Column } from './output.ts'

export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>

/** One format: turns results into text. */
export interface Renderer {
  record<Row>(data: Row, columns: readonly Column<Row>[]): string
  /** Yields text as rows come, holding on to a bounded number of them. */
  rows<Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): AsyncIterable<string>
  /** For formats that print what the service sent: the whole answer in place of its rows. */
  whole?(data: unknown): string
}

/** For machines. */
export const dataOf = <Row>({ data }: Column<Row>, row: Row): string => textOf(data(row))

/** For people. */
export const shownOf = <Row>({ data, text }: Column<Row>, row: Row): string => textOf(text ? text(row) : data(row))

/** Empty for what a service left out. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
