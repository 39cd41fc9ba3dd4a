import type { Context } from '../cli/command.ts'
import { reporterOf } from '../cli/reporter.ts'
import { withoutName } from '../cli/saved_payees.ts'
import { RequestGate } from '../client/retry.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { valuesIn, valuesOf } from '../lookups/input_values.ts'
import { type Lookup, type LookupRow, lookUpMany, rowOfNobody } from '../lookups/lookups.ts'
import { columnsOf, field, iban, status, words } from '../output/columns.ts'
import type { Column, Layout, Output } from '../output/output.ts'
import { lookUpHolder } from '../payees/holder.ts'
import { classify } from '../values/classify.ts'
import { looksLikeIban, looksLikePhone, parseIban, parsePhone } from '../values/recipient.ts'
import type { LookupFlags } from './lookups.ts'

/** Lookup with the noun of its values for messages. */
interface LookupKind extends Lookup {
  readonly noun: string
  readonly example: string
}

export const lookups = {
  phone_number: {
    key: 'phone_number',
    noun: 'number',
    example: '8888-7777',
    normalize(text) {
      if (!looksLikeIban(text)) return parsePhone(text)
      throw new UsageError(`'${text}' looks like an IBAN, not like a phone.`, toRun(['iban', text]))
    },
    find: (phone, client) => lookUpHolder({ phone }, client),
  },
  iban: {
    key: 'iban',
    noun: 'IBAN',
    example: 'CR05015202001026284066',
    normalize(text) {
      const like = classify(text)?.kind ?? 'phone'
      if (like !== 'phone' || looksLikeIban(text) || !looksLikePhone(text)) return parseIban(text)
      throw new UsageError(`'${text}' looks like a phone, not like an IBAN.`, toRun(['phone', text]))
    },
    find: (iban, client) => lookUpHolder({ iban }, client),
  },
} satisfies Record<Lookup['key'], LookupKind>

interface LookupRequest extends LookupKind {
  readonly concurrency: number
  /** Refuses an empty list. */
  readonly required: boolean
}

/**
 * A single value is printed as a record for people, and is an error if it is not found. Several values get a row each.
 * JSON is always an array, and csv always has the columns of a list. Arguments may be names of saved payees.
 */
export async function lookUpValues(
  key: Lookup['key'],
  { texts, file, concurrency }: LookupFlags & { readonly texts: readonly string[] },
  context: Context,
): Promise<void> {
  const { stdin } = context.io
  const kind: LookupKind = lookups[key]
  if (file !== undefined) {
    if (texts.length > 0) throw new UsageError(`--file and arguments both name ${kind.noun}s.`, 'Give one of them')
    return printList(valuesIn(file, stdin), { ...kind, concurrency, required: false }, context)
  }
  const required = texts.length === 0
  const values = required
    ? [await withoutArguments(kind, context)]
    : await Promise.all(texts.map((text) => withoutName(text, key, context)))
  const [first = '', ...others] = values
  const isAlone = others.length === 0 && first !== '-'
  if (isAlone && !isJson(context.output)) return printOne(first, kind, context)
  await printList(valuesOf(values, stdin), { ...kind, concurrency, required }, context)
}

const isJson = ({ format }: Output): boolean => format === 'json' || format === 'ndjson' || format === 'yaml'

/** Asks at a terminal; otherwise reads stdin. */
async function withoutArguments({ noun, example, normalize }: LookupKind, context: Context): Promise<string> {
  if (context.interactive) {
    const { askText } = await import('../cli/prompts.ts')
    return askText({ message: `Which ${noun}?`, check: normalize }, context)
  }
  if (!context.io.stdin.isTTY) return '-'
  throw missing(noun, example)
}

const missing = (noun: string, example: string): UsageError =>
  new UsageError(`missing required argument '${noun}'.`, `Add it, like ${example}, or read many with --file or -`)

async function printOne(text: string, { key, normalize, find }: LookupKind, context: Context): Promise<void> {
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

/** Prints a row for each value, in order. An error is thrown after the rows before it are printed. */
async function printList(values: AsyncIterable<string>, request: LookupRequest, context: Context): Promise<void> {
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
      failure = error ?? new Error('The lookup failed for an unknown reason.')
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

/** Reads the first value, so that an error of the source is thrown before any output. */
async function opened(
  values: AsyncIterable<string>,
  { required, noun, example }: LookupRequest,
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
      `Check those ${noun}s with the person who gave them to you.`,
    )
  }
}

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

/** Rows of a list, with the reason below a row without a holder. */
export const lookupLayout = (key: Lookup['key']): Layout<LookupRow> => ({
  columns: columnsOf<LookupRow>(...recordColumns(key), '-reason'),
  below: ({ reason }) => reason,
  schema: key === 'iban' ? 'IbanInformation' : 'PhoneInformation',
})
