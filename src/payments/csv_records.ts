import { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { UsageError } from '../errors/cli_error.ts'
import { decoded, EncodingError } from '../files/decoded.ts'

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
  const what = faults[error.code] ?? error.message
  return new UsageError(`Line ${error.lines} is not CSV: ${what}. Nothing was sent.`, quoting)
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that is opened there is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote in the middle of a field',
  CSV_MAX_RECORD_SIZE: `a record has more than ${longestRecord} characters; perhaps a quote is never closed`,
}

const quoting = 'A field with quotes in it is written like this: "He said ""yes"""'
