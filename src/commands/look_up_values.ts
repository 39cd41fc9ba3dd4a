import { statSync } from 'node:fs'
import type { Context } from '../cli/command.ts'
import { reporterOf } from '../cli/reporter.ts'
import { payeeNames, withoutName } from '../cli/saved_payees.ts'
import { standardInput } from '../cli/standard_input.ts'
import { RequestGate } from '../client/retry.ts'
import { formatAddress } from '../contract/iban.ts'
import { isPhone } from '../contract/phone.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { toRun } from '../errors/next_step.ts'
import { valuesIn, valuesOf } from '../lookups/input_values.ts'
import {
  type KindOfValues,
  type Lookup,
  type LookupRow,
  lookUpMany,
  RowWithoutHolder,
  rowOfNobody,
} from '../lookups/lookups.ts'
import { groupedWords } from '../lookups/word_groups.ts'
import { columnsOf, detail, field, iban, status, words } from '../output/columns.ts'
import type { Column, Layout, Output } from '../output/output.ts'
import { lookUpHolder } from '../payees/holder.ts'
import { classify } from '../values/classify.ts'
import { looksLikeIban, looksLikePhone, parseIban, parsePhone, parseRecipient } from '../values/recipient.ts'
import { phoneIn } from '../values/text.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import type { ValueFlags } from './lookups.ts'

export const lookups = {
  phone: {
    key: 'phone_number',
    normalize(text) {
      if (!looksLikeIban(text)) return parsePhone(text)
      throw new UsageError(say`${`'${text}'`} looks like an IBAN, not like a phone.`, toRun(['iban', text]))
    },
    find: (phone, client) => lookUpHolder({ phone }, client),
  },
  iban: {
    key: 'iban',
    normalize(text) {
      const like = classify(text)?.kind ?? 'phone'
      if (like !== 'phone' || looksLikeIban(text) || !looksLikePhone(text)) return parseIban(text)
      throw new UsageError(say`${`'${text}'`} looks like a phone, not like an IBAN.`, toRun(['phone', text]))
    },
    find: (iban, client) => lookUpHolder({ iban }, client),
  },
} satisfies Record<string, Lookup>

/**
 * Lookup of a phone in a list that may also contain IBANs. Throws UsageError for a value that is not a phone or an
 * IBAN.
 */
const phoneOrIban: Lookup = {
  ...lookups.phone,
  normalize(text) {
    const recipient = parseRecipient(text)
    return 'recipient_phone' in recipient ? recipient.recipient_phone : parsePhone(text)
  },
}

/** Texts about values of one kind, and the lookup of these values. */
interface Values {
  readonly question: string
  /** Error if --file and arguments both name values. */
  readonly bothGiven: string
  readonly missing: string
  readonly none: string
  /** Example of a value, and other ways to give values. */
  readonly example: string
  readonly counted: (total: number) => Text
  readonly moreInvalid: (count: number) => Text
  readonly lookupOf: (text: string) => Lookup
}

const kinds: Readonly<Record<KindOfValues, Values>> = {
  phone: {
    question: 'Which number?',
    bothGiven: '--file and arguments both name numbers.',
    missing: "missing required argument 'number'.",
    none: 'No numbers to look up.',
    example: 'Add a number, like 8888-7777, or read many with --file or -',
    counted: (total) => (total === 1 ? say`1 number` : say`${total} numbers`),
    moreInvalid: (count) =>
      count === 1 ? say`1 more number has the status invalid.` : say`${count} more numbers have the status invalid.`,
    lookupOf: () => lookups.phone,
  },
  iban: {
    question: 'Which IBAN?',
    bothGiven: '--file and arguments both name IBANs.',
    missing: "missing required argument 'IBAN'.",
    none: 'No IBANs to look up.',
    example: 'Add an IBAN, like CR05015202001026284066, or read many with --file or -',
    counted: (total) => (total === 1 ? say`1 IBAN` : say`${total} IBANs`),
    moreInvalid: (count) =>
      count === 1 ? say`1 more IBAN has the status invalid.` : say`${count} more IBANs have the status invalid.`,
    lookupOf: () => lookups.iban,
  },
  any: {
    question: 'Which value?',
    bothGiven: '--file and arguments both name values.',
    missing: "missing required argument 'value'.",
    none: 'No values to look up.',
    example: 'Add a value, like 8888-7777, or name a spreadsheet',
    counted: (total) => (total === 1 ? say`1 value` : say`${total} values`),
    moreInvalid: (count) =>
      count === 1 ? say`1 more value has the status invalid.` : say`${count} more values have the status invalid.`,
    lookupOf: (text) => (looksLikeIban(text) ? lookups.iban : phoneOrIban),
  },
}

