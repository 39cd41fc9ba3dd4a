import type { Command } from 'commander'

/** Ends the help of a command with lines to type. */
export const examples = (command: Command, lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
