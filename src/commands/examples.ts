import type { Command } from 'commander'

/** A heading in a help text. Commander removes the style where there are no colours. */
export const heading = (text: string): string => `\x1b[1m${text}\x1b[22m`

/** Ends the help of a command with lines to type. */
export const examples = (command: Command, lines: readonly string[]): Command =>
  command.addHelpText('after', `\n${heading('Examples:')}\n${lines.map((line) => `  $ ${broken(line)}`).join('\n')}`)

/** Characters of a line, without what stands before it. */
const room = 76

/** A long line in several, as a shell reads them: broken before a flag or a pipe. */
function broken(line: string): string {
  const [first = '', ...others] = line.split(/ (?=--?[a-zA-Z]|[|>] )/)
  const lines = [first]
  for (const part of others) {
    const longer = `${lines.at(-1)} ${part}`
    // Room for the backslash.
    if (longer.length <= room - 2 || line.length <= room) lines[lines.length - 1] = longer
    else lines.push(`  ${part}`)
  }
  return lines.join(' \\\n    ')
}