interface LookupRequest {
  readonly kind: KindOfValues
  readonly concurrency: number
  /** True: an empty list is refused. */
  readonly required: boolean
}

/**
 * A single value is printed as a record for people, or in a sentence if nobody holds it. Each of several values is
 * printed as a row. JSON is always an array, and csv always has the columns of a list. Arguments can be names of saved
 * payees.
 */
export async function lookUpValues(
  kind: KindOfValues,
  { texts, file, concurrency }: ValueFlags & { readonly texts: readonly string[] },
  context: Context,
): Promise<void> {
  const stdin = () => standardInput(context)
  const { bothGiven, lookupOf } = kinds[kind]
  if (file !== undefined) {
    if (texts.length > 0) throw new UsageError(bothGiven, 'Give one of them')
    return printList(valuesIn(file, stdin), { kind, concurrency, required: false }, context)
  }
  const required = texts.length === 0
  const values = required ? [await withoutArguments(kind, context)] : await namedBy(texts, kind, context)
  const [first = '', ...others] = values
  const isAlone = others.length === 0 && first !== '-'
  if (isAlone && !isJson(context.output)) return printOne(first, lookupOf(first), kind, context)
  await printList(valuesOf(values, stdin), { kind, concurrency, required }, context)
}

/** The values of the arguments; names of saved payees become their addresses. */
async function namedBy(words: readonly string[], kind: KindOfValues, context: Context): Promise<readonly string[]> {
  const isName = payeeNames(context)
  const texts = groupedWords(words, isName)
  const file = kind === 'any' ? undefined : texts.find((text) => !isName(text) && isSheetName(text))
  if (file !== undefined) {
    const message =
      kind === 'phone' ? say`${`'${file}'`} is a file, not a number.` : say`${`'${file}'`} is a file, not an IBAN.`
    throw new UsageError(message, { kind: 'look_up_sheet', file })
  }
  return Promise.all(texts.map((text) => (isName(text) ? withoutName(text, kind, context) : text)))
}

/** True for an existing file, or a word with the extension of a spreadsheet. */
const isSheetName = (text: string): boolean =>
  /\.(csv|tsv|txt|xlsx?|ods)$/i.test(text) || (!isPhone(phoneIn(text)) && isFile(text))

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

const isJson = ({ format }: Output): boolean => format === 'json' || format === 'ndjson' || format === 'yaml'

/** Asks at a terminal; otherwise reads stdin. */
async function withoutArguments(kind: KindOfValues, context: Context): Promise<string> {
  const { question: message, lookupOf } = kinds[kind]
  if (context.interactive) {
    const { askText } = await import('../cli/prompts.ts')
    return askText({ message, check: (text) => lookupOf(text).normalize(text) }, context)
  }
  if (!context.io.stdin.isTTY) return '-'
  throw missing(kinds[kind])
}

const missing = ({ missing: message, example }: Values): UsageError => new UsageError(message, example)

async function printOne(text: string, lookup: Lookup, kind: KindOfValues, context: Context): Promise<void> {
  const { output } = context
  const { key, normalize, find } = lookup
  const value = normalize(text)
  try {
    const holder = await find(value, await context.client())
    if (output.format === 'table') await output.record(holder, recordColumns(key))
    else await output.list([holder], lookupLayout(kind))
  } catch (error) {
    const row = rowOfNobody(error, key, value)
    if (!row) throw error
    if (output.format === 'table') await output.line(nobody(value, key))
    else await output.list([row], lookupLayout(kind))
    context.exitWith(exits.not_found.code)
  }
}

const nobody = (value: string, key: Lookup['key']): Text =>
  key === 'iban'
    ? say`${formatAddress(value)} is not a registered IBAN.`
    : say`${formatAddress(value)} is not registered in SINPE Móvil.`

/** Prints a row for each value, in order. Throws an error only after the rows before the error have been printed. */
async function printList(values: AsyncIterable<string>, request: LookupRequest, context: Context): Promise<void> {
  const { kind, concurrency } = request
  const { none, lookupOf } = kinds[kind]
  const { output, signal } = context
  const source = await opened(values, request)
  const client = await context.client()
  const gate = new RequestGate(signal)
  context.onRetry((delay) => gate.hold(delay))
  const { progress } = reporterOf(context)
  const counts = new Counts(kind)
  let failure: unknown
  const rows = async function* () {
    try {
      for await (const row of lookUpMany(source, lookupOf, { client, gate, concurrency, signal })) {
        counts.add(row)
        progress(counts.text)
        yield row
      }
    } catch (error) {
      failure = error ?? new Error('The lookup failed for an unknown reason.')
    }
  }
  try {
    await output.stream(rows(), lookupLayout(kind), { sortable: true })
  } finally {
    progress(null)
  }
  if (failure !== undefined) {
    if (counts.total > 0) output.note(say`Stopped after ${counts.text}.`)
    throw failure
  }
  if (counts.total === 0) output.note(none)
  concludeList(counts, kind, context)
}

