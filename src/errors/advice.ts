import type { Said } from '../words/text.ts'
import { quoted } from './cli_error.ts'

/** A next step in words for a person. */
export interface Advice {
  /** A clause that introduces the command, or whole sentences. */
  readonly words?: Said | undefined
  /** Words of the command to type; the first word is `payctl`. */
  readonly command?: readonly string[] | undefined
}

/** Words and command on one line. */
export function inOneLine({ words, command }: Advice): string | undefined {
  if (!command) return words && String(words)
  const typed = shellWords(command)
  if (!words) return typed
  return isSentence(String(words)) ? `${words} Next: ${typed}` : `${words}: ${typed}`
}

/** The words for the line above the command: with a colon, unless they are a sentence. */
export const above = (words: string): string => (isSentence(words) ? words : `${words}:`)

const isSentence = (words: string): boolean => /[.?]$/.test(words)

/** The command quoted for a shell. Placeholders stay unquoted. */
export const shellWords = (command: readonly string[]): string =>
  command.map((word) => (isGap(word) ? word : quoted(word))).join(' ')

/** True if the command has no placeholders. */
export const isWhole = (command: readonly string[]): boolean => !command.some(isGap)

const isGap = (word: string): boolean => /^(<[a-z][a-z ]*>|\.\.\.)$/.test(word)
