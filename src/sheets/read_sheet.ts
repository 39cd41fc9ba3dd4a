import { nextTurn } from '../real_time.ts'
import { grouped } from '../run/counts.ts'
import { say } from '../words/text.ts'
import { readRecords } from './csv_records.ts'
import {
  type CsvForm,
  type Encoding,
  isBlank,
  type Sheet,
  SheetError,
  type SheetRow,
  tooMuch,
  type XlsxForm,
} from './sheet.ts'
import { type Bytes, decodedText } from './text_encoding.ts'
import { looksLikeOldOffice, looksLikeZip, oldOffice, refuseForeign } from './unsupported_formats.ts'

/** True for the cells of a header. */
type HeaderTest = (cells: readonly string[]) => boolean

export interface SheetOptions {
  /**
   * Recognises the header among the first rows. Of several tests, the first test that accepts at least one row decides.
   * By default the first non-blank row is the header; false: the sheet has no header.
   */
  readonly header?: HeaderTest | readonly HeaderTest[] | false
  /** Name of the sheet in an .xlsx file. */
  readonly sheet?: string | undefined
  /** True: yields blank rows too. */
  readonly keepBlank?: boolean
  /**
   * True: a quote in the middle of a field is an error, so that a payment file can't be misread. False: the quote is
   * text, as in Excel.
   */
  readonly isStrict?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Number of first non-blank rows in which to look for the header: a title and notes may precede it. */
const mostBeforeHeader = 30

/** Maximum number of blank rows in a file: an Excel sheet's maximum. */
const mostBlank = 2 ** 20

/** Maximum number of bytes of an .xlsx file, which is held in memory. */
const largestXlsx = 100_000_000

/**
 * Reads a sheet from the bytes of a file: .xlsx, or any CSV in bounded memory. Detects the type from the content, not
 * the name. Throws SheetError that names the type of any other file.
 */
export async function readSheet(bytes: Bytes, options: SheetOptions = {}): Promise<Sheet> {
  const { start, whole } = await begin(bytes)
  if (looksLikeOldOffice(start)) throw oldOffice(await collect(whole))
  if (looksLikeZip(start)) {
    const { readXlsx } = await import('./xlsx_rows.ts')
    const { form, rows } = await readXlsx(await collect(whole), options)
    return sheetOf({ xlsx: form }, { records: eachOf(rows) }, options)
  }
  refuseForeign(start)
  if (options.sheet !== undefined) {
    throw new SheetError('The file is text and has no sheets.', { kind: 'omit_sheet' })
  }
  const encoding: Encoding = { name: 'UTF-8', hasMark: false }
  const read = await readRecords(decodedText(whole, encoding), { isStrict: options.isStrict === true })
  const { separator, lineEnd } = read
  return sheetOf({ csv: { separator, lineEnd, encoding } }, read, options)
}

type Form = { readonly csv: CsvForm } | { readonly xlsx: XlsxForm }

interface Content {
  readonly records: AsyncIterable<SheetRow>
  /** The line `sep=;` before the rows. */
  readonly separatorLine?: SheetRow | undefined
}

async function sheetOf(
  form: Form,
  { records, separatorLine }: Content,
  { header: wanted, keepBlank = false, signal }: SheetOptions,
): Promise<Sheet> {
  const rest = judged(records, signal)
  const [isHeader = () => true, ...otherwise] = wanted === false ? [never] : [wanted ?? []].flat()
  const first: SheetRow[] = []
  let header: SheetRow | undefined
  for (let looked = 0; wanted !== false && looked < mostBeforeHeader && !header; ) {
    const { done, value } = await rest.next()
    if (done) break
    if (!isBlank(value)) {
      looked += 1
      if (isHeader(value.cells)) header = value
    }
    if (!header) first.push(value)
  }
  let below: readonly SheetRow[] = []
  for (const test of header ? [] : otherwise) {
    const at = first.findIndex((row) => !isBlank(row) && test(row.cells))
    if (at === -1) continue
    header = first[at]
    below = first.splice(at).slice(1)
    break
  }
  const before = [...(separatorLine ? [separatorLine] : []), ...(header ? first : [])]
  const rows = async function* () {
    const given = (row: SheetRow) => keepBlank || !isBlank(row)
    yield* (header ? below : first).filter(given)
    for (let next = await rest.next(); !next.done; next = await rest.next()) if (given(next.value)) yield next.value
  }
  return { ...form, before, header, rows: rows() }
}

const never: HeaderTest = () => false

/** Yields the rows. Throws after an abort, or for too many blank rows. */
async function* judged(
  records: AsyncIterable<SheetRow>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SheetRow, void> {
  let blank = 0
  for await (const row of records) {
    signal?.throwIfAborted()
    if (isBlank(row)) blank += 1
    if (blank > mostBlank)
      throw new SheetError(say`The file has more than ${grouped(mostBlank)} blank rows.`, deleteBlank)
    yield row
  }
}

const deleteBlank = 'Delete the blank rows: there may be many below the last row that you see'

/** Number of rows to yield before other work of the process runs, such as an abort. */
const rowsAtOnce = 1000

async function* eachOf<T>(items: Iterable<T>): AsyncGenerator<T, void> {
  let given = 0
  for (const item of items) {
    yield item
    given += 1
    if (given % rowsAtOnce === 0) await nextTurn()
  }
}

/** Returns the first bytes, which show the type of the file, and a stream of all bytes. */
async function begin(bytes: Bytes): Promise<{ start: Uint8Array; whole: AsyncIterable<Uint8Array> }> {
  const rest = bytes[Symbol.asyncIterator]()
  let start: Uint8Array = new Uint8Array()
  while (start.length < 512) {
    const { done, value } = await rest.next()
    if (done) break
    start = Buffer.concat([start, asBytes(value)])
  }
  const whole = async function* () {
    yield start
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield asBytes(next.value)
  }
  return { start, whole: whole() }
}

const asBytes = (chunk: Uint8Array | string): Uint8Array => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > largestXlsx) throw new SheetError(say`The file has more than ${largestXlsx / 1e6} MB.`, tooMuch)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
