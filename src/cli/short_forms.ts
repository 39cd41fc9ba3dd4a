import { readSettings, type SettingsFormat } from '../config/settings.ts'
import { UsageError } from '../errors/cli_error.ts'
import { aliasFile } from '../files/directories.ts'
import { say } from '../words/text.ts'
import type { Context } from './command.ts'
import { commandAt, renamed } from './global_options.ts'
import { isCommand } from './register.ts'

/**
 * Command lines, keyed by alias: `luz` for `payments send --to proveedor-luz`. `$1` is the first word after the alias.
 */
export type Aliases = Readonly<Record<string, readonly string[]>>

export const aliasSettings: SettingsFormat<{ readonly aliases: Aliases }> = {
  noun: 'alias',
  fileIn: aliasFile,
  entry: 'alias',
  empty: { aliases: {} },
  schema: {
    type: 'object',
    required: ['aliases'],
    properties: {
      aliases: {
        type: 'object',
        additionalProperties: { type: 'array', minItems: 1, items: { type: 'string' } },
      },
    },
  },
}

/** Built-in short forms, like those of other command-line programs. */
export const builtInForms: Readonly<Record<string, readonly string[]>> = {
  send: ['payments', 'send'],
  history: ['payments', 'history'],
  balance: ['accounts', 'balance'],
  whoami: ['user'],
  listen: ['webhooks', 'tail'],
}

/** The command line with its alias or short form expanded. Other command lines stay unchanged. */
export function expanded(
  argv: readonly string[],
  { root, configDir }: Pick<Context, 'root' | 'configDir'>,
): readonly string[] {
  const at = commandAt(argv)
  const name = argv[at]
  if (name === undefined || isCommand(name, root)) return argv
  const rest = argv.slice(at + 1)
  if (Object.hasOwn(builtInForms, name)) return [...argv.slice(0, at), ...builtIn(name, rest), ...rest]
  const { aliases } = readSettings(aliasSettings, configDir)
  if (!Object.hasOwn(aliases, name)) return argv
  const words = filled(name, aliases, rest)
  return [...argv.slice(0, at), ...renamed(expandedForm(words))]
}

/** `balance` without an account lists the balances of all accounts. */
const builtIn = (name: string, given: readonly string[]): readonly string[] =>
  name === 'balance' && commandAt(given) === -1 ? ['accounts', 'list'] : (builtInForms[name] ?? [])

/** Expands a built-in short form, but no alias: an alias may contain a short form, but not another alias. */
export function expandedForm(words: readonly string[]): readonly string[] {
  const at = commandAt(words)
  const name = words[at] ?? ''
  if (!Object.hasOwn(builtInForms, name)) return words
  const given = words.slice(at + 1)
  return [...words.slice(0, at), ...builtIn(name, given), ...given]
}

/** Puts the words after an alias in their places: `$1` is the first word. Words without a place come last. */
function filled(name: string, aliases: Aliases, given: readonly string[]): readonly string[] {
  const words = aliases[name] ?? []
  const places = words.flatMap((word) => [...word.matchAll(/\$([1-9])/g)].map(([, place]) => Number(place)))
  const last = Math.max(0, ...places)
  const help = given.includes('--help') || given.includes('-h')
  if (given.length < last && !help) {
    const meaning = words.join(' ')
    throw new UsageError(
      last === 1
        ? say`The alias ${name} takes 1 value: it stands for ${meaning}.`
        : say`The alias ${name} takes ${last} values: it stands for ${meaning}.`,
      say`${`payctl ${name} ${Array.from({ length: last }, (_, at) => `<value ${at + 1}>`).join(' ')}`}`,
    )
  }
  if (help) return [...words, ...given]
  return [
    ...words.map((word) => word.replace(/\$([1-9])/g, (_, place) => given[Number(place) - 1] ?? '')),
    ...given.slice(last),
  ]
}

/**
 * Rewrites `--json=id,status`, which users know from gh, as `--json --columns id,status`. Does not change words after
 * `--`.
 */
export function withMembers(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return argv.flatMap((word, at) => {
    const [, names] = /^--json=(.+)$/s.exec(word) ?? []
    return names === undefined || (end !== -1 && at > end) ? [word] : ['--json', '--columns', names]
  })
}
