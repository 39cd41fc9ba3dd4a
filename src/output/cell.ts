import type { Column } from './output.ts'

/** For machines. */
export const dataOf = <Row>({ data }: Column<Row>, row: Row): string => textOf(data(row))

/** For people. */
export const shownOf = <Row>({ data, text }: Column<Row>, row: Row): string => textOf(text ? text(row) : data(row))

/** Empty for what a service left out. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
