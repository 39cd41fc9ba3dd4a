import { UsageError } from '../errors/cli_error.ts'
import { decoded, EncodingError } from '../files/decoded.ts'

/** Characters; a longer line is no list of values, and could be as long as a disk. */
const longestLine = 10_000

/**
 * Lines of text, trimmed, also of the quotes that a spreadsheet puts around a value; blank ones and comments (`#`) are
 * left out. UTF-8, or UTF-16 with its mark.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  try {
    for await (const chunk of decoded(chunks, { strict: false })) {
      rest += chunk
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines.map(trimmed).filter(isValue)
      if (rest.length > longestLine) throw tooLong()
    }
  } catch (error) {
    throw error instanceof EncodingError ? unreadable(error) : error
  }
  yield* [rest].map(trimmed).filter(isValue)
}

/** `trim` takes a byte order mark off as well. */
const trimmed = (line: string): string => {
  if (line.length > longestLine) throw tooLong()
  return line
    .trim()
    .replace(/^"([^"]*)"$/, '$1')
    .trim()
}

const isValue = (line: string): boolean => line !== '' && !line.startsWith('#')

const tooLong = (): UsageError =>
  new UsageError(`A line has more than ${longestLine} characters.`, 'Give a text file with one value on each line')

const unreadable = ({ message, likely }: EncodingError): UsageError =>
  new UsageError(`The values are ${message}.`, `Convert them: iconv -f ${likely} -t UTF-8 values.txt > utf8.txt`)
