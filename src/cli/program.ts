import { type Argument, Command, Help, type HelpContext, Option } from 'commander'
import { wantsColour } from '../run/colour.ts'
import { version } from '../version.ts'
import type { Context, Loader } from './command.ts'
import { heading, isAbridged, isRare, tellsEverything } from './examples.ts'
import { globalHeading, globalOptions } from './global_options.ts'
import { type Listing, loadListing, manifest } from './manifest.ts'
import { explained, pathOf, unknownCommand } from './parser_mistake.ts'
import { register, type Subcommand, subcommandsOf } from './register.ts'

/**
 * Without the global options, which `payctl help options` lists. The list of all commands, and what `--help` says of
 * one, are to fit a screen.
 */
class PayctlHelp extends Help {
  override formatHelp(command: Command, helper: Help): string {
    const own = (option: Option) => command.parent !== null && option.helpGroupHeading !== globalHeading
    const visibleOptions = (of: Command) => helper.visibleOptions(of).filter(own)
    if (command.parent && tellsEverything(command))
      return super.formatHelp(command, Object.assign(Object.create(helper), { visibleOptions }))
    const brief: Help = Object.assign(Object.create(helper), {
      visibleOptions: (of: Command) => withoutLoneHelp(visibleOptions(of).filter((option) => !isRare(option))),
      optionDescription: (option: Option) => firstLine(option) ?? helper.optionDescription(option),
    })
    const rare = visibleOptions(command).filter(isRare)
    const text = super.formatHelp(command, brief)
    const isGrouped = [...command.options.filter(own), ...command.commands].some(isInGroup)
    return (isGrouped ? withoutGaps(text) : text) + (rare.length > 0 ? this.#named(rare, helper) : '')
  }

  /** The names of options alone. */
  #named(options: readonly Option[], helper: Help): string {
    const names = options.map(({ long }) => long).join(', ')
    const lines = helper.boxWrap(names, (helper.helpWidth ?? 80) - 2).split('\n')
    return `${heading('More options:')}\n${lines.map((line) => `  ${line}`).join('\n')}\n`
  }

  override styleTitle(title: string): string {
    return heading(title)
  }

  /** Width of terms and descriptions. Only headings have a style; commander would search each word for one. */
  override displayWidth(text: string): number {
    return text.length
  }

  /** `get <id>`; in the list of all commands only the name, whether or not it is the one that is loaded. */
  override subcommandTerm(command: Command): string {
    if (!command.parent?.parent) return command.name()
    return `${command.name()} ${command.usage().replace(/^\[options\] ?|\[command\] ?/g, '')}`.trim()
  }

  override subcommandDescription(command: Command): string {
    return super.subcommandDescription(command).replace(/\.$/, '')
  }

  override optionDescription(option: Option): string {
    return inWords(super.optionDescription(option)).replaceAll('\n', '; ')
  }

  override argumentDescription(argument: Argument): string {
    return inWords(super.argumentDescription(argument))
  }
}

/** Without the empty lines between groups of options or commands. */
const withoutGaps = (text: string): string => text.replace(/(\n {2}.*)\n\n(?=\S)/g, '$1\n')

const isInGroup = (one: Option | Command): boolean => Boolean('flags' in one ? one.helpGroupHeading : one.helpGroup())

/** Without `-h, --help` where it would be the one option that is in none of the command's groups. */
const withoutLoneHelp = (options: readonly Option[]): Option[] =>
  options.length > 1 && options.every((option) => option.helpGroupHeading || option === help)
    ? options.filter((option) => option !== help)
    : [...options]

/** Characters of a list of choices that `--help` has even where it leaves lines out. */
const shortChoices = 24

/** First line of an option's description, for `--help`; undefined if it has only one. */
function firstLine({ description, argChoices }: Option): string | undefined {
  if (!description.includes('\n')) return undefined
  const [line = ''] = description.split('\n')
  const choices = argChoices?.join(', ') ?? ''
  return choices !== '' && choices.length <= shortChoices ? `${line}: ${choices}` : line
}

/** commander's `(choices: "CRC", "USD")` as `: CRC, USD`, or after a colon as `one of CRC, USD`. */
export const inWords = (description: string): string =>
  description
    .replace(
      /^((?:[^:(]|\([^)]*\))*) \(choices: ("[^)]+")\)$/,
      (_, words: string, choices: string) => `${words}: ${choices.replaceAll('"', '')}`,
    )
    .replace(/choices: ("[^)]+")/, (_, choices: string) => `one of ${choices.replaceAll('"', '')}`)

