import { UsageError } from '../../errors/cli_error.ts'
import { decoded, EncodingError } from '../../files/decoded.ts'

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
