/**
 * Text of other people's making can carry terminal commands (ESC and C1), and characters that reverse what is read
 * (bidi controls): neither may reach a terminal. Made when it is needed: the classes take 0.3 ms of every start.
 */
const controls = (): RegExp => /[\p{Cc}\p{Bidi_Control}]/gu

/** On one line, without control characters; tabs and line ends, Unicode's too, become spaces. */
export const printable = (text: string): string =>
  text.replace(/\r\n|[\t\n\r\u2028\u2029]/g, ' ').replace(controls(), '')

/** The same, but line ends stay: for formats that quote them. */
export const printableLines = (text: string): string =>
  text
    .replace(/\t/g, ' ')
    .replace(controls(), (character) => (character === '\n' || character === '\r' ? character : ''))

/** What JSON.stringify leaves as it is. */
const beyondJson = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** For JSON text and double-quoted YAML: the same value, in characters that are safe to show. */
export const escapeControls = (json: string): string =>
  json.replace(beyondJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const hasControls = (text: string): boolean => text.search(controls()) !== -1
