/** Characters of Windows-1252 in place of Latin-1's control characters; five codes are unused. */
const high = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

const codes = new Map(Array.from(high, (character, at) => [character, 0x80 + at]))

/** Undefined if a byte has no meaning. Our own table, because some releases of Node decode Windows-1252 as Latin-1. */
export function fromWindows1252(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const decoded = text.replace(/[\x80-\x9f]/g, (control) => high[control.charCodeAt(0) - 0x80] ?? '')
  return decoded.includes('\0') ? undefined : decoded
}

/** Undefined if the text has a character that Windows-1252 lacks. */
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
