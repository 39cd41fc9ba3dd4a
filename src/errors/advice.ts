import { quoted } from './cli_error.ts'

/** A next step as a person is told it. */
export interface Advice {
  /** A clause that leads to the command, or whole sentences. */
  readonly words?: string | undefined
  /** What to type: a command and its arguments, beginning with `payctl`. */
  readonly command?: readonly string[] | undefined
}

/** Words and command in one line. */
export function inOneLine({ words, command }: Advice): string | undefined {
  if (!command) return words
  const typed = shellWords(command)
  if (!words) return typed
  return isSentence(words) ? `${words} Next: ${typed}` : `${words}: ${typed}`
}

/** Words above the line that their command stands in. */
export const above = (words: string): string => (isSentence(words) ? words : `${words}:`)

const isSentence = (words: string): boolean => /[.?]$/.test(words)

/** A command as a shell takes it. What is to be filled in stays as it is. */
export const shellWords = (command: readonly string[]): string =>
  command.map((word) => (isGap(word) ? word : quoted(word))).join(' ')

/** Whether a command can be run as it is. */
export const isWhole = (command: readonly string[]): boolean => !command.some(isGap)

const isGap = (word: string): boolean => /^(<[a-z][a-z ]*>|\.\.\.)$/.test(word)
