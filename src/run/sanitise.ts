/**
 * Text of other people's making can hold what a terminal obeys (ESC, C1, a lone CR), what changes the order of reading
 * (bidi controls), and what cannot be seen (zero-width characters, tags, fillers), so that two names look alike. None of
 * it may reach a reader. What joins an emoji stays.
 */
const picture = '\\p{Extended_Pictographic}'
const joiner = `(?<!${picture}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d|\\u200d(?!${picture})`
const style = `(?<!${picture})\\ufe0f`
const others = '(?![\\u200d\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]'
const hidden = new RegExp(`${joiner}|${style}|${others}`, 'gu')

/** On one line, with nothing that can't be seen; tabs and line ends, Unicode's too, become spaces. */
export const printable = (text: string): string => text.replace(/\r\n|[\t\n\r\u2028\u2029]/g, ' ').replace(hidden, '')

/** The same, but line ends stay, as `\n`: for formats that quote them. */
export const printableLines = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(hidden, (character) => (character === '\n' ? character : ''))

/** For JSON text, whose own line ends stay: the same value, in characters that can be seen. */
export const escapeHidden = (json: string): string =>
  escaped(json, (character) => character.split('').map(unit).join(''))

/** The same for YAML, where double quotes stand around what has such characters, and a code point is one escape. */
export const escapeHiddenYaml = (yaml: string): string =>
  escaped(yaml, (character) => `\\U${hex(character.codePointAt(0), 8)}`)

const escaped = (text: string, inAscii: (character: string) => string): string =>
  text.replace(hidden, (character) => (character === '\n' ? character : inAscii(character)))

const unit = (half: string): string => `\\u${hex(half.charCodeAt(0), 4)}`

const hex = (code: number | undefined, digits: number): string => (code ?? 0).toString(16).padStart(digits, '0')

export const hasHidden = (text: string): boolean => text.search(hidden) !== -1

/** What no rail carries. Zero-width characters come along when people copy text, and do no harm. */
export const hasControls = (text: string): boolean => /[\p{Cc}\p{Bidi_Control}]/u.test(text)
