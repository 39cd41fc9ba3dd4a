import { Command, type Help, type HelpContext } from 'commander'
import { wantsColour } from '../run/style.ts'
import { version } from '../version.ts'
import type { Context, Loader } from './command.ts'
import { globalOptions, readGlobals } from './global_options.ts'
import { heading, helpOption, isAbridged, PayctlHelp, showsEverything } from './help.ts'
import { type Listing, loadListing, manifest } from './manifest.ts'
import { register, type Subcommand, subcommandsOf } from './register.ts'
import type { RunContext } from './run_context.ts'

/** The user's mistake, described in the words of the parser; `explained` says what to type. */
export class ParserMistake extends Error {
  readonly command: Command

  constructor(message: string, command: Command) {
    super(message)
    this.command = command
  }
}

/** Thrown where the parser would print help, because the language of the help must be loaded first. */
export class HelpRequest extends Error {
  readonly command: PayctlCommand
  /** True if a subcommand is missing. */
  readonly isError: boolean

  constructor(command: PayctlCommand, isError = false) {
    super()
    this.command = command
    this.isError = isError
  }
}

/** A command whose usage errors can be explained. */
class PayctlCommand extends Command {
  readonly load: Loader | undefined

  constructor(name: string, load?: Loader) {
    super(name)
    this.load = load
    this.enablePositionalOptions()
    this.helpCommand(false)
    this.addHelpOption(helpOption)
  }

  override createHelp(): Help {
    return Object.assign(new PayctlHelp(), this.configureHelp())
  }

  /** Reports an unknown command even if --help follows it. */
  override outputHelp(context?: HelpContext | ((text: string) => string)): never {
    const word = unknownCommand(this)
    if (word !== undefined) this.error(`unknown command '${word}'`)
    throw new HelpRequest(this, typeof context === 'object' && context.error)
  }

  outputEnglishHelp(error: boolean): void {
    super.outputHelp({ error })
  }

  /** Called for every mistake that the parser finds. */
  override error(message: string): never {
    throw new ParserMistake(message, this)
  }
}

/**
 * Creates a parser that knows only the summary of each command. The parser loads the chosen command before it parses
 * the command's arguments. Adds only the command named `first` if there is one, otherwise all commands; `help` needs
 * all commands.
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

/** Creates the parser of one run. Before the command's action, the parser calls `context.begin`. */
export async function programOf(argv: readonly string[], context: RunContext): Promise<Command> {
  const program = await createProgram(context, argv[0])
  return program.hook('preAction', (_, action) => context.begin(readGlobals(action), pathOf(action), argv))
}

/** Prints help in the language of the run; in English if part of the help has no translation. */
export async function printHelp({ command, isError }: HelpRequest, context: RunContext): Promise<void> {
  if (context.languageOfHelp(readGlobals(command)) === 'es') {
    const { spanishHelp } = await import('./spanish_help.ts')
    const text = spanishHelp(command, isError)
    if (text !== undefined) return void context.io[isError ? 'stderr' : 'stdout'].write(text)
  }
  command.outputEnglishHelp(isError)
}

/** Adds subcommands with only their summaries. */
async function list(commands: readonly Subcommand[], parent: Command, context: Context): Promise<void> {
  // A build contains a manifest of the listings; when payctl runs from source, there is none, and the records are
  // loaded.
  const listings = await Promise.all(
    commands.map(({ name, load }) => manifest?.[[...pathOf(parent), name].join(' ')] ?? loadListing(load)),
  )
  for (const [at, { name, load, heading }] of commands.entries()) {
    const { summary, usage } = listings[at] as Listing
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

function footer(command: Command): string {
  const more = isAbridged(command) && !showsEverything(command)
  return `${more ? `\nEverything: payctl help ${pathOf(command).join(' ')}` : ''}\nOptions of every command: payctl help options`
}

/** Gives a listed command its options, arguments and action, and the names of its subcommands. */
export async function loadCommand(command: Command, context: Context): Promise<void> {
  if (!(command instanceof PayctlCommand) || !command.load) return
  for (const option of globalOptions) command.addOption(option)
  const record = await command.load()
  // The usage line of the listing is no longer needed: the parser will know the arguments and subcommands.
  command.usage('')
  register(record, command, context)
  // Commander sets the defaults of flags such as `--no-color` before it calls its hooks, so the defaults of flags that
  // are added in a hook are set here. A negated flag has no default if its positive form is also a flag (`api
  // --input`).
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

/** The words that name a command: `['payments', 'send']`. */
export const pathOf = (command: Command): readonly string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : []

/** The unknown word in place of a subcommand. */
export function unknownCommand({ args: [word], commands, registeredArguments }: Command): string | undefined {
  if (word === undefined || word.startsWith('-') || commands.length === 0 || registeredArguments.length > 0) return
  return commands.some((command) => command.name() === word) ? undefined : word
}
