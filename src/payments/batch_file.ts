import { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import type { SendPaymentBody } from '../contract/index.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { decoded, EncodingError } from '../files/decoded.ts'
import type { StagedRow, StagedRows } from '../journal/staged_rows.ts'
import { nameFault, type Payee, type Payees } from '../payees/payee.ts'
import { hasControls, printable } from '../run/sanitise.ts'
import { type Amount, parseAmount } from '../values/amount.ts'
import { parseRecipient, type Recipient } from '../values/recipient.ts'
import type { Accounts } from './accounts.ts'
import { checkCurrency, Faults, fault, sourceOf } from './batch_checks.ts'
import { checkDescription, requirePayable } from './order.ts'

/** What a file of payments is read with. */
export interface BatchFile {
  readonly bytes: AsyncIterable<Uint8Array | string>
  /** Account to debit where a row names none. */
  readonly from: string | undefined
  /** The saved payees, read if a row names one. */
  readonly payees?: (() => Promise<Payees>) | undefined
  /** Faulty rows that are named; the others are counted. */
  readonly maxFaults?: number | undefined
  /** What is wrong with a row, together with what can be done about it. */
  readonly explain?: (problem: string, next: NextStep) => string
  readonly signal?: AbortSignal | undefined
}

/** Puts every row of a file among the staged ones. Throws UsageError that names all rows that are wrong. */
export async function stageFile(file: BatchFile, rows: StagedRows, accounts: Accounts): Promise<void> {
  const { bytes, from, maxFaults, explain = (problem) => problem, signal } = file
  const faults = new Faults(maxFaults)
  let heading: Heading | undefined
  let payees: Payees | undefined
  for await (const record of recordsOf(textOf(bytes))) {
    signal?.throwIfAborted()
    if (!heading) {
      heading = readHeading(record.cells, { hasFrom: from !== undefined })
      continue
    }
    const to = record.cells[heading.get('to') ?? -1] ?? ''
    if (!payees && nameFault(to.trim()) === undefined) payees = await file.payees?.()
    const read = readRow(record, { heading, accounts, payees, from, explain })
    if ('row' in read) rows.add(read.row)
    else faults.add(record.line, read.faults)
  }
  if (!heading)
    throw new UsageError('The file is empty.', 'Its first line names the columns: to,amount,description,from')
  faults.throwIfAny()
  if (rows.count() === 0) throw new UsageError('The file has a heading and no rows: there is nothing to pay.')
}

const columnNames = ['to', 'amount', 'description', 'from', 'currency', 'reference', 'name'] as const

type ColumnName = (typeof columnNames)[number]

/** Where each column stands in a record. */
type Heading = ReadonlyMap<ColumnName, number>

/** Reads the first record: names in any order and case. `from` may be missing when a flag gives it. */
function readHeading(cells: readonly string[], { hasFrom }: { readonly hasFrom: boolean }): Heading {
  const heading = new Map<ColumnName, number>()
  const last = cells.findLastIndex((cell) => cell.trim() !== '') // Excel adds empty columns at the end
  for (const [at, cell] of cells.slice(0, last + 1).entries()) {
    const written = printable(cell).trim()
    const name = nameOf(cell)
    if (!name) throw new UsageError(`${strange(written, cells)} Nothing was sent.`, usage)
    if (heading.has(name)) throw new UsageError(`The column ${name} stands there twice. Nothing was sent.`, usage)
    heading.set(name, at)
  }
  const required: readonly ColumnName[] = hasFrom
    ? ['to', 'amount', 'description']
    : ['to', 'amount', 'description', 'from']
  const missing = required.filter((name) => !heading.has(name))
  if (missing.length === 0) return heading
  const advice = missing.join() === 'from' ? ({ kind: 'add_source' } as const) : usage
  throw new UsageError(`The file has no column ${missing.join(', ')}. Nothing was sent.`, advice)
}

/** Without the invisible characters that copied headings can have. */
const nameOf = (cell: string): ColumnName | undefined => {
  const written = printable(cell).trim().toLowerCase()
  return columnNames.find((known) => known === written)
}

const strange = (written: string, cells: readonly string[]): string =>
  cells.some(nameOf)
    ? `The column "${written}" is none that payctl reads.`
    : `The first line names no column that payctl reads; it begins with "${written}".`

const usage = 'The first line names the columns: to,amount,description,from and, if you like, currency,reference,name'

interface Rules {
  readonly heading: Heading
  readonly accounts: Accounts
  readonly payees: Payees | undefined
  /** Account to debit where a row names none. */
  readonly from: string | undefined
  readonly explain: NonNullable<BatchFile['explain']>
}

/** A row in which no fault was found, or all its faults. */
type ReadRow = { readonly row: StagedRow } | { readonly faults: readonly string[] }

function readRow({ cells, line }: CsvRecord, rules: Rules): ReadRow {
  const cell = (name: ColumnName): string => (cells[rules.heading.get(name) ?? -1] ?? '').trim()
  const faults: string[] = []
  const tried = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      faults.push(faultOf(error, rules.explain))
      return undefined
    }
  }
  const width = Math.max(...rules.heading.values()) + 1
  if (cells.slice(width).some((extra) => extra.trim() !== '')) {
    return { faults: [`it has ${cells.length} fields, the heading ${width}: quote a field that has a delimiter in it`] }
  }
  const payee = tried(() => savedPayee(cell('to'), rules.payees))
  const recipient = payee === undefined ? undefined : tried(() => recipientOf(cell('to'), payee))
  const amount = tried(() => payable(cell('amount')))
  const description = tried(() => descriptionOf(cell('description')))
  const source = tried(() => sourceOf(cell('from') || rules.from || '', rules.accounts))
  const stated = [cell('currency'), amount?.currency ?? '']
  tried(() => checkCurrency({ stated, recipient, account: source?.account }))
  const reference = cell('reference') || null
  if (faults.length > 0 || !recipient || !amount || !source) return { faults }
  const body: SendPaymentBody = {
    source_account_id: source.id,
    amount: amount.minor,
    ...recipient,
    ...(description && { description }),
  }
  const name = cell('name')
  const expected = [
    ...(payee?.holder ? [{ name: payee.holder, payee: payee.name }] : []),
    ...(name === '' ? [] : [{ name }]),
  ]
  return { row: { line, body, reference, expected } }
}

