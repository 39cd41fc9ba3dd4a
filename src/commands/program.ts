import { type Argument, Command, Help, Option } from 'commander'
import type { Io } from '../run/io.ts'
import { version } from '../version.ts'
import type { Context, Entries, Entry } from './context.ts'
import { globalHeading, globalOptions } from './global_options.ts'
import { commands } from './index.ts'
import { explained } from './parser_mistake.ts'
import { rootHelp } from './root_help.ts'

/** `payctl` itself: commands first, then all options. Every command: its own options, without the global ones. */
class PayctlHelp extends Help {
  override formatHelp(command: Command, helper: Help): string {
    const shown = (option: Option) => command.parent !== null && option.helpGroupHeading !== globalHeading
    const brief: Help = Object.assign(Object.create(helper), {
      visibleOptions: (of: Command) => helper.visibleOptions(of).filter(shown),
    })
    const text = super.formatHelp(command, brief)
    if (command.parent) return text
    const width = helper.padWidth(command, helper)
    const options = helper
      .visibleOptions(command)
      .map((option) => helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper))
    return `${text}\n${this.formatItemList(globalHeading, options, helper).join('\n')}`
  }

  /** `get <id>`; in the list of all commands only the name, whether or not it is the one that is loaded. */
  override subcommandTerm(command: Command): string {
    if (!command.parent?.parent) return command.name()
    return `${command.name()} ${command.usage().replace(/^\[options\] ?|\[command\]/g, '')}`.trim()
  }

  override subcommandDescription(command: Command): string {
    return super.subcommandDescription(command).replace(/\.$/, '')
  }

  override optionDescription(option: Option): string {
    return inWords(super.optionDescription(option))
  }

  override argumentDescription(argument: Argument): string {
    return inWords(super.argumentDescription(argument))
  }
}

const inWords = (description: string): string =>
  description.replace(/choices: ("[^)]+")/, (_, choices: string) => `one of ${choices.replaceAll('"', '')}`)

/** One for all commands: each of their own would take longer to make than all else of them. */
const help = new Option('-h, --help', 'show this help')

/** A command whose usage errors say what to do. */
class PayctlCommand extends Command {
  constructor(name: string) {
    super(name)
    this.enablePositionalOptions()
    this.helpCommand(false)
    this.addHelpOption(help)
  }

  override createCommand(name = ''): PayctlCommand {
    const command = new PayctlCommand(name)
    return command.addHelpText('after', '\nGlobal options: see payctl --help')
  }

  override createHelp(): Help {
    return Object.assign(new PayctlHelp(), this.configureHelp())
  }

  /** Called for every mistake that the parser finds. */
  override error(message: string): never {
    throw explained(message, this)
  }
}

/** Lets a command take the global flags. Only those on the way to the one that runs need to: all would take 4 ms. */
export function takeGlobals(command: Command): void {
  for (const option of globalOptions) command.addOption(option)
}

/**
 * The command line, with no more of each command than its summary; of all of them, unless `argv` surely names one:
 * each takes part of a millisecond.
 */
export function createProgram(io: Io, argv: readonly string[] = []): Command {
  const program = new PayctlCommand('payctl')
  takeGlobals(program)
  program
    .description('Payments from the terminal: accounts, PIN and SINPE Móvil payments, and an offline emulator.')
    .usage('<command> [options]')
    .version(version, '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => Math.min(io.stdout.columns || 80, 100),
      getErrHelpWidth: () => Math.min(io.stderr.columns || 80, 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', rootHelp)
  const name = commandNamed(argv)
  const entry = name !== undefined && name !== 'help' && Object.hasOwn(commands, name) ? commands[name] : undefined
  list(name !== undefined && entry ? { [name]: entry } : commands, program)
  return program
}

/** The first word that is no flag, nor a flag's value; undefined where that takes more than a look. */
function commandNamed(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    if (!word.startsWith('-')) return word
    if (/^-\w{2,}|^--?$/.test(word)) return undefined
    if (globalOptions.some((option) => option.required && (word === option.short || word === option.long))) at += 1
  }
  return undefined
}

/** Subcommands with no more of each than its summary. */
function list(entries: Entries, parent: Command): void {
  for (const [name, { summary, group }] of Object.entries(entries)) {
    const command = parent.command(name).summary(summary).description(summary)
    if (group) command.helpGroup(`${group}:`)
  }
}

/**
 * Loads the command that `argv` names, down to the verb: `advance` of `emulator clock advance`. Only what lies on the way
 * is loaded and takes the global flags. Returns what to parse: `argv`, or what is wrong with it. A name that is no
 * command is the mistake to report, even where --help follows it.
 */
export async function prepare(program: Command, argv: readonly string[], context: Context): Promise<readonly string[]> {
  const stray = await descend({ command: program, entries: commands, argv: [...argv] }, context)
  return stray ?? argv
}

interface Step {
  readonly command: Command
  readonly entries: Entries
  readonly argv: string[]
}

/** Returns the names on the way, when the last of them is that of no command. */
async function descend({ command, entries, argv }: Step, context: Context): Promise<readonly string[] | undefined> {
  const { operands, unknown } = peek(command, argv)
  const [name] = operands
  if (name === undefined || command.commands.length === 0) return undefined
  const next = command.commands.find((candidate) => candidate.name() === name)
  if (!next) return command.registeredArguments.length === 0 ? [name] : undefined
  takeGlobals(next)
  const below = await fill(next, entries[name], context)
  const stray = await descend({ command: next, entries: below, argv: unknown }, context)
  return stray && [name, ...stray]
}

/** Parses without keeping the values: an option that collects them would have each twice after the parse that counts. */
function peek(command: Command, argv: string[]) {
  const values = command.opts()
  const before = { ...values }
  const parsed = command.parseOptions(argv)
  for (const name of Object.keys(values)) delete values[name]
  Object.assign(values, before)
  return parsed
}

/** Loads what is behind an entry, with its subcommands listed. */
export async function fill(command: Command, entry: Entry | undefined, context: Context): Promise<Entries> {
  const load = await entry?.load()
  const entries = load?.(command, context) ?? {}
  list(entries, command)
  return entries
}
