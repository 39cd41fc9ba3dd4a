import { styleText } from 'node:util'
import type { Command } from 'commander'

/** A heading in a help text. Commander removes the style where there are no colours. */
export const heading = (text: string): string => styleText('bold', text, { validateStream: false })

/** Ends the help of a command with lines to type. */
export const examples = (command: Command, lines: readonly string[]): Command =>
  command.addHelpText('after', `\n${heading('Examples:')}\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
