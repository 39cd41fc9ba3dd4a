import { createReadStream } from 'node:fs'
import { UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import { decodedText } from '../sheets/text_encoding.ts'
import { looksLikeOldOffice, looksLikeZip } from '../sheets/unsupported_formats.ts'
import { looksLikePhone } from '../values/recipient.ts'
import { say } from '../words/text.ts'

type Bytes = AsyncIterable<Uint8Array | string>

/**
 * Maximum length of a line, in characters. A longer line is not a list of values, and could be as large as the disk.
 */
const longestLine = 10_000

/** Yields the arguments, with the lines of stdin in place of `-`. `stdin` is called only if stdin is to be read. */
export async function* valuesOf(texts: readonly string[], stdin: () => Bytes): AsyncGenerator<string, void, undefined> {
  for (const text of texts) {
    if (text === '-') yield* linesOf(stdin())
    else yield text
  }
}

/** Yields the lines of a file; `-` is stdin. Throws UsageError if the file can't be read, or is a spreadsheet. */
export async function* valuesIn(path: string, stdin: () => Bytes): AsyncGenerator<string, void, undefined> {
  if (path === '-') return yield* linesOf(stdin())
  const file = createReadStream(path)
  try {
    let isFirst = true
    for await (const line of linesOf(withoutSheet(file, path))) {
      if (isFirst && hasColumns(line)) throw isSheet(path)
      isFirst = false
      yield line
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw readError(path, error)
    throw error
  } finally {
    file.destroy()
  }
}

/** Throws UsageError for a workbook. */
async function* withoutSheet(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array, void> {
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst && (looksLikeZip(chunk) || looksLikeOldOffice(chunk))) throw isSheet(path)
    isFirst = false
    yield chunk
  }
}

/** True if the line has several CSV fields. A single number may have a decimal comma: `8,7000001E7`. */
const hasColumns = (line: string): boolean =>
  !looksLikePhone(line) && line.split(/[,;\t|]/).filter((field) => field.trim() !== '').length > 1

const isSheet = (path: string): UsageError =>
  new UsageError(say`${path} is a spreadsheet, not a list of values.`, { kind: 'look_up_sheet', file: path })

/**
 * Yields trimmed lines, without a spreadsheet's quotes around a value. Skips blank lines and comments (`#`). Accepts
 * any encoding that spreadsheets write.
 */
async function* linesOf(chunks: Bytes): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of decodedText(chunks)) {
    rest += chunk
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines.map(trimmed).filter(isValue)
    if (rest.length > longestLine) throw tooLong()
  }
  yield* [rest].map(trimmed).filter(isValue)
}

/** `trim` also removes a byte order mark. */
const trimmed = (line: string): string => {
  if (line.length > longestLine) throw tooLong()
  return line
    .trim()
    .replace(/^"([^"]*)"$/, '$1')
    .trim()
}

const isValue = (line: string): boolean => line !== '' && !line.startsWith('#')

const tooLong = (): UsageError =>
  new UsageError(say`A line has more than ${longestLine} characters.`, 'Give a text file with one value on each line')

const readError = (path: string, error: Error): UsageError =>
  new UsageError(say`${path} can't be read: ${fileFault(error)}.`, { kind: 'name_file_of_values' })
