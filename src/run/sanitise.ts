/**
 * Remote text can contain characters that control a terminal (ESC, C1, a lone CR), change the reading order (bidi
 * controls) or are invisible (zero-width characters, tags, fillers), so two different names can look alike. The
 * patterns below match these characters, unless the characters join the parts of an emoji.
 */
const picture = '\\p{Extended_Pictographic}'
const joiner = `(?<!${picture}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d|\\u200d(?!${picture})`
const style = `(?<!${picture})\\ufe0f`
const others = '(?![\\u200d\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]'

let made: RegExp | undefined

/** Compiles the pattern on first use: that takes 1 ms, and help does not need it. */
function hidden(): RegExp {
  made ??= new RegExp(`${joiner}|${style}|${others}`, 'gu')
  return made
}

/** Puts text on one line without invisible characters. Tabs and line ends, including Unicode's, become spaces. */
export const printable = (text: string): string => text.replace(/\r\n|[\t\n\r\u2028\u2029]/g, ' ').replace(hidden(), '')

/** Removes invisible characters but keeps line ends, as LF: for formats that quote them. */
export const printableLines = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(hidden(), (character) => (character === '\n' ? character : ''))

/** Escapes invisible characters in JSON text, so that the value stays equal. */
export const escapeHidden = (json: string): string =>
  escaped(json, (character) => character.split('').map(unit).join(''))

/** Escapes invisible characters in YAML, which double-quotes such strings and writes a code point as one escape. */
export const escapeHiddenYaml = (yaml: string): string =>
  escaped(yaml, (character) => `\\U${hex(character.codePointAt(0), 8)}`)

const escaped = (text: string, inAscii: (character: string) => string): string =>
  text.replace(hidden(), (character) => (character === '\n' ? character : inAscii(character)))

const unit = (half: string): string => `\\u${hex(half.charCodeAt(0), 4)}`

const hex = (code: number | undefined, digits: number): string => (code ?? 0).toString(16).padStart(digits, '0')

export const hasHidden = (text: string): boolean => text.search(hidden()) !== -1

/**
 * True if the text has control characters, which no payment rail accepts. Zero-width characters are allowed, because
 * people copy them with text.
 */
export const hasControls = (text: string): boolean => /[\p{Cc}\p{Bidi_Control}]/u.test(text)

const plainNumber = /^[+-]?\d+(\.\d+)?$/

/** Characters at which spreadsheets split a line into cells, depending on the country and the program. */
const separators = [',', ';', '\t', '|'] as const

type Separator = (typeof separators)[number]

/**
 * Prevents formulas in CSV with this `separator`. A spreadsheet runs text that begins like a formula, unless an
 * apostrophe precedes it. Excel splits a file at the separator of its country, and reads a quote within a field as
 * text. So payctl also puts an apostrophe before a formula that follows any other separator or a line end. The file's
 * own separator does not split inside quotes.
 */
export function inert(text: string, separator: Separator): string {
  const others = separators.filter((other) => other !== separator).join('')
  const [first = '', ...rest] = text.split(new RegExp(`([${others}\\r\\n])`))
  const begun = isFormula(text) && !plainNumber.test(text) ? `'${first}` : first
  return (
    begun +
    rest.map((part) => (isFormula(part) && !isEnd(part) && !plainNumber.test(part) ? `'${part}` : part)).join('')
  )
}

/** Undoes `inert`: returns the original of a string that `inert` changed; returns any other string unchanged. */
export function beforeInert(text: string, separator: Separator): string {
  const original = text.replace(/(^|[,;\t|\r\n])'/g, '$1')
  return inert(original, separator) === text ? original : text
}

/** True for a separator or a line end between two parts of a text. */
const isEnd = (part: string): boolean => /^[,;\t|\r\n]$/.test(part)

/**
 * Removes leading characters that spreadsheets skip before they interpret a cell: spaces, line ends, invisible
 * characters and quotes.
 */
const asLookedAt = (text: string): string => text.replace(/^[\s\p{Z}\p{C}"]+/u, '')

/**
 * Also true for compatibility forms such as full-width characters. A tab or line end at the start begins another cell.
 * Normalizes only the first character: together with a combining mark it would become another character (`=` and U+0338
 * are `≠`).
 */
function isFormula(text: string): boolean {
  const [first = ''] = asLookedAt(text)
  return /^[\t\r\n]/.test(text) || /^[=+\-@\u2212]/.test(first.normalize('NFKC'))
}
