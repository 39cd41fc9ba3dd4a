import { UsageError } from '../../output/cli_error.ts'

/** Characters; a longer line is no list of values, and could be as long as a disk. */
const longestLine = 10_000

/**
 * Lines of text, trimmed, also of the quotes that a spreadsheet puts around a value; blank ones and comments (`#`) are
 * left out. UTF-8, or UTF-16 with its mark.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined
  let rest = ''
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') rest += chunk
    else {
      decoder ??= new TextDecoder(encodingOf(chunk))
      rest += decoder.decode(chunk, { stream: true })
    }
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines.map(trimmed).filter(isValue)
    if (rest.length > longestLine) throw tooLong()
  }
  rest += decoder?.decode() ?? ''
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

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

const isValue = (line: string): boolean => line !== '' && !line.startsWith('#')

const tooLong = (): UsageError =>
  new UsageError(`A line has more than ${longestLine} characters.`, 'Give a text file with one value on each line')
