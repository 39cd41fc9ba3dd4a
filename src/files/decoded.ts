type Bytes = AsyncIterable<Uint8Array | string>

/** The bytes are not text in the encoding that they seem to have. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError'
  /** `UTF-8`, `UTF-16LE` or `UTF-16BE`. */
  readonly expected: string
  /** UTF-16 without a byte order mark. */
  readonly likely: string | undefined

  constructor(expected: string, likely?: string) {
    super(likely ? `${likely} text without the byte order mark that says so` : `not ${expected} text`)
    this.expected = expected
    this.likely = likely
  }
}

/**
 * Text of a file's bytes, as they come: UTF-8, or UTF-16 with its byte order mark, which is left out. Throws
 * EncodingError for UTF-16 without it, and for anything else when `strict`.
 */
export async function* decoded(bytes: Bytes, { strict }: { readonly strict: boolean }): AsyncGenerator<string, void> {
  let decoder: TextDecoder | undefined
  let start = Buffer.alloc(0)
  const open = (): TextDecoder => {
    const likely = unmarked(start)
    if (likely) throw new EncodingError('UTF-8', likely)
    return new TextDecoder(markedAs(start), { fatal: strict })
  }
  for await (const chunk of bytes) {
    const next = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (decoder) yield decode(decoder, next)
    else {
      start = Buffer.concat([start, next])
      if (start.length < 2) continue // a mark may be cut in two
      decoder = open()
      yield decode(decoder, start)
    }
  }
  if (!decoder) {
    decoder = open()
    yield decode(decoder, start)
  }
  yield decode(decoder)
}

function markedAs([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** An ASCII letter in two bytes has a zero in one of them. */
function unmarked([first, second]: Uint8Array): string | undefined {
  if (first === 0 && second) return 'UTF-16BE'
  return first && second === 0 ? 'UTF-16LE' : undefined
}

/** Without a chunk: ends the text. */
function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  const expected = decoder.encoding.toUpperCase()
  try {
    const text = decoder.decode(chunk, { stream: chunk !== undefined })
    if (!decoder.fatal || !text.includes('\0')) return text
  } catch {}
  throw new EncodingError(expected)
}
