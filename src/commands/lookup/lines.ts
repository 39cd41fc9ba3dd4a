import { UsageError } from '../../output/cli_error.ts'

/** Characters; a longer line is no list of values, and could be as long as a disk. */
const longestLine = 10_000

/** Lines of text, trimmed; blank ones and comments (`#`) are left out. UTF-8, or UTF-16 with its mark. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined
  let rest = ''
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') rest += chunk
    else {
      decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf-16le' : 'utf-8')
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
  return line.trim()
}

const isValue = (line: string): boolean => line !== '' && !line.startsWith('#')

const tooLong = (): UsageError =>
  new UsageError(`A line has more than ${longestLine} characters.`, 'Give a text file with one value on each line')
