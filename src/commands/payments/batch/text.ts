import { UsageError } from '../../../output/cli_error.ts'

/**
 * Text of a file's bytes, as they come, with `\n` for every line end, so that a file means the same wherever it was
 * saved. A byte order mark is left out. Throws UsageError for what is not UTF-8.
 */
export async function* textOf(bytes: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  let held = ''
  for await (const chunk of bytes) {
    const text = held + decoded(decoder, chunk, line)
    held = text.endsWith('\r') ? '\r' : '' // its \n may come with the next chunk
    const whole = text.slice(0, text.length - held.length).replace(/\r\n?/g, '\n')
    line += whole.split('\n').length - 1
    if (whole !== '') yield whole
  }
  const rest = held + decoded(decoder, undefined, line)
  if (rest !== '') yield rest.replace(/\r\n?/g, '\n')
}

function decoded(decoder: TextDecoder, chunk: Uint8Array | string | undefined, line: number): string {
  try {
    if (chunk === undefined) return decoder.decode()
    const text = decoder.decode(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, { stream: true })
    if (text.includes('\0')) throw new TypeError('UTF-16')
    return text
  } catch {
    throw new UsageError(
      `The file is not UTF-8 text (from line ${line} on): names and descriptions would be garbled. Nothing was sent.`,
      "Save it as 'CSV UTF-8', or convert it: iconv -f WINDOWS-1252 -t UTF-8 file.csv > utf8.csv",
    )
  }
}
