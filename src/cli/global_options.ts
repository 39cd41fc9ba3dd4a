import { type Command, InvalidArgumentError, Option } from 'commander'
import { excelCountries, formats, type Globals, languages } from '../run/invocation.ts'
import { duration, integer } from './arguments.ts'

export const globalHeading = 'Global options (before or after the command):'

/**
 * A flag with an optional value after `=`: `--emulator`, `--emulator=4011`. Commander would read the next word as the
 * value: `--emulator accounts list` would name an emulator `accounts`.
 */
class AttachedOption extends Option {
  /**
   * True while the parser reads a word with `=`. The parser tries the whole word first, then the part before the `=`.
   */
  #hasValue = false

  constructor(long: string, value: string, description: string) {
    super(long, description)
    this.flags = `${long}[=${value}]`
    this.argParser((text: string) => {
      if (/^[^\s/=]+(\/[^\s/=]+)?$/.test(text)) return text
      throw new InvalidArgumentError('Give a port or a name: --emulator=4011')
    })
  }

  /** Called by the parser for each word. */
  is(word: string): boolean {
    this.optional = this.#hasValue
    this.#hasValue = word.startsWith(`${this.long}=`)
    return word === this.long
  }
}

/**
 * `--no-input` with its own attribute name: Commander would otherwise read the flag as the negation of `api --input`.
 */
class NoInputOption extends Option {
  override attributeName(): string {
    return 'mayAsk'
  }
}

/** True if the flag takes a value, after a space or only after `=`. */
export const takesValue = (option: Option): boolean => option.required || option instanceof AttachedOption

/** Flags that every command accepts. */
export const globalOptions: readonly Option[] = [
  new Option('-p, --profile <name>', "profile: service and user ('emulator' is built in)"),
  new AttachedOption('--emulator', '<name>', 'the running emulator, or the one with this name or port'),
  new Option('--base-url <url>', 'URL of the service'),
  new Option('--auth-url <url>', 'OAuth server of the service (default: the base URL)'),
  new Option('--token <token>', 'access token; other users of this machine can see it, so prefer PAYCTL_TOKEN'),
  new Option('-o, --output <format>', 'default: table on a terminal, else tsv').choices(formats),
  new Option('--json', 'short for --output json'),
  new Option('--excel <country>', 'CSV that Excel, in that country, opens correctly').choices(excelCountries),
  new Option('--jq <program>', 'filter the JSON with jq (-o ndjson: row by row); strings print without quotes'),
  new Option('--timeout <duration>', 'time limit for one attempt: 30s, 500ms (default: 30s)').argParser(duration),
  new Option('--retries <n>', 'attempts after the first (default: 3)').argParser(integer({ min: 0, max: 100 })),
  new Option('--no-color', 'no colours'),
  new Option('--lang <language>', 'language of notes, questions, errors and help (default: from the locale)').choices(
    languages,
  ),
  new Option('--progress <kind>', 'progress of long work, on stderr (default: bar on a terminal)').choices([
    'none',
    'plain',
    'bar',
  ]),
  new Option('-q, --quiet', 'no notes on stderr, only errors'),
  new Option('-v, --verbose', 'show requests and answers on stderr, secrets hidden'),
  new NoInputOption('--no-input', 'never ask'),
].map((option) => option.helpGroup(globalHeading))

/**
 * Global flags of the command line. These flags can follow payctl, a group or a command; if a flag is repeated, the
 * innermost level wins.
 */
export function readGlobals(command: Command): Globals {
  const names = new Set([...globalOptions.map((option) => option.attributeName()), 'columns', 'sort'])
  const levels: Command[] = []
  for (let level: Command | null = command; level; level = level.parent) levels.unshift(level)
  const given = levels.flatMap((level) =>
    Object.entries(level.opts()).filter(([name]) => names.has(name) && level.getOptionValueSource(name) === 'cli'),
  )
  return Object.fromEntries(given)
}

interface Flag {
  readonly option?: Option | undefined
  /** Attached value: `json` in `--output=json` and `-ojson`. */
  readonly value?: string | undefined
}

/** The option that a word of the command line names, if any, and the value attached to the option. */
export function readFlag(options: readonly Option[], word: string): Flag {
  const [, long, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? []
  if (long !== undefined) return { option: options.find((option) => option.long === long), value }
  const option = options.find(({ short }) => short === word.slice(0, 2))
  if (word.length === 2) return { option }
  if (option && !option.required) return readFlag(options, `-${word.slice(2)}`)
  return { option, value: word.slice(2) }
}

interface ReadArguments {
  readonly argv: readonly string[]
  /** All options of the command. */
  readonly options: readonly Option[]
  /** Number of words at the end to leave out. */
  readonly last?: number
}

/**
 * The arguments of a run without the named flags and their values. `last`: number of words to remove at the end; a `--`
 * before these words is removed too.
 */
export function argumentsWithout(
  flags: readonly string[],
  { argv, options, last = 0 }: ReadArguments,
): readonly string[] {
  const given = last === 0 ? argv : argv.slice(0, -last)
  const rest: string[] = []
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] as string
    const { option, value } = readFlag(options, word)
    const words = option?.required && value === undefined ? [word, given[++at] as string] : [word]
    if (!flags.includes(option?.long ?? '')) rest.push(...words)
  }
  return last > 0 && rest.at(-1) === '--' ? rest.slice(0, -1) : rest
}

/** Index of the command's name in a command line, after flags and their values; -1 if there is none. */
export function commandAt(argv: readonly string[]): number {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    if (word === '--') return -1
    if (!word.startsWith('-')) return at
    const { option, value } = readFlag(globalOptions, word)
    if (option?.required && value === undefined) at += 1
  }
  return -1
}

/** Former names of commands; no help shows them. */
const earlierNames: Readonly<Record<string, string>> = { 'payments intents': 'outbox', 'limits count-anew': 'recount' }

/** Commands whose arguments name another command. */
const aboutCommands = ['help', 'schema']

/** The command line with the present names of commands that were renamed. */
export function renamed(argv: readonly string[]): readonly string[] {
  const at = commandAt(argv)
  const group = aboutCommands.includes(argv[at] ?? '') ? wordAfter(argv, at) : at
  const next = wordAfter(argv, group)
  const name = `${argv[group]} ${argv[next]}`
  return Object.hasOwn(earlierNames, name) ? argv.with(next, earlierNames[name] ?? '') : argv
}

/** Index of the first word after index `at` that is neither a global option nor its value; -1 if there is none. */
function wordAfter(argv: readonly string[], at: number): number {
  const next = at === -1 ? -1 : commandAt(argv.slice(at + 1))
  return next === -1 ? -1 : at + 1 + next
}

interface OwnMeaning {
  readonly description: string
  /** Heading above the flag in the command's options. */
  readonly group: string
}

/** Lists a global flag among the command's options, with its meaning for the command. */
export function ownGlobal(command: Command, long: string, meaning: string | OwnMeaning): void {
  const at = command.options.findIndex((option) => option.long === long)
  const { description, group } = typeof meaning === 'string' ? { description: meaning, group: undefined } : meaning
  const options = command.options as Option[]
  const own = { description, helpGroupHeading: group }
  const option = Object.assign(Object.create(Option.prototype), options[at], own)
  options.splice(at, 1)
  // Inserts the flag first below its heading, or last if the heading is new: help shows headings in the order of their
  // first options.
  const first = options.findIndex((one) => one.helpGroupHeading === group)
  const last = first === -1 ? options.length : first
  options.splice(group === undefined ? at : last, 0, option)
}
