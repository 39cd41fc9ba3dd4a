import { printable } from '../run/sanitise.ts'
import { zoneName } from '../run/time.ts'
import type { Column, Layout } from './output.ts'

export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>

/** Layout of a list that only a terminal shows. */
export type Extras<Row> = Pick<Layout<Row>, 'group' | 'below' | 'card'>

/** Renders results as the text of one format. */
export interface Renderer {
  record<Row>(data: Row, columns: readonly Column<Row>[], draw?: Layout<Row>['card']): string
  /** Yields text as rows arrive. Holds a bounded number of rows. */
  rows<Row>(rows: Rows<Row>, columns: readonly Column<Row>[], extras?: Extras<Row>): AsyncIterable<string>
  /** For binary formats: all rows, or one record. */
  bytes?<Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): Promise<Uint8Array>
  /** For formats that print the whole answer instead of its rows. */
  whole?(data: unknown): string
}

/** Text for machines. */
export const dataOf = <Row>({ data }: Column<Row>, row: Row): string => textOf(data(row))

/** Heading of a column; with the zone if its times are local. */
export const localHeading = <Row>({ name, isTime }: Column<Row>): string => (isTime ? `${name} (${zoneName()})` : name)

/** Text for people, on one line. */
export const shownOf = <Row>({ data, text }: Column<Row>, row: Row): string =>
  printable(textOf(text ? text(row) : data(row)))

/** Empty for missing values. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
