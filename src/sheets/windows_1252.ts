/** What Windows-1252 has where Latin-1 has control characters; five places are empty. */
const high = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'

const codes = new Map(Array.from(high, (character, at) => [character, 0x80 + at]))

/** Undefined for bytes that mean nothing. Written out because some releases of Node decode it as Latin-1. */
export function fromWindows1252(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const decoded = text.replace(/[\x80-\x9f]/g, (control) => high[control.charCodeAt(0) - 0x80] ?? '')
  return decoded.includes('\0') ? undefined : decoded
}

/** Undefined for text with a character that it does not have. */
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
