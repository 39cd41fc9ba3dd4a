import type { Command } from 'commander'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { type NextStep, toRun } from '../errors/next_step.ts'
import { type Said, say, Text } from '../words/text.ts'
import { type ParserMistake, pathOf, unknownCommand } from './program.ts'

/** Turns commander's message about a mistake into a UsageError that says what to type. */
export function explained({ message, command }: ParserMistake): UsageError {
  const [, what = '', suggestion] = /^(?:error: )?(.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? []
  const words = mistake(what, command)
  const next = meant(words, command) ?? suggestion ?? toRun([...pathOf(command), '--help'])
  return new UsageError(said(words.endsWith('.') ? words : `${words}.`), next)
}

/** The parser's message in translatable form: its values are parameters. */
function said(message: string): Said {
  for (const [form, make] of parserMessages) {
    const [, ...values] = form.exec(message) ?? []
    if (values.length > 0) return make(...values)
  }
  return message
}

/** Commander's messages. Their values are flags, arguments and words that the user typed. */
const parserMessages: readonly (readonly [form: RegExp, make: (...values: string[]) => Text])[] = [
  [/^unknown command ('.*')\.$/s, (name) => say`unknown command ${name}.`],
  [/^unknown option ('.*')\.$/s, (flag) => say`unknown option ${flag}.`],
  [/^required option '(.*)' not specified\.$/s, (flag) => say`required option '${flag}' not specified.`],
  [/^missing required argument ('.*')\.$/s, (name) => say`missing required argument ${name}.`],
  [/^option ('.*') argument missing\.$/s, (flag) => say`option ${flag} needs a value.`],
  [
    /^option ('.*') cannot be used with option ('.*')\.$/s,
    (one, other) => say`option ${one} cannot be used with option ${other}.`,
  ],
  [
    /^option ('.*') argument ('.*') is invalid\. Allowed choices are (.*)\.$/s,
    (flag, value, choices) =>
      say`the value ${value} of the option ${flag} is not valid. Allowed choices are ${choices}.`,
  ],
  [
    /^option ('.*?') argument ('.*') is invalid\. (.*)$/s,
    (flag, value, advice) => say`the value ${value} of the option ${flag} is not valid. ${rule(advice)}`,
  ],
  [
    /^command-argument value ('.*') is invalid for argument ('.*')\. Allowed choices are (.*)\.$/s,
    (value, name, choices) =>
      say`the value ${value} of the argument ${name} is not valid. Allowed choices are ${choices}.`,
  ],
  [
    /^command-argument value ('.*') is invalid for argument ('.*?')\. (.*)$/s,
    (value, name, advice) => say`the value ${value} of the argument ${name} is not valid. ${rule(advice)}`,
  ],
  [
    /^too many arguments for ('.*')\. Expected (\d+) arguments? but got (\d+: .*)\.$/s,
    (name, most, given) =>
      most === '1'
        ? say`too many arguments for ${name}. Expected 1 argument but got ${given}.`
        : say`too many arguments for ${name}. Expected ${most} arguments but got ${given}.`,
  ],
]

/** The rule that a value broke. If no catalogue of translations contains the rule, the whole message stays English. */
function rule(advice: string): Text {
  const [, clause = '', end = ''] = /^(.*?)(\.?)$/s.exec(advice) ?? []
  const text = withValues(clause)
  return end === '' ? text : say`${text}.`
}

function withValues(clause: string): Text {
  for (const [form, make] of rules) {
    const [, ...values] = form.exec(clause) ?? []
    if (values.length > 0) return make(...values)
  }
  return new Text(clause)
}

const rules: typeof parserMessages = [
  [/^'(.*)' is none of: (.+)$/s, (value, names) => say`'${value}' is none of: ${names}`],
  [/^Give ([A-Z]{3}) or ([A-Z]{3})$/, (one, other) => say`Give ${one} or ${other}`],
  [/^Give one of (.+)$/s, (names) => say`Give one of ${names}`],
  [/^Give a whole number from (\d+) to (\d+)$/, (least, most) => say`Give a whole number from ${least} to ${most}`],
  [/^Give a whole number of at least (\d+)$/, (least) => say`Give a whole number of at least ${least}`],
  [/^Write the year first: (.+)$/s, (dates) => say`Write the year first: ${dates}`],
  [/^Scopes are: (.+)$/s, (scopes) => say`Scopes are: ${scopes}`],
  [
    /^(\S+) is not a scope; did you mean (\S+)\? Scopes are: (.+)$/s,
    (word, near, scopes) => say`${word} is not a scope; did you mean ${near}? Scopes are: ${scopes}`,
  ],
]

/** The parser's complaint, or the misspelling that caused it. Never repeats a flag's value, which may be a secret. */
function mistake(what: string, command: Command): string {
  const verb = unknownCommand(command)
  if (verb !== undefined) return `unknown command '${verb}'`
  const members = membersOfJson(what, command)
  if (members !== undefined) return `--json=${members} chooses columns of a list, but this command prints no list`
  const misspelt = what.startsWith('required option ')
    ? command.args.find((word) => word.startsWith('--'))
    : /^unknown option '(-.*)'$/s.exec(what)?.[1]
  return misspelt === undefined ? what : `unknown option '${misspelt.replace(/=.*/s, '')}'`
}

/** Subcommands typed without their group, with the commands to suggest. */
const within = (group: string, ...names: readonly string[]): Record<string, NextStep> =>
  Object.fromEntries(names.map((name) => [name, toRun([group, name, '...'])]))

/** Words that are not commands of payctl, many from other command-line programs, with the commands to suggest. */
const wordsMeant: Readonly<Record<string, NextStep>> = {
  trigger: toRun(['emulator', 'credit', '...'], 'Payments cause the events. To make money arrive in an emulator'),
  pay: toRun(['payments', 'send', '...']),
  transfer: toRun(['payments', 'send', '...']),
  logs: toRun(['emulator', 'requests', '--follow']),
  start: toRun(['emulate']),
  intents: toRun(['payments', 'outbox']),
  ...within('payments', 'batch', 'find', 'get', 'outbox', 'receipt', 'resume', 'validate', 'watch'),
  ...within('webhooks', 'events', 'replay', 'tail'),
  ...within('emulator', 'clock', 'credit', 'faults', 'reset', 'worlds'),
}

/** Verbs of gh, stripe and other command-line programs, with payctl's possible verbs for them. */
const verbsMeant: Readonly<Record<string, readonly string[]>> = {
  list: ['history', 'intents'],
  ls: ['list', 'history'],
  create: ['send', 'add', 'set'],
  new: ['create', 'send', 'add', 'set'],
  view: ['get', 'show'],
  show: ['get'],
  retrieve: ['get', 'show'],
  get: ['show'],
  status: ['get'],
  rm: ['delete', 'remove'],
  delete: ['remove'],
  remove: ['delete'],
  edit: ['update', 'set'],
  listen: ['tail'],
  forward: ['tail'],
}

/** The command meant by words of another command-line program: `payments list`, `webhook tail`. */
function habitMeant(word: string, command: Command): readonly string[] | undefined {
  const verb = verbMeant(word, command)
  if (verb !== undefined) return [...pathOf(command), verb]
  if (command.parent) return elsewhere[`${command.name()} ${word}`]
  const group = command.commands.find((one) => one.name() === `${word}s`)
  const [, next] = command.args
  if (!group || next === undefined || next.startsWith('-')) return undefined
  // The verbs come from tables, because the group's commands are not loaded here. Only the group `payments` needs a
  // separate table: its verbs often differ from the verbs of other programs.
  const verbs = group.name() === 'payments' ? { ...commonVerbs, ...verbsOfPayments } : commonVerbs
  return [group.name(), Object.hasOwn(verbs, next) ? (verbs[next] ?? next) : next]
}

/** Commands of other command-line programs, with payctl's commands for them: `auth login` is `login`. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  'auth login': ['login'],
  'auth logout': ['logout'],
  'config list': ['profiles', 'list'],
  'config set': ['profiles', 'set'],
}

const commonVerbs: Readonly<Record<string, string>> = { ls: 'list', view: 'get', show: 'get', new: 'create' }
const verbsOfPayments: Readonly<Record<string, string>> = {
  list: 'history',
  ls: 'history',
  create: 'send',
  new: 'send',
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command)

const verbMeant = (word: string, group: Command): string | undefined =>
  Object.hasOwn(verbsMeant, word)
    ? verbsMeant[word]?.find((verb) => group.parent && namesIn(group).includes(verb))
    : undefined

/**
 * Suggestion for a mistyped command, flag or choice. Replaces commander's suggestions, which are less similar to the
 * typed word.
 */
function meant(what: string, command: Command): NextStep | Said | undefined {
  const [, kind, word = ''] = /^unknown (command|option) '(.*)'$/s.exec(what) ?? []
  const [, value = '', choices = ''] = /'([^']*)' is invalid\b.* Allowed choices are (.+)\.$/s.exec(what) ?? []
  if (kind === 'command' && !command.parent && Object.hasOwn(wordsMeant, word)) return wordsMeant[word]
  // The group itself prints the list: `emulator faults`.
  if (kind === 'command' && /^(list|ls)$/.test(word) && flagsOf(command).includes('--columns'))
    return toRun(pathOf(command))
  if (kind === 'command') {
    const path = habitMeant(word, command)
    if (path) return toRun([...path, '...'])
  }
  const chosen = membersOfJson(unknownColumns, command)
  if (what.startsWith(`--json=${chosen} `)) return `Choose them with --jq '{${chosen}}'`
  const members = membersAfterJson(what, command)
  if (members !== undefined) return say`Did you mean ${`--json=${members}`}?`
  const name = nameOfNew(what, command)
  if (name !== undefined) return say`Did you mean ${`--name ${quoted(name)}`}?`
  if (kind === 'option' && /^-L/.test(word)) {
    const flag = flagsOf(command).find((one) => one === '--limit' || one === '--per-page')
    if (flag) return say`Did you mean ${`${flag} ${word.slice(2) || '<n>'}`}?`
  }
  const near =
    kind === 'command'
      ? nearest(word, namesIn(command))
      : kind === 'option'
        ? nearest(word, flagsOf(command))
        : nearest(value, choices.split(', '))
  return near === undefined ? near : say`Did you mean ${near}?`
}

