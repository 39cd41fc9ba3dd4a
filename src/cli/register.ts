import { Argument, type Command, Option } from 'commander'
import type { ArgumentRecord, CommandRecord, Context, FlagRecord, Prints, Subcommands, ValueKind } from './command.ts'
import { globalOptions, ownGlobal } from './global_options.ts'
import { details, examples, rarely } from './help.ts'
import { columnsOption, listOptions } from './list_options.ts'

// Turns the record of a command into arguments, options and an action of the parser.

const kinds = new WeakMap<Option | Argument, ValueKind>()

/** Kind of thing that a value names; Tab completes its names. */
export const kindOf = (value: Option | Argument): ValueKind | undefined => kinds.get(value)

const passing = new WeakSet<Command>()

/** True if all words after the first argument belong to another program: `payctl emulate npm test --watch`. */
export const passesThrough = (command: Command): boolean => passing.has(command)

/** Gives a command its arguments, options and handler. */
export function register(record: CommandRecord, command: Command, context: Context): void {
  const { summary, about, args = {}, flags = {}, globals = {}, notes } = record
  command.description(about ?? `${summary.replace(/\.$/, '')}.`)
  for (const [spec, argument] of Object.entries(args)) command.addArgument(argumentOf(spec, argument))
  for (const [spec, flag] of Object.entries(flags)) addOption(spec, flag, command)
  for (const [long, meaning] of Object.entries(globals)) {
    ownGlobal(
      command,
      long,
      typeof meaning === 'string' ? meaning : { description: meaning.about, group: `${meaning.heading}:` },
    )
  }
  if (record.passesThrough) {
    command.passThroughOptions()
    passing.add(command)
  }
  const { run } = record
  const input = () => inputOf(record, command)
  if (run) command.action(() => run(input() as never, context))
  addColumns(record, command, input, context)
  const rare = Object.entries(flags).flatMap(([spec, flag]) => (flag.rare ? (/--[\w-]+/.exec(spec) ?? []) : []))
  if (rare.length > 0) rarely(command, rare)
  if (record.details) details(command, record.details)
  if (notes) command.addHelpText('after', `\n${notes.trim()}`)
  if (record.examples) examples(command, record.examples, record.fewExamples)
}

function addColumns(
  { columns, unsorted, prints }: CommandRecord,
  command: Command,
  input: () => unknown,
  context: Context,
): void {
  if (!columns) return
  const add = unsorted ? columnsOption : listOptions
  add(
    command,
    typeof columns === 'function' ? () => columns(input() as never) : columns,
    context,
    prints && variantsOf(prints)[0]?.[1],
  )
}

function argumentOf(spec: string, { about, of, choices, parse }: ArgumentRecord): Argument {
  const argument = new Argument(spec, about)
  if (choices) argument.choices(choices)
  if (parse) argument.argParser(parse as (text: string) => unknown)
  if (of) kinds.set(argument, of)
  return argument
}

/** Adds an option and its aliases, which set the same value. */
function addOption(spec: string, flag: FlagRecord, command: Command): void {
  const option = optionOf(spec, flag)
  command.addOption(option)
  for (const long of flag.aliases ?? []) {
    const alias = optionOf(spec.replace(/^.*--[\w-]+/, long), { ...flag, hidden: true })
    command.addOption(Object.assign(alias, { attributeName: () => option.attributeName() }))
  }
}

function optionOf(spec: string, flag: FlagRecord): Option {
  const { about, of, choices, parse, required, defaultText, implies, conflicts, heading, hidden } = flag
  const option = new Option(spec, about)
  if (choices) option.choices(choices)
  if (parse) option.argParser(parse as (text: string) => unknown)
  if (required) option.makeOptionMandatory()
  if ('default' in flag) option.default(flag.default, defaultText)
  if (implies) option.implies(implies)
  if (conflicts) option.conflicts([conflicts].flat())
  if (heading) option.helpGroup(`${heading}:`)
  if (hidden) option.hideHelp()
  if (of) kinds.set(option, of)
  return option
}

/** All options of a command with these flags, including the global options. */
export const optionsOf = (flags: NonNullable<CommandRecord['flags']>): readonly Option[] => [
  ...globalOptions,
  ...Object.entries(flags).map(([spec, flag]) => optionOf(spec, flag)),
]

/** Values of arguments and flags, keyed by their names. */
function inputOf({ args = {} }: CommandRecord, command: Command): Readonly<Record<string, unknown>> {
  const names = command.registeredArguments.map((argument, at) => {
    const { as } = Object.values(args)[at] ?? {}
    return as ?? camelCase(argument.name())
  })
  const given = names.map((name, at) => [name, command.processedArgs[at]])
  return { ...command.optsWithGlobals(), ...Object.fromEntries(given) }
}

export const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Outputs, keyed by the argument or flag that changes the shape. The first output is printed if the command line has
 * none of these arguments and flags.
 */
export function variantsOf(prints: CommandRecord['prints'] = {}): readonly (readonly [variant: string, Prints])[] {
  const isOne = (one: typeof prints): one is Prints => typeof one.shape === 'string'
  return isOne(prints) ? [['', prints]] : Object.entries(prints)
}

/** Subcommands, each with the heading above it in the help. */
export const subcommandsOf = ({ commands = {} }: CommandRecord): readonly Subcommand[] =>
  Object.entries(commands).flatMap(([name, one]): Subcommand[] =>
    typeof one === 'function'
      ? [{ name, load: one, heading: undefined }]
      : Object.entries(one as Subcommands).map(([inner, load]) => ({ name: inner, load, heading: name })),
  )

export const isCommand = (name: string, root: CommandRecord): boolean =>
  subcommandsOf(root).some((one) => one.name === name)

export interface Subcommand {
  readonly name: string
  readonly load: Subcommands[string]
  readonly heading: string | undefined
}
