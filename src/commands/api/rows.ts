import type { Context } from '../../cli/command.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { parseSort, requireKnown } from '../../output/chosen_columns.ts'
import { field } from '../../output/columns.ts'
import { createOutput } from '../../output/create_output.ts'
import type { Column, Output } from '../../output/output.ts'
import { type Globals, isTabular } from '../../run/invocation.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A column for each member of the first row; nested values are shown as JSON. */
function columnsOf(first: unknown): readonly Column<unknown>[] {
  const names = isObject(first) ? Object.keys(first) : []
  if (names.length === 0) return [field('value', cell)]
  return names.map((name) => field(name, (row) => cell(isObject(row) ? row[name] : undefined)))
}

/** The same. Throws UsageError for a column asked for that it has not. */
function chosenOf(first: unknown, { columns = [], sort }: Globals): readonly Column<unknown>[] {
  const all = columnsOf(first)
  const names = sort === undefined ? columns : [...columns, parseSort(sort).name]
  const known = all.map(({ name }) => name)
  // For `balance.value` the row must have `balance`.
  if (first !== undefined)
    requireKnown(
      names.map((name) => name.split('.')[0] ?? name),
      known,
    )
  return all
}

const cell = (value: unknown): string | number | boolean | null | undefined =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as string | number | boolean | null)

const none = 'The list is empty.'

/** Rows of any kind, as they come. */
export async function printItems(items: AsyncIterable<unknown>, output: Output, globals: Globals): Promise<void> {
  const source = items[Symbol.asyncIterator]()
  const first = await source.next()
  const all = async function* () {
    for (let next = first; !next.done; next = await source.next()) yield next.value
  }
  await output.stream(all(), first.done ? [] : chosenOf(first.value, globals), { none })
}

/** The `data` of an answer, for the formats made of rows: a list, a page of one, or a record. */
export async function printData(data: unknown, output: Output, globals: Globals): Promise<void> {
  const inner = isObject(data) && Array.isArray(data.data) ? data.data : data
  if (Array.isArray(inner)) return output.list(inner, chosenOf(inner[0], globals), { none })
  await output.record(inner, columnsOf(inner))
}

/** For results without rows: JSON, on a terminal too, unless a flag names a format. */
export function jsonByDefault({ io, env, globals, output }: Context): Output {
  const { jq, json, output: format, columns, sort } = globals
  const isAsked = json || [jq, format, columns, sort].some((each) => each !== undefined)
  if (isAsked || ['json', 'ndjson', 'yaml'].includes(output.format)) return output
  return createOutput({ io, env, globals: { ...globals, output: 'json' } })
}

/** For the body of a refusal: the format of results, or JSON where that has rows; no filters, which are for results. */
export const refusalOutput = ({ io, env, output: { format } }: Context): Output =>
  createOutput({ io, env, globals: { output: isTabular(format) ? 'json' : format } })

/** Output of a document that is not a list. Throws UsageError for a format that has rows. */
export function documentOutput(context: Context, what: string): Output {
  const output = jsonByDefault(context)
  if (!isTabular(output.format)) return output
  throw new UsageError(`${what} can't be printed as ${output.format}.`, 'Give --json or --output yaml.')
}