/** The payee that a text names; null for one that is no name. */
function savedPayee(text: string, payees: Payees | undefined): Payee | null {
  if (!payees || nameFault(text) !== undefined) return null
  const payee = payees.require(text)
  if (payee.holder !== null) return payee
  return fault(`to ${payee.name} has not been verified`, { kind: 'verify_payee', payee: payee.name })
}

function recipientOf(text: string, payee: Payee | null): Recipient {
  if (!payee) return parseRecipient(text, 'to')
  return payee.iban === undefined ? { recipient_phone: payee.phone } : { recipient_iban: payee.iban }
}

function payable(text: string): Amount {
  const amount = parseAmount(text, { name: 'amount' })
  requirePayable(amount.minor, 'amount')
  return amount
}

/** A sentence without its full stop, with the remedy where there is one. */
function faultOf(error: unknown, explain: Rules['explain']): string {
  if (!(error instanceof UsageError)) throw error
  const { hint, next } = error
  const message = (next ? explain(error.message, next) : error.message).replace(/\.$/, '')
  return hint === undefined ? message : `${message}. ${hint}`
}

/** Empty for the default of the channel. */
function descriptionOf(text: string): string {
  if (hasControls(text.replaceAll('\n', ''))) return fault('description has control characters')
  return text === '' ? '' : checkDescription(text, 'description')
}

/**
 * Text of a file's bytes, as they come, with `\n` for every line end, so that a file means the same wherever it was
 * saved. Throws UsageError for what is not UTF-8, or UTF-16 with its mark.
 */
export async function* textOf(bytes: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void> {
  let line = 1
  let held = ''
  try {
    for await (const chunk of decoded(bytes, { strict: true })) {
      const text = held + chunk
      held = text.endsWith('\r') ? '\r' : '' // its \n may come with the next chunk
      const whole = text.slice(0, text.length - held.length).replace(/\r\n?/g, '\n')
      line += whole.split('\n').length - 1
      if (whole !== '') yield whole
    }
  } catch (error) {
    throw error instanceof EncodingError ? unreadable(error, line) : error
  }
  if (held !== '') yield '\n'
}

function unreadable({ message, expected, likely }: EncodingError, line: number): UsageError {
  const place = likely ? '' : ` (from line ${line} on): names and descriptions would be garbled`
  const from = likely ?? (expected === 'UTF-8' ? 'WINDOWS-1252' : expected)
  return new UsageError(
    `The file is ${message}${place}. Nothing was sent.`,
    `Save it as 'CSV UTF-8', or convert it: iconv -f ${from} -t UTF-8 file.csv > utf8.csv`,
  )
}

/** A record of a CSV file and the line it begins at. */
export interface CsvRecord {
  readonly cells: readonly string[]
  readonly line: number
}

/** Longest record, in characters: beyond it a quote was left open. */
const longestRecord = 100_000

/** Records of a text in the order they come, without those that have no text at all. Throws UsageError. */
export async function* recordsOf(text: AsyncIterable<string>): AsyncGenerator<CsvRecord, void> {
  const { heading, whole } = await peek(text)
  const parser = parse({
    delimiter: delimiterOf(heading),
    record_delimiter: '\n',
    info: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    relax_column_count: true,
    max_record_size: longestRecord,
  })
  const source = Readable.from(whole)
  source.on('error', (error) => parser.destroy(error)).pipe(parser)
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      yield { cells: record, line: info.lines - breaksIn(record) }
    }
  } catch (error) {
    throw isCsvError(error) ? malformed(error) : error
  } finally {
    source.destroy()
  }
}

interface Parsed {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

const breaksIn = (cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)

/** The first line that is not empty, and the text with it. */
async function peek(text: AsyncIterable<string>): Promise<{ heading: string; whole: AsyncIterable<string> }> {
  const rest = text[Symbol.asyncIterator]()
  let start = ''
  while (!/\S[^\n]*\n/.test(start) && start.length < longestRecord) {
    const { done, value } = await rest.next()
    if (done) break
    start += value
  }
  const whole = async function* () {
    if (start !== '') yield start
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { heading: start.trimStart().split('\n', 1)[0] ?? '', whole: whole() }
}

/** What stands most often between the names of the columns. Excel writes `;` where the comma is for decimals. */
function delimiterOf(heading: string): string {
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: heading.split(delimiter).length }))
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).delimiter
}

const isCsvError = (error: unknown): error is CsvError & { readonly lines: number } =>
  error instanceof Error && 'code' in error && /^(CSV_|INVALID_)/.test(String(error.code))

function malformed(error: CsvError & { readonly lines: number }): UsageError {
  const what = csvFaults[error.code] ?? error.message
  return new UsageError(`Line ${error.lines} is not CSV: ${what}. Nothing was sent.`, quoting)
}

const csvFaults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that is opened there is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote in the middle of a field',
  CSV_MAX_RECORD_SIZE: `a record has more than ${longestRecord} characters; perhaps a quote is never closed`,
}

const quoting = 'A field with quotes in it is written like this: "He said ""yes"""'
