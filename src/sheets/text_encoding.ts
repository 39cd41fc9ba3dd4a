import { isUtf8 } from 'node:buffer'
import { say } from '../words/text.ts'
import { type Encoding, type EncodingName, SheetError } from './sheet.ts'

export type Bytes = AsyncIterable<Uint8Array | string>

/**
 * Yields the text of a file's bytes as they arrive: UTF-8, UTF-16 with or without a byte order mark, or Windows-1252,
 * Excel's default. The first character beyond ASCII decides between UTF-8 and Windows-1252; from then on, `found`
 * contains the result. Throws SheetError for bytes that are not text, or not in one encoding.
 */
export async function* decodedText(
  bytes: Bytes,
  found: Encoding = { name: 'UTF-8', hasMark: false },
): AsyncGenerator<string, void> {
  let start: Uint8Array | undefined = new Uint8Array()
  let decode: Decode | undefined
  let line = 1
  const checked = (bytes?: Uint8Array): string => {
    const text = decode?.(bytes)
    if (text === undefined) {
      const [before = ''] = new TextDecoder(found.name).decode(bytes).split('\ufffd', 1)
      throw mixedEncodings(found.name, line + before.split('\n').length - 1)
    }
    const [whole = ''] = text.split('\0', 1)
    line += whole.split('\n').length - 1
    if (whole.length < text.length) throw new SheetError(say`The file is not text (from line ${line} on).`, saveAsCsv)
    return text
  }
  for await (const chunk of bytes) {
    const next = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (decode) {
      yield checked(next)
      continue
    }
    start = Buffer.concat([start ?? [], next])
    if (start.length < 4) continue // a byte order mark can be split between two chunks
    decode = decoderOf(start, found)
    yield checked(start)
  }
  if (!decode) {
    decode = decoderOf(start, found)
    yield checked(start)
  }
  yield checked()
}

/** Decodes bytes; without bytes, ends the text. Returns undefined if the bytes don't fit the encoding. */
type Decode = (bytes: Uint8Array | undefined) => string | undefined

function decoderOf(start: Uint8Array, found: Encoding): Decode {
  const [first, second, third] = start
  if (first === 0xef && second === 0xbb && third === 0xbf) return unicode('UTF-8', true, found)
  if (first === 0xff && second === 0xfe) return unicode('UTF-16LE', true, found)
  if (first === 0xfe && second === 0xff) return unicode('UTF-16BE', true, found)
  // An ASCII letter takes two bytes in UTF-16, one of which is zero.
  if (first && second === 0 && third) return unicode('UTF-16LE', false, found)
  if (first === 0 && second && third === 0) return unicode('UTF-16BE', false, found)
  return utf8OrWindows1252(found)
}

function unicode(name: EncodingName, hasMark: boolean, found: Encoding): Decode {
  Object.assign(found, { name, hasMark })
  const decoder = new TextDecoder(name, { fatal: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      return undefined
    }
  }
}

function utf8OrWindows1252(found: Encoding): Decode {
  let held = new Uint8Array()
  let chosen: Decode | undefined
  return (bytes) => {
    if (chosen) return chosen(bytes)
    const all = Buffer.concat([held, bytes ?? new Uint8Array()])
    const at = all.findIndex((byte) => byte >= 0x80)
    if (at === -1) {
      held = new Uint8Array()
      return all.toString('latin1')
    }
    const lead = all[at] ?? 0
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
    const character = all.subarray(at, at + length)
    if (bytes && character.length < length) {
      held = all.subarray(at) // the next bytes contain the rest of the character
      return all.subarray(0, at).toString('latin1')
    }
    if (isUtf8(character)) {
      chosen = unicode('UTF-8', false, found)
      const text = chosen(all)
      const rest = bytes ? '' : chosen(undefined)
      return text === undefined || rest === undefined ? undefined : text + rest
    }
    found.name = 'Windows-1252'
    chosen = (more) => fromWindows1252(more ?? new Uint8Array())
    return chosen(all)
  }
}

const mixedEncodings = (name: EncodingName, line: number): SheetError =>
  new SheetError(
    name === 'Windows-1252'
      ? say`From line ${line} on, the file is neither UTF-8 nor Windows-1252 text: names would be garbled.`
      : say`The file is not ${name} text (from line ${line} on): names would be garbled.`,
    "Save it as 'CSV UTF-8' in the program that it comes from",
  )

const saveAsCsv = "Give an .xlsx file, or save the sheet as 'CSV UTF-8'"

/** Characters of Windows-1252 in place of Latin-1's control characters; five codes are unused. */
const high = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

const codes = new Map(Array.from(high, (character, at) => [character, 0x80 + at]))

/**
 * Decodes Windows-1252; undefined if a byte has no meaning. payctl has its own table, because some releases of Node
 * decode Windows-1252 as Latin-1.
 */
function fromWindows1252(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const decoded = text.replace(/[\x80-\x9f]/g, (control) => high[control.charCodeAt(0) - 0x80] ?? '')
  return decoded.includes('\0') ? undefined : decoded
}

/** Encodes text in Windows-1252; undefined if the text has a character that Windows-1252 lacks. */
export function toWindows1252(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const byte = code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : codes.get(text.charAt(at))
    if (byte === undefined) return undefined
    bytes[at] = byte
  }
  return bytes
}