/** Shared: one per command slows start-up. */
const help = new Option('-h, --help', 'show this help')

/** A command whose usage errors say what to do. */
class PayctlCommand extends Command {
  readonly load: Loader | undefined

  constructor(name: string, load?: Loader) {
    super(name)
    this.load = load
    this.enablePositionalOptions()
    this.helpCommand(false)
    this.addHelpOption(help)
  }

  override createHelp(): Help {
    return Object.assign(new PayctlHelp(), this.configureHelp())
  }

  /** Reports an unknown command even if --help follows it. */
  override helpInformation(context?: HelpContext): string {
    const word = unknownCommand(this)
    if (word !== undefined) this.error(`unknown command '${word}'`)
    return super.helpInformation(context)
  }

  /** Called for every mistake that the parser finds. */
  override error(message: string): never {
    throw explained(message, this)
  }
}

/**
 * The command line, with no more of each command than its summary. What is chosen is loaded before it is parsed. Of
 * arguments that begin with a command, only that one is listed; `help` needs the others.
 */
export async function createProgram(context: Context, first = ''): Promise<Command> {
  const { io, root } = context
  const program = new PayctlCommand('payctl')
  for (const option of globalOptions) program.addOption(option)
  program
    .description(root.summary)
    .usage('<command> [options]')
    .version(version, '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => Math.min(io.stdout.columns || 80, 100),
      getErrHelpWidth: () => Math.min(io.stderr.columns || 80, 100),
      // Without colours, commander removes the style of the headings.
      getOutHasColors: () => wantsColour(program.opts(), context.env, io.stdout.isTTY === true),
      getErrHasColors: () => wantsColour(program.opts(), context.env, io.stderr.isTTY === true),
    })
    .addHelpText('after', rootHelp)
  const commands = subcommandsOf(root)
  const chosen = first === 'help' ? undefined : commands.find(({ name }) => name === first)
  await list(chosen ? [chosen] : commands, program, context)
  return program
}

/** Adds subcommands with no more of each than its summary. */
async function list(commands: readonly Subcommand[], parent: Command, context: Context): Promise<void> {
  const listed = await Promise.all(commands.map((one) => listing(one, parent)))
  for (const [at, { name, load, heading }] of commands.entries()) {
    const { summary, usage } = listed[at] as Listing
    const command = new PayctlCommand(name, load)
    parent.addCommand(command.copyInheritedSettings(parent))
    command
      .summary(summary)
      .description(summary)
      .addHelpText('after', () => footer(command))
    if (usage) command.usage(`[options] ${usage}`)
    if (heading) command.helpGroup(`${heading}:`)
  }
  parent.hook('preSubcommand', (_, chosen) => loadCommand(chosen as Command, context))
}

/** From the manifest of the build; in its source, from the record. */
async function listing({ name, load }: Subcommand, parent: Command): Promise<Listing> {
  return manifest?.[[...pathOf(parent), name].join(' ')] ?? loadListing(load)
}

function footer(command: Command): string {
  const more = isAbridged(command) && !tellsEverything(command)
  return `${more ? `\nEverything: payctl help ${pathOf(command).join(' ')}` : ''}\nOptions of every command: payctl help options`
}

/** Gives a listed command its options, arguments and action, and the names of its subcommands. */
export async function loadCommand(command: Command, context: Context): Promise<void> {
  if (!(command instanceof PayctlCommand) || !command.load) return
  for (const option of globalOptions) command.addOption(option)
  const record = await command.load()
  // The parser knows the arguments now, and whether there are subcommands.
  command.usage('')
  register(record, command, context)
  // Commander sets these defaults before it calls its hooks. A flag that also has a positive form has none: `api --input`.
  for (const option of command.options) {
    const positive = option.long?.replace(/^--no-/, '--')
    const isLone = option.negate && !command.options.some(({ long }) => long === positive)
    if (isLone) command.setOptionValueWithSource(option.attributeName(), true, 'default')
  }
  const commands = subcommandsOf(record)
  if (commands.length > 0) await list(commands, command, context)
}

/** Text below the commands in `payctl --help`. */
const rootHelp = `
${heading('Examples:')}
  $ payctl emulate                          run the service on this machine
  $ payctl --emulator accounts list         in another terminal
  $ payctl emulate -- npm test              run a suite against it
  $ payctl help payments send               help on one command
${heading('Topics:')}
  $ payctl help options                     also: environment, files, formats,
                                            money, safety, exit-codes`
