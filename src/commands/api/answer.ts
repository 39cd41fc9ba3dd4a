import type { Context } from '../../cli/command.ts'
import type { RawAnswer, RawRequest } from '../../client/client.ts'
import { isTooDeep } from '../../client/decode.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { parseSort, requireKnown } from '../../output/chosen_columns.ts'
import { field } from '../../output/columns.ts'
import { createOutput } from '../../output/create_output.ts'
import type { CellData, Column, Output } from '../../output/output.ts'
import { type Globals, isTabular } from '../../run/invocation.ts'
import { printableLines } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'

/** An answer, and the error with which the run ends. */
export type PrintedAnswer = Omit<RawAnswer, 'error'> & { readonly error: Error | null }

/** Prints the answer. With an error, prints the body and throws the error. */
export async function printAnswer(
  answer: PrintedAnswer,
  { request, include }: { readonly request: RawRequest; readonly include: boolean },
  context: Context,
): Promise<void> {
  const { status, headers, text, error } = answer
  if (include) await printHead(status, headers, context)
  const body = parse(text)
  if (error) {
    // The jq program is for a success answer, so this body is not filtered.
    if (body === undefined) await printText(text, context)
    else await refusalOutput(context).record(body.value, [])
    throw error
  }
  if (body !== undefined) return printBody(body.value, context)
  await printText(text, context)
  if (context.globals.jq !== undefined && text !== '') throw notJson(request)
}

async function printHead(status: number, headers: RawAnswer['headers'], { output }: Context): Promise<void> {
  await output.line(`HTTP ${status}`)
  for (const [name, value] of Object.entries(headers)) await output.line(`${name}: ${value}`)
  await output.line('')
}

async function printBody(value: unknown, context: Context): Promise<void> {
  const output = jsonByDefault(context)
  if (!isTabular(output.format)) return output.record(value, [])
  const isEnvelope = typeof value === 'object' && value !== null && 'data' in value
  await printData(isEnvelope ? value.data : value, output, context.globals)
}

async function printText(text: string, { io: { stdout } }: Context): Promise<void> {
  if (text === '') return
  const clean = stdout.isTTY ? printableLines(text) : text
  await write(stdout, clean.endsWith('\n') ? clean : `${clean}\n`)
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isTooDeep(value) ? undefined : { value }
  } catch {
    return undefined
  }
}

const notJson = ({ method }: RawRequest): CliError =>
  new CliError(
    method === 'GET' ? 'unavailable' : 'outcome_unknown',
    'The answer is not JSON, or is nested too deeply, so --jq could not filter it.',
    'Its text is on stdout. Check that the base URL is the URL of the API.',
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A column for each member of the first row; nested values are shown as JSON. */
function columnsOf(first: unknown): readonly Column<unknown>[] {
  const names = isObject(first) ? Object.keys(first) : []
  if (names.length === 0) return [field('value', cell)]
  return names.map((name) => field(name, (row) => cell(isObject(row) ? row[name] : undefined)))
}

/**
 * Columns of rows, named after the members of the first row. Throws UsageError if `--columns` or `--sort` names a
 * column that the first row lacks.
 */
function checkedColumns(first: unknown, { columns = [], sort }: Globals): readonly Column<unknown>[] {
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

const cell = (value: unknown): CellData =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CellData)

const none = 'The list is empty.'

/** Prints rows of any kind as they arrive. */
export async function printItems(items: AsyncIterable<unknown>, output: Output, globals: Globals): Promise<void> {
  const source = items[Symbol.asyncIterator]()
  const first = await source.next()
  const all = async function* () {
    for (let next = first; !next.done; next = await source.next()) yield next.value
  }
  await output.stream(all(), first.done ? [] : checkedColumns(first.value, globals), { none })
}

/** Prints the `data` of an answer in a format that has rows: a list, a page of a list, or a record. */
async function printData(data: unknown, output: Output, globals: Globals): Promise<void> {
  const inner = isObject(data) && Array.isArray(data.data) ? data.data : data
  if (Array.isArray(inner)) return output.list(inner, checkedColumns(inner[0], globals), { none })
  await output.record(inner, columnsOf(inner))
}

/**
 * Output that is JSON by default, even on a terminal. Takes the format of the run instead if a flag names a format,
 * columns or an order, or if the format is ndjson or yaml.
 */
export function jsonByDefault({ io, env, globals, output }: Context): Output {
  const { jq, json, output: format, columns, sort } = globals
  const isChosen = json || [jq, format, columns, sort].some((each) => each !== undefined)
  if (isChosen || ['json', 'ndjson', 'yaml'].includes(output.format)) return output
  return createOutput({ io, env, globals: { ...globals, output: 'json' } })
}

/**
 * Output for the body of a refusal: in the format of results, or in JSON if that format has rows. --jq, --columns and
 * --sort apply only to results.
 */
const refusalOutput = ({ io, env, output: { format } }: Context): Output =>
  createOutput({ io, env, globals: { output: isTabular(format) ? 'json' : format } })

/** Output of a document that is not a list. Throws UsageError for a format that has rows. */
export function documentOutput(context: Context, what: string): Output {
  const output = jsonByDefault(context)
  if (!isTabular(output.format)) return output
  throw new UsageError(`${what} can't be printed as ${output.format}.`, 'Give --json or --output yaml.')
}