const unknownColumns = "unknown option '--columns'"

/**
 * The names in `--json=id,status`, if the command has no columns.
 */
function membersOfJson(what: string, command: Command): string | undefined {
  if (what !== unknownColumns) return undefined
  const { rawArgs } = rootOf(command) as Command & { readonly rawArgs: readonly string[] }
  const names = rawArgs.find((_, at) => rawArgs[at - 1] === '--columns' && rawArgs[at - 2] === '--json')
  return names !== undefined && /^\w+(,\w+)*$/.test(names) ? names : undefined
}

/** The names after `--json`: gh accepts them as a separate argument (`--json id,status`). */
function membersAfterJson(what: string, command: Command): string | undefined {
  if (!what.startsWith('too many arguments')) return undefined
  const { rawArgs } = rootOf(command) as Command & { readonly rawArgs: readonly string[] }
  const names = rawArgs[rawArgs.indexOf('--json') + 1] ?? ''
  return rawArgs.includes('--json') && command.args.includes(names) && /^\w+(,\w+)*$/.test(names) ? names : undefined
}

/** The name of a new thing, typed as an argument: `worlds create shop-7`. */
function nameOfNew(what: string, command: Command): string | undefined {
  const makes = ['create', 'import'].includes(command.name()) && flagsOf(command).includes('--name')
  return what.startsWith('too many arguments') && makes ? command.args[command.registeredArguments.length] : undefined
}

const namesIn = (command: Command): string[] => command.commands.map((candidate) => candidate.name())

const flagsOf = (command: Command): string[] =>
  command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
