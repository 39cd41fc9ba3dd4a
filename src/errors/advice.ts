import { asText, type Said, say } from '../words/text.ts'
import { quoted } from './cli_error.ts'

/** A next step, as text for a person. */
export interface Advice {
  /** A clause that introduces the command, or whole sentences. */
  readonly words?: Said | undefined
  /** Words of the command to type; the first word is `payctl`. */
  readonly command?: readonly string[] | undefined
}

/** Joins the words and the command on one line. */
export function inOneLine({ words, command }: Advice): Said | undefined {
  if (!command) return words || undefined
  const typed = shellWords(command)
  if (!words) return say`${typed}`
  return isSentence(String(words)) ? say`${asText(words)} Next: ${typed}` : say`${asText(words)}: ${typed}`
}

/** The words for the line above the command. The words end in a colon, unless they are a sentence. */
export const above = (words: string): string => (isSentence(words) ? words : `${words}:`)

const isSentence = (words: string): boolean => /[.?]$/.test(words)

/** The command quoted for a shell. Placeholders stay unquoted. */
export const shellWords = (command: readonly string[]): string =>
  command.map((word) => (isGap(word) ? word : quoted(word))).join(' ')

/** True if the command has no placeholders. */
export const isWhole = (command: readonly string[]): boolean => !command.some(isGap)

const isGap = (word: string): boolean => /^(<[a-z][a-z ]*>|\.\.\.)$/.test(word)