/** Reads the first value, so that an error of the source is thrown before any output. */
async function opened(
  values: AsyncIterable<string>,
  { kind, required }: LookupRequest,
): Promise<AsyncIterable<string>> {
  const source = values[Symbol.asyncIterator]()
  const first = await source.next()
  if (first.done && required) throw missing(kinds[kind])
  return (async function* () {
    for (let next = first; !next.done; next = await source.next()) yield next.value
  })()
}

/** Maximum number of invalid values that the error names. */
const mostFaults = 3

/** Counts rows by result. */
class Counts {
  total = 0
  notFound = 0
  invalid = 0
  /** Reasons why the first invalid values are invalid. Each reason names its value. */
  readonly faults: Said[] = []
  readonly #kind: KindOfValues

  constructor(kind: KindOfValues) {
    this.#kind = kind
  }

  add(row: LookupRow): void {
    this.total += 1
    if (!(row instanceof RowWithoutHolder)) return
    const { status, reason } = row
    if (status !== 'invalid') {
      this.notFound += 1
      return
    }
    this.invalid += 1
    if (this.faults.length < mostFaults) this.faults.push(reason)
  }

  get text(): Text {
    const { notFound, invalid } = this
    const [values, found] = [kinds[this.#kind].counted(this.total), this.total - notFound - invalid]
    return invalid > 0
      ? say`${values}: ${found} found, ${notFound} not found, ${invalid} invalid`
      : say`${values}: ${found} found, ${notFound} not found`
  }
}

/** Values that nobody holds set the exit code; a value that is not valid is a failure of the run. */
function concludeList({ total, notFound, invalid, faults }: Counts, kind: KindOfValues, context: Context): void {
  if (invalid > 0) {
    const unnamed = invalid - faults.length
    const more = unnamed > 0 ? [kinds[kind].moreInvalid(unnamed)] : []
    const message =
      notFound > 0 ? say`${invalid} of ${total} invalid. ${notFound} not found.` : say`${invalid} of ${total} invalid.`
    throw new CliError('usage', message, sentences([...faults, ...more]))
  }
  if (notFound === 0) return
  if (!isJson(context.output)) context.output.note(say`${notFound} of ${total} not found.`)
  context.exitWith(exits.not_found.code)
}

const sentences = (all: readonly Said[]): Said => all.reduce((before, one) => say`${before} ${one}`)

const recordColumns = (key: Lookup['key']): readonly Column<LookupRow>[] =>
  columnsOf<LookupRow>(key === 'iban' ? iban('iban') : 'phone_number', ...holderColumns)

const holderColumns = columnsOf<LookupRow>(
  words('name'),
  'document_number',
  { ...field('currency'), dispensable: true },
  '-country_code',
  { ...words('entity_name'), heading: 'bank', dispensable: true },
  status('status'),
)

/** The phone or IBAN of a row. */
const address = {
  ...iban<LookupRow>('phone_or_iban', (row) => row.phone_number ?? row.iban),
  meaning: 'Phone or IBAN that was looked up',
  text: (row: LookupRow) => formatAddress(row.phone_number ?? row.iban ?? ''),
  width: 'CR05 0152 0200 1026 2840 66'.length,
}

const columnsByKind: Readonly<Record<KindOfValues, readonly Column<LookupRow>[]>> = {
  phone: recordColumns('phone_number'),
  iban: recordColumns('iban'),
  any: columnsOf<LookupRow>('phone_number', { ...iban('iban'), meaning: 'IBAN that was looked up' }, ...holderColumns),
}

/** Layout of a list that shows the reason below each row without a holder. */
export const lookupLayout = (kind: KindOfValues): Layout<LookupRow> => ({
  columns: columnsOf<LookupRow>(...columnsByKind[kind], {
    ...detail('reason', (row) => (row instanceof RowWithoutHolder ? String(row.reason) : undefined)),
    meaning: 'Reason why no holder was found',
  }),
  ...(kind === 'any' && { table: [address, ...holderColumns] }),
  below(row) {
    if (!(row instanceof RowWithoutHolder)) return undefined
    const { status, reason, phone_number, iban } = row
    if (status === 'not_found') return nobody(iban ?? phone_number ?? '', iban ? 'iban' : 'phone_number')
    return typeof reason === 'string' ? foreign(reason) : reason
  },
  schema: kind === 'iban' ? 'IbanInformation' : 'PhoneInformation',
})
