import type { Command, Option } from 'commander'

/** A heading in a help text. Commander removes the style where there are no colours. */
export const heading = (text: string): string => `\x1b[1m${text}\x1b[22m`

/** Programs of `payctl help <command>`, whose texts have everything. `--help` is to fit a screen. */
const complete = new WeakSet<Command>()
/** Commands whose `--help` leaves out more than lines of descriptions. */
const abridged = new WeakSet<Command>()
const rare = new WeakSet<Option>()

export const tellEverything = (program: Command): void => void complete.add(program)

export const tellsEverything = (command: Command): boolean =>
  command.parent ? tellsEverything(command.parent) : complete.has(command)

/** True if `payctl help <command>` shows more than `--help`. */
export const isAbridged = (command: Command): boolean =>
  abridged.has(command) || command.options.some(({ description }) => description.includes('\n'))

/** Text that `--help` leaves out. */
export function details(command: Command, text: string): Command {
  abridged.add(command)
  return command.addHelpText('after', () => (tellsEverything(command) ? `\n${text.trim()}` : ''))
}

/** Options that `--help` only names. */
export function rarely(command: Command, longs: readonly string[]): Command {
  abridged.add(command)
  for (const option of command.options) if (longs.includes(option.long ?? '')) rare.add(option)
  return command
}

export const isRare = (option: Option): boolean => rare.has(option)

/** Ends the help of a command with lines to type. `--help` has the first `few` of them. */
export function examples(command: Command, lines: readonly string[], few = lines.length): Command {
  if (few < lines.length) abridged.add(command)
  return command.addHelpText('after', () => {
    const shown = tellsEverything(command) ? lines : lines.slice(0, few)
    return `\n${heading('Examples:')}\n${shown.map((line) => `  $ ${broken(line)}`).join('\n')}`
  })
}

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
