import { type Argument, Command, Help, type HelpContext, Option } from 'commander'
import { version } from '../version.ts'
import type { Context, Entries, Entry } from './context.ts'
import { globalHeading, globalOptions } from './global_options.ts'
import { commands } from './index.ts'
import { explained, unknownCommand } from './parser_mistake.ts'

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

/** Shared: one per command slows start-up. */
const help = new Option('-h, --help', 'show this help')

/** A command whose usage errors say what to do. */
class PayctlCommand extends Command {
  readonly entry: Entry | undefined

  constructor(name: string, entry?: Entry) {
    super(name)
    this.entry = entry
    this.enablePositionalOptions()
    this.helpCommand(false)
    this.addHelpOption(help)
  }

  override createHelp(): Help {
    return Object.assign(new PayctlHelp(), this.configureHelp())
  }

  /** A name that is no command is the mistake to report, even where --help follows it. */
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

/** The command line, with no more of each command than its summary. What is chosen is loaded before it is parsed. */
export function createProgram(context: Context): Command {
  const { io } = context
  const program = new PayctlCommand('payctl')
  for (const option of globalOptions) program.addOption(option)
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
  list(commands, program, context)
  return program
}

/** Adds subcommands with no more of each than its summary. */
function list(entries: Entries, parent: Command, context: Context): void {
  for (const [name, entry] of Object.entries(entries)) {
    const { summary, usage, group } = entry
    const command = new PayctlCommand(name, entry)
    parent.addCommand(command.copyInheritedSettings(parent))
    command.summary(summary).description(summary).addHelpText('after', '\nGlobal options: see payctl --help')
    if (usage) command.usage(`[options] ${usage}`)
    if (group) command.helpGroup(`${group}:`)
  }
  parent.hook('preSubcommand', (_, chosen) => loadCommand(chosen as Command, context))
}

/** Gives a listed command its options, arguments and action, and the names of its subcommands. */
export async function loadCommand(command: Command, context: Context): Promise<void> {
  if (!(command instanceof PayctlCommand)) return
  for (const option of globalOptions) command.addOption(option)
  const define = await command.entry?.load()
  const subcommands = define?.(command, context)
  // Commander sets these defaults before it calls its hooks. A flag with a positive
  // form of its own has none: `api --input`.
  for (const option of command.options) {
    const positive = option.long?.replace(/^--no-/, '--')
    const isLone = option.negate && !command.options.some(({ long }) => long === positive)
    if (isLone) command.setOptionValueWithSource(option.attributeName(), true, 'default')
  }
  if (subcommands) list(subcommands, command, context)
}

/** What follows the options in `payctl --help`. */
const rootHelp = `
Environment (flags win):
  PAYCTL_BASE_URL       the service
  PAYCTL_AUTH_URL       its OAuth server
  PAYCTL_TOKEN          access token
  PAYCTL_CLIENT_ID      OAuth client of payctl login
  PAYCTL_CLIENT_SECRET  its secret
  PAYCTL_PROFILE        profile to use
  PAYCTL_FX_PROVIDER    upstream rate provider in its path
  PAYCTL_OUTPUT         output format
  PAYCTL_CONTROL_TOKEN  for an emulator that has one
  PAYCTL_CONFIG_DIR     profiles and credentials
  PAYCTL_STATE_DIR      running emulators and payment intents
  BROWSER               command that payctl login opens
  HTTPS_PROXY           proxy, but for the hosts in NO_PROXY
  NO_COLOR              no colours

Examples:
  $ payctl emulate                          run the service on this machine
  $ payctl --emulator accounts list         in another terminal
  $ payctl emulate -- npm test              run a suite against it
  $ payctl accounts list --json             data for a script
  $ payctl doctor                           is everything in order?
  $ payctl help payments send               help on one command
  $ payctl help exit-codes                  what an exit code means`
