import { originalOf } from '../client/decode.ts'
import { decimal, moneyText } from '../contract/money.ts'
import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { type Format, type Globals, isTabular } from '../run/invocation.ts'
import { zonedTime } from '../run/time.ts'
import { say, Text } from '../words/text.ts'
import type { CellData, Column, Columns, Layout } from './output.ts'
import type { Renderer } from './renderer.ts'

/** The columns of a list, one for each name, without mark columns. */
export function namedColumns<Row>(columns: Columns<Row>, format: Format): readonly Column<Row>[] {
  const { columns: all, wide = [], table = [] }: Layout<Row> = 'columns' in columns ? columns : { columns }
  const sets = format === 'table' || format === 'wide' ? [wide, table, all] : [all, wide, table]
  const named = new Map<string, Column<Row>>()
  for (const column of sets.flat()) {
    if (!column.mark && !named.has(column.name)) named.set(column.name, column)
  }
  return [...named.values()]
}

/**
 * The columns with these names, or for these paths in the JSON, in this order. The values of these columns are not cut.
 */
export function chosenColumns<Row>(names: readonly string[], columns: Columns<Row>, format: Format): Column<Row>[] {
  const named = namedColumns(columns, format)
  return names.map((name) => {
    const column = named.find((candidate) => candidate.name === name) ?? at<Row>(name)
    const { detail: _, dispensable: __, heading: ___, shortened: ____, spare: _____, ...own } = column
    return own
  })
}

/**
 * True if the output can be limited to chosen columns: in JSON the columns are members. With --jq, the jq program
 * chooses the members instead.
 */
export const hasColumns = (format: Format, { jq }: Globals): boolean =>
  isTabular(format) || (jq === undefined && (format === 'json' || format === 'ndjson'))

export const noColumns = (format: string): UsageError =>
  new UsageError(
    say`--columns does not apply to this output (${format}), which has every field.`,
    'Leave --columns out, or choose fields with --jq',
  )

/** Renders only the chosen columns, as members of the record. */
export function ofMembers({ record, rows: render }: Renderer): Renderer {
  return {
    record: (data, columns) => record(membersOf(data, columns), []),
    rows(rows, columns) {
      const chosen = async function* () {
        for await (const row of rows) yield membersOf(row, columns)
      }
      return render(chosen(), [])
    },
  }
}

/** Values as the service sent them. A column that is not a member of the row has the value of its cell. */
const membersOf = <Row>(row: Row, columns: readonly Column<Row>[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map(({ name, data }) => [name, valueAt(originalOf(row), name) ?? data(row) ?? null]))

/** Throws UsageError for a name that is not a column. `soFar`: state of the run, for example that nothing was sent. */
export function requireKnown(names: readonly string[], known: readonly string[], soFar?: string): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    const message = say`Column ${`'${name}'`} does not exist.`
    throw new UsageError(
      soFar === undefined ? message : say`${message} ${new Text(soFar)}`,
      near === undefined
        ? 'For the list of columns: --columns help'
        : say`Did you mean ${near}? For the list of columns: --columns help`,
    )
  }
}

/** Column for a field of the JSON: `payee.iban`. */
const at = <Row>(path: string): Column<Row> => ({
  name: path,
  data: (row) => plain(valueAt(row, path)),
  text(row) {
    const value = valueAt(row, path)
    if (isMoney(value)) return moneyText(value)
    const text = String(plain(value) ?? '')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? zonedTime(text) : text
  },
})

function valueAt(row: unknown, path: string): unknown {
  let value = row
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

function plain(value: unknown): CellData {
  if (isMoney(value)) return decimal(value.value)
  if (typeof value !== 'object' || value === null) return value as string | undefined | null
  return JSON.stringify(value)
}

const isMoney = (value: unknown): value is { readonly value: number; readonly currency: unknown } =>
  typeof value === 'object' && value !== null && 'value' in value && 'currency' in value

/** Parses `name` or `name:desc`. */
export function parseSort(text: string): { readonly name: string; readonly isDescending: boolean } {
  const [, name = '', direction] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? []
  return { name, isDescending: direction === 'desc' }
}

/** Sorts rows by the values of a column. Rows without a value come last. */
export function sorted<Row>(rows: readonly Row[], sort: string, columns: Columns<Row>): readonly Row[] {
  const { name, isDescending } = parseSort(sort)
  const column = namedColumns(columns, 'csv').find((candidate) => candidate.name === name) ?? at<Row>(name)
  const keyed = rows.map((row) => ({ row, value: column.data(row) }))
  return keyed.sort((one, other) => compare(one.value, other.value, isDescending)).map(({ row }) => row)
}

function compare(one: CellData, other: CellData, isDescending: boolean): number {
  if (isMissing(one) || isMissing(other)) return Number(isMissing(one)) - Number(isMissing(other))
  // Long references can be equal as numbers: their digits decide then. Words are not numbers, and NaN is falsy too.
  const order = Number(one) - Number(other) || String(one).localeCompare(String(other), undefined, { numeric: true })
  return isDescending ? -order : order
}

const isMissing = (value: CellData): boolean => value === null || value === undefined || value === ''
