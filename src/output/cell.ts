import type { Column } from './output.ts'

// A row is what a server sent, which need not be what the interface promises. What is not there is an empty cell: a
// payment that was made must not end as a crash because a field of its answer is missing.

/** For machines. */
export const dataOf = <Row>({ data }: Column<Row>, row: Row): string => textOf(attempt(() => data(row)))

/** For people. */
export const shownOf = <Row>({ data, text }: Column<Row>, row: Row): string =>
  textOf(attempt(() => (text ? text(row) : data(row))))

export const toneOf = <Row>({ tone }: Column<Row>, row: Row): ReturnType<NonNullable<Column<Row>['tone']>> =>
  attempt(() => tone?.(row))

/** Undefined where a column meets null or another type than it knows. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
