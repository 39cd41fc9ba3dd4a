import type { Context } from '../cli/command.ts'
import { reporterOf } from '../cli/reporter.ts'
import { RequestGate } from '../client/request_gate.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { type Lookup, type LookupRow, lookUpMany, rowOfNobody } from '../lookups/lookups.ts'
import { valuesIn, valuesOf } from '../lookups/values.ts'
import { columnsOf, field, iban, status, words } from '../output/columns.ts'
import type { Column, Layout, Output } from '../output/output.ts'
import type { LookupFlags, LookupKind } from './lookups.ts'

interface LookupRequest extends LookupKind, LookupFlags {
  /** Arguments, as given. */
  readonly texts: readonly string[]
}

interface ListRequest extends LookupRequest {
  /** Refuses an empty list. */
  readonly required?: boolean
}

/**
 * A single value is shown to people as a record, and is an error if it is not found; a list has a row for each. JSON is a
 * list, and csv has the columns of one, however many are looked up.
 */
export async function lookUp(request: LookupRequest, context: Context): Promise<void> {
  const { texts, file, noun } = request
  const { stdin } = context.io
  if (file !== undefined) {
    if (texts.length > 0) throw new UsageError(`--file and arguments both name ${noun}s.`, 'Give one of them')
    return printList(valuesIn(file, stdin), request, context)
  }
  const given = texts.length > 0 ? texts : [await withoutArguments(request, context)]
  const [first = '', ...others] = given
  const isAlone = others.length === 0 && first !== '-'
  if (isAlone && !isJson(context.output)) return printOne(first, request, context)
  await printList(valuesOf(given, stdin), { ...request, required: texts.length === 0 }, context)
}

const isJson = ({ format }: Output): boolean => format === 'json' || format === 'ndjson' || format === 'yaml'

/** Asks at a terminal; otherwise reads stdin. */
async function withoutArguments({ noun, example, normalize }: LookupRequest, context: Context): Promise<string> {
  if (context.interactive) {
    const { askText } = await import('../cli/prompts.ts')
    return askText({ message: `Which ${noun}?`, check: normalize }, context)
  }
  if (!context.io.stdin.isTTY) return '-'
  throw missing(noun, example)
}

const missing = (noun: string, example: string): UsageError =>
  new UsageError(`missing required argument '${noun}'.`, `Add it, like ${example}, or read many with --file or -`)

async function printOne(text: string, { key, normalize, find }: LookupRequest, context: Context): Promise<void> {
  const { output } = context
  const value = normalize(text)
  try {
    const holder = await find(value, await context.client())
    if (output.format === 'table') await output.record(holder, recordColumns(key))
    else await output.list([holder], lookupLayout(key))
  } catch (error) {
    const row = output.format === 'table' ? undefined : rowOfNobody(error, key, value)
    if (row) await output.list([row], lookupLayout(key))
    throw error
  }
}

/** A row for each value, in order. An error is thrown after the rows before it are printed. */
async function printList(values: AsyncIterable<string>, request: ListRequest, context: Context): Promise<void> {
  const { key, noun, concurrency } = request
  const { output, signal } = context
  const source = await opened(values, request)
  const client = await context.client()
  const gate = new RequestGate(signal)
  context.onRetry((delay) => gate.hold(delay))
  const { progress } = reporterOf(context)
  const counts = new Counts(noun)
  let failure: unknown
  const rows = async function* () {
    try {
      for await (const row of lookUpMany(source, request, { client, gate, concurrency, signal })) {
        counts.add(row)
        progress(counts.text)
        yield row
      }
    } catch (error) {
      failure = error ?? new Error('The lookup failed, and nothing says why.')
    }
  }
  try {
    await output.stream(rows(), lookupLayout(key), { sortable: true })
  } finally {
    progress(null)
  }
  if (failure !== undefined) {
    if (counts.total > 0) output.note(`Stopped after ${counts.text}.`)
    throw failure
  }
  if (counts.total === 0) output.note(`No ${noun}s to look up.`)
  requireAllFound(counts, noun)
}

/** Reads the first value, so that an error of the source is thrown before anything is printed. */
async function opened(
  values: AsyncIterable<string>,
  { required, noun, example }: ListRequest,
): Promise<AsyncIterable<string>> {
  const source = values[Symbol.asyncIterator]()
  const first = await source.next()
  if (first.done && required) throw missing(noun, example)
  return (async function* () {
    for (let next = first; !next.done; next = await source.next()) yield next.value
  })()
}

/** Counts rows by kind. */
class Counts {
  total = 0
  notFound = 0
  invalid = 0
  readonly #noun: string

  constructor(noun: string) {
    this.#noun = noun
  }

  add({ status, reason }: LookupRow): void {
    this.total += 1
    // A holder has no `reason`, whatever its status.
    if (reason === undefined) return
    if (status === 'invalid') this.invalid += 1
    else this.notFound += 1
  }

  get text(): string {
    const found = this.total - this.notFound - this.invalid
    const invalid = this.invalid > 0 ? `, ${this.invalid} invalid` : ''
    return `${this.total} ${this.#noun}${this.total === 1 ? '' : 's'}: ${found} found, ${this.notFound} not found${invalid}`
  }
}

function requireAllFound({ total, notFound, invalid }: Counts, noun: string): void {
  if (invalid > 0) {
    const others = notFound > 0 ? ` ${notFound} not found.` : ''
    throw new CliError(
      'usage',
      `${invalid} of ${total} invalid.${others}`,
      `Correct the ${noun}s whose status is invalid.`,
    )
  }
  if (notFound > 0) {
    throw new CliError(
      'not_found',
      `${notFound} of ${total} not found.`,
      `Check those ${noun}s with who gave them to you.`,
    )
  }
}

/** Columns of one holder. */
const recordColumns = (key: Lookup['key']): readonly Column<LookupRow>[] =>
  columnsOf<LookupRow>(
    key === 'iban' ? iban('iban') : 'phone_number',
    words('name'),
    'document_number',
    { ...field('currency'), dispensable: true },
    '-country_code',
    { ...words('entity_name'), dispensable: true },
    status('status'),
  )

/** Rows of a list; the reason of one without a holder is below it. */
export const lookupLayout = (key: Lookup['key']): Layout<LookupRow> => ({
  columns: columnsOf<LookupRow>(...recordColumns(key), '-reason'),
  below: ({ reason }) => reason,
  schema: key === 'iban' ? 'IbanInformation' : 'PhoneInformation',
})
