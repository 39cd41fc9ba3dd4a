import { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { nextTurn } from '../real_time.ts'
import { foreign, say } from '../words/text.ts'
import { type CsvForm, type Separator, SheetError, type SheetRow } from './sheet.ts'

/** Maximum length of a record, in characters: a longer record probably has an unclosed quote. */
const longestRecord = 100_000

/** Number of characters at the beginning that determine the separator. */
const sampled = 64_000

interface CsvText extends Pick<CsvForm, 'separator' | 'lineEnd'> {
  /** The line `sep=;`, if the file begins with it: Excel's way to name the separator. */
  readonly separatorLine: SheetRow | undefined
  /** Every record, including blank records. */
  readonly records: AsyncIterable<SheetRow>
}

/**
 * Reads the records of a CSV text in bounded memory, and detects the form of the text. `isStrict`: a quote inside an
 * unquoted field is an error; otherwise the quote is text, as in Excel. Throws SheetError if the text is not CSV.
 */
export async function readRecords(
  text: AsyncIterable<string>,
  { isStrict }: { readonly isStrict: boolean },
): Promise<CsvText> {
  const { start, whole } = await peek(text)
  const [line, named] = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i.exec(start) ?? []
  const separator = (named as Separator | undefined) ?? separatorOf(start)
  const lineEnd = (/\r\n|\n|\r/.exec(start)?.[0] ?? '\n') as CsvForm['lineEnd']
  const raw = line?.replace(/[\r\n]+$/, '')
  return {
    separator,
    lineEnd,
    separatorLine: raw === undefined ? undefined : { line: 1, cells: [raw], raw },
    records: records(whole, { separator, isStrict, skipped: line }),
  }
}

interface CsvOptions {
  readonly separator: Separator
  readonly isStrict: boolean
  /** The first line, if it is not a record. */
  readonly skipped: string | undefined
}

async function* records(
  text: AsyncIterable<string>,
  { separator, isStrict, skipped }: CsvOptions,
): AsyncGenerator<SheetRow, void> {
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    raw: true,
    relax_column_count: true,
    relax_quotes: !isStrict,
    max_record_size: longestRecord,
  })
  const source = Readable.from(inPieces(without(text, skipped ?? '')))
  source.on('error', (error) => parser.destroy(error)).pipe(parser)
  let line = skipped === undefined ? 1 : 2
  try {
    for await (const { record, raw } of parser as AsyncIterable<Parsed>) {
      // The package `csv-parse` includes the first character of a final CR LF in `raw`.
      const text = raw.replace(/[\r\n]$/, '')
      yield { line, cells: record.map(cellText), raw: text }
      line += 1 + (text.match(/\r\n|\n|\r/g)?.length ?? 0)
    }
  } catch (error) {
    throw isCsvError(error) ? malformed(error, error.lines + (skipped === undefined ? 0 : 1)) : error
  } finally {
    source.destroy()
  }
}

/** Text of a cell as Excel shows it: programs write `="0123"` to keep digits as text, as `--excel` does. */
const cellText = (cell: string): string => cell.replace(/^="(\d+)"$/, '$1').replace(/\r\n?/g, '\n')

interface Parsed {
  readonly record: readonly string[]
  readonly raw: string
}

async function* without(text: AsyncIterable<string>, start: string): AsyncGenerator<string, void> {
  let left = start.length
  for await (const chunk of text) {
    const rest = chunk.slice(left)
    left = Math.max(0, left - chunk.length)
    if (rest !== '') yield rest
  }
}

/** Bytes to parse before other work of the process runs: a record can be a single line end. */
const parsedAtOnce = 8192

async function* inPieces(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of text) {
    const bytes = Buffer.from(chunk)
    for (let at = 0; at < bytes.length; at += parsedAtOnce) {
      yield bytes.subarray(at, at + parsedAtOnce)
      await nextTurn()
    }
  }
}

/** Reads the beginning of a text, and returns it with the whole text. */
async function peek(text: AsyncIterable<string>): Promise<{ start: string; whole: AsyncIterable<string> }> {
  const rest = text[Symbol.asyncIterator]()
  let start = ''
  while (start.length < sampled) {
    const { done, value } = await rest.next()
    if (done) break
    start += value
  }
  const whole = async function* () {
    if (start !== '') yield start
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { start: start.slice(0, sampled), whole: whole() }
}

const separators: readonly Separator[] = [',', ';', '\t', '|']

/**
 * Prefers a separator that occurs both in the first line that contains it and in the next line, if there is one: a
 * title may contain a comma by chance. Among these, chooses the separator that occurs in the earliest line or, if
 * several occur in that line, the most frequent of them.
 */
function separatorOf(start: string): Separator {
  const lines = start
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
  const candidates = separators.flatMap((separator) => {
    const counts = lines.map((line) => line.split(separator).length - 1)
    const first = counts.findIndex((count) => count > 0)
    return first === -1 ? [] : [{ separator, first, count: counts[first] ?? 0, isRepeated: counts[first + 1] !== 0 }]
  })
  const [best] = candidates.sort(
    (one, other) =>
      Number(other.isRepeated) - Number(one.isRepeated) || one.first - other.first || other.count - one.count,
  )
  return best?.separator ?? ','
}

const isCsvError = (error: unknown): error is CsvError & { readonly lines: number } =>
  error instanceof Error && 'code' in error && /^(CSV_|INVALID_)/.test(String(error.code))

function malformed(error: CsvError, line: number): SheetError {
  const what = csvFaults[error.code] ?? error.message
  return new SheetError(say`Line ${line} is not CSV: ${foreign(what)}.`, quoting)
}

const csvFaults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that is opened there, or above, is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after a closing quote',
  INVALID_OPENING_QUOTE: 'there is a quote in the middle of a field',
  CSV_MAX_RECORD_SIZE: `a record has more than ${longestRecord} characters; perhaps a quote is never closed`,
}

const quoting = 'A field with quotes in it is written like this: "He said ""yes"""'
