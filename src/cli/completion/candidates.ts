import type { Argument, Command, Option } from 'commander'
import { aliasSettings } from '../../config/aliases.ts'
import { readSettings } from '../../config/settings.ts'
import type { Context, ValueKind } from '../command.ts'
import { globalOptions, readFlag, takesValue } from '../global_options.ts'
import { pathOf } from '../parser_mistake.ts'
import { kindOf } from '../register.ts'
import { builtInForms } from '../short_forms.ts'
import { type Candidate, type Candidates, candidateOf } from './candidate.ts'
import type { Cursor } from './cursor.ts'
import { valuesOf } from './values.ts'

/** Words for the cursor; `typed` is the part of the word before it. */
export async function candidatesAt(cursor: Cursor, typed: string, context: Context): Promise<Candidates> {
  const { command, option, closed } = cursor
  if (option) return ofValue(option, { command }, context)
  if (closed || !typed.startsWith('-')) return ofOperand(cursor, context)
  const { option: attached, value } = readFlag(command.options, typed)
  if (!attached || !takesValue(attached) || value === undefined) return flags(cursor)
  const found = await ofValue(attached, { command }, context)
  const flag = typed.slice(0, typed.length - value.length)
  return typeof found === 'string' || 'orFile' in found
    ? found
    : found.map((candidate) => ({ ...candidate, value: flag + candidate.value }))
}

async function ofOperand({ command, operands, closed }: Cursor, context: Context): Promise<Candidates> {
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined)
  const verbs = operands.length === 0 && !closed ? command.commands.map(candidateOf) : []
  const values = argument ? await ofValue(argument, { command, operands }, context) : []
  const own = command.parent || verbs.length === 0 ? [] : shortForms(context)
  return typeof values === 'string' || 'orFile' in values ? values : [...verbs, ...own, ...values]
}

/** Aliases and payctl's own short forms, with what they stand for. */
const shortForms = ({ configDir }: Context): readonly Candidate[] =>
  Object.entries({ ...readSettings(aliasSettings, configDir).aliases, ...builtInForms }).map(([value, words]) => ({
    value,
    about: words.join(' '),
  }))

async function ofValue(
  of: Option | Argument,
  { command, operands = [] }: { readonly command: Command; readonly operands?: readonly string[] },
  context: Context,
): Promise<Candidates> {
  if (of.argChoices) return of.argChoices.map((value) => ({ value }))
  const kind = kindOf(of) ?? ('long' in of ? globalKinds[of.long ?? ''] : undefined)
  return valuesOf({ kind, path: pathOf(command), operands }, context)
}

/** Kinds of values of global flags. */
const globalKinds: Readonly<Record<string, ValueKind>> = { '--profile': 'profile', '--emulator': 'running emulator' }

/** The command's own flags first. A given flag is offered again only if it may be repeated. */
function flags({ command, given }: Cursor): readonly Candidate[] {
  const help: Candidate = { value: '--help', about: 'show this help' }
  const shown = command.options.filter((option) => !option.hidden && (option.variadic || !given.has(option)))
  const [common, own] = partition(shown, (option) => globalOptions.includes(option))
  return [...own.map(flag), help, ...common.map(flag)]
}

const flag = ({ long, short, description }: Option): Candidate => ({
  value: long ?? short ?? '',
  about: description.split('\n', 1)[0] ?? '',
})

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}
