import { type Argument, type Command, Help, Option } from 'commander'
import { globalHeading } from './global_options.ts'

// `--help` fits a screen; `payctl help <command>` shows everything.

/** A heading in a help text. Commander removes the style if the output has no colours. */
export const heading = (text: string): string => `\x1b[1m${text}\x1b[22m`

/** Programs whose commands print the whole help, as `payctl help <command>` does. */
const complete = new WeakSet<Command>()
/** Commands whose `--help` leaves out details, examples or descriptions of options. */
const abridged = new WeakSet<Command>()
const rare = new WeakSet<Option>()

export const showEverything = (program: Command): void => void complete.add(program)

export const showsEverything = (command: Command): boolean =>
  command.parent ? showsEverything(command.parent) : complete.has(command)

/** Heading of subcommands for which `--help` prints the name and no description. */
const moreCommands = 'More commands:'

const isRare = (subcommand: Command): boolean => subcommand.helpGroup() === moreCommands

/** True if `payctl help <command>` shows more than `--help`. */
export const isAbridged = (command: Command): boolean =>
  abridged.has(command) ||
  command.options.some(({ description }) => description.includes('\n')) ||
  command.commands.some(isRare)

/** Adds text that `payctl help <command>` shows and `--help` leaves out. */
export function details(command: Command, text: string): void {
  abridged.add(command)
  command.addHelpText('after', () => (showsEverything(command) ? `\n${text.trim()}` : ''))
}

/** Makes `--help` show only the names of these options. */
export function rarely(command: Command, longs: readonly string[]): void {
  abridged.add(command)
  for (const option of command.options) if (longs.includes(option.long ?? '')) rare.add(option)
}

/** Adds example command lines at the end of a command's help. `--help` shows the first `few` lines. */
export function examples(command: Command, lines: readonly string[], few = lines.length): void {
  if (few < lines.length) abridged.add(command)
  command.addHelpText('after', () => {
    const shown = showsEverything(command) ? lines : lines.slice(0, few)
    return `\n${heading('Examples:')}\n${shown.map((line) => `  $ ${wrappedForShell(line)}`).join('\n')}`
  })
}

/** Maximum length of an example's line in characters, without its indent and prompt. */
const lineWidth = 76

/**
 * Breaks a long line with a backslash before a flag, a pipe or a redirection, so that a shell still reads one command.
 */
function wrappedForShell(line: string): string {
  if (line.length <= lineWidth) return line
  const [first = '', ...others] = line.split(/ (?=--?[a-zA-Z]|[|>] )/)
  const lines = [first]
  for (const part of others) {
    const longer = `${lines.at(-1)} ${part}`
    // Leaves room for the backslash.
    if (longer.length <= lineWidth - 2) lines[lines.length - 1] = longer
    else lines.push(`  ${part}`)
  }
  return lines.join(' \\\n    ')
}

/** All commands share this option: a separate option for each would slow the start. */
export const helpOption = new Option('-h, --help', 'show this help')

/** Help without the global options, which `payctl help options` lists. */
export class PayctlHelp extends Help {
  override formatHelp(command: Command, helper: Help): string {
    const isOwn = (option: Option) => command.parent !== null && option.helpGroupHeading !== globalHeading
    const visibleOptions = (of: Command) => helper.visibleOptions(of).filter(isOwn)
    if (command.parent && showsEverything(command))
      return super.formatHelp(command, Object.assign(Object.create(helper), { visibleOptions }))
    const brief: Help = Object.assign(Object.create(helper), {
      visibleOptions: (of: Command) => withoutLoneHelp(visibleOptions(of).filter((option) => !rare.has(option))),
      visibleCommands: (of: Command) => helper.visibleCommands(of).filter((subcommand) => !isRare(subcommand)),
      optionDescription: (option: Option) => helper.optionDescription(inOneLine(option)),
    })
    const named = visibleOptions(command).filter((option) => rare.has(option))
    const text = super.formatHelp(command, brief)
    const isGrouped =
      command.options.filter(isOwn).some((option) => option.helpGroupHeading) ||
      command.commands.some((subcommand) => subcommand.helpGroup())
    // Removes empty lines between groups.
    const body = isGrouped ? text.replace(/(\n {2}.*)\n\n(?=\S)/g, '$1\n') : text
    const rareNames = command.commands.filter(isRare).map((subcommand) => subcommand.name())
    const optionNames = named.map(({ long }) => long ?? '')
    return body + this.#names(moreCommands, rareNames, helper) + this.#names('More options:', optionNames, helper)
  }

  /** A list of names without descriptions, below a title. */
  #names(title: string, names: readonly string[], helper: Help): string {
    if (names.length === 0) return ''
    const lines = helper.boxWrap(names.join(', '), (helper.helpWidth ?? 80) - 2)
    return `${heading(title)}\n  ${lines.replaceAll('\n', '\n  ')}\n`
  }

  override styleTitle(title: string): string {
    return heading(title)
  }

  /**
   * Width of terms and descriptions, in characters. Only headings have a style, so the width is the length; commander's
   * own method would search each word for styles.
   */
  override displayWidth(text: string): number {
    return text.length
  }

  /** A command with its arguments (`get <id>`); in the list of all commands, only its name. */
  override subcommandTerm(command: Command): string {
    if (!command.parent?.parent) return command.name()
    return `${command.name()} ${command.usage().replace(/^\[options\] ?|\[command\] ?/g, '')}`.trim()
  }

  override subcommandDescription(command: Command): string {
    return super.subcommandDescription(command).replace(/\.$/, '')
  }

  override optionDescription(option: Option): string {
    return withPlainChoices(super.optionDescription(option)).replaceAll('\n', '; ')
  }

  override argumentDescription(argument: Argument): string {
    return withPlainChoices(super.argumentDescription(argument))
  }
}

/** Removes `-h, --help` if it would be the only option outside the command's groups. */
const withoutLoneHelp = (options: readonly Option[]): Option[] =>
  options.length > 1 && options.every((option) => option.helpGroupHeading || option === helpOption)
    ? options.filter((option) => option !== helpOption)
    : [...options]

/** Maximum length, in characters, of the choices that `--help` adds to the first line of a description. */
const shortChoices = 24

/** The option with only the first line of its description, for `--help`. */
function inOneLine(option: Option): Option {
  const [description, ...more] = option.description.split('\n')
  const { argChoices = [] } = option
  const isLong = argChoices.join(', ').length > shortChoices
  return more.length === 0
    ? option
    : Object.assign(Object.create(option), { description, ...(isLong && { argChoices: undefined }) })
}

/** Writes commander's `(choices: "CRC", "USD")` as `: CRC, USD`, or after a colon as `one of CRC, USD`. */
const withPlainChoices = (description: string): string =>
  description
    .replace(
      /^((?:[^:(]|\([^)]*\))*) \(choices: ("[^)]+")\)$/,
      (_, words: string, choices: string) => `${words}: ${choices.replaceAll('"', '')}`,
    )
    .replace(/choices: ("[^)]+")/, (_, choices: string) => `one of ${choices.replaceAll('"', '')}`)
