import type { Aliases } from '../config/aliases.ts'
import { aliasFile, changeAliases, readAliases } from '../config/aliases.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { field } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import type { CommandModule, Context } from './context.ts'
import { examples } from './examples.ts'
import { commandAt } from './global_options.ts'
import { commands } from './index.ts'
import { listOptions } from './list_options.ts'
import { builtInForms } from './short_forms.ts'

export const alias: CommandModule = (command) => {
  command.description('Your own short forms of commands. Kept in aliases.json beside the profiles.')
  examples(command, ['payctl alias set luz "send --to proveedor-luz --from crc"', 'payctl luz --amount 12500'])
  return {
    set: { summary: 'Make a short form, or change it', usage: '<name> <command>', load: () => set },
    list: { summary: 'List the short forms, payctl’s own too', load: () => list },
    delete: { summary: 'Delete a short form', usage: '<name>', load: () => remove },
  }
}

export interface Entry {
  readonly name: string
  readonly command: string
  readonly built_in: boolean
}

const columns: readonly Column<Entry>[] = [
  { ...field<Entry>('name', ({ name }) => name), uncut: true },
  field<Entry>('command', ({ command }) => command),
  field<Entry>('built_in', ({ built_in }) => built_in),
]

const entryOf = (name: string, words: readonly string[], isBuiltIn = false): Entry => ({
  name,
  command: words.map((word) => (/[\s"'\\]/.test(word) || word === '' ? JSON.stringify(word) : word)).join(' '),
  built_in: isBuiltIn,
})

const set: CommandModule = (command, context) => {
  command
    .description(
      'Make a short form of a command, or change it. $1 to $9 are the words that follow the short form; what follows ' +
        'beyond these comes last. It can stand for any command with any flags, and can hide none.',
    )
    .argument('<name>', 'letters, digits, dash and underscore')
    .argument('<command>', 'the command in quotes, without payctl')
    .action(async (name: string, line: string) => {
      const words = wordsOf(line)
      requireName(name)
      requireCommand(words)
      await changeAliases(context.configDir, (aliases) => ({ ...aliases, [name]: words }), context.signal)
      await context.output.record(entryOf(name, words), columns)
    })
  examples(command, [
    'payctl alias set luz "send --to proveedor-luz --from crc"',
    "payctl alias set pagar 'send --from crc --to $1 --amount $2'",
    'payctl alias set prueba "payments history --limit 5 --emulator"',
  ])
}

const list: CommandModule = (command, context) => {
  command
    .description('List the short forms of commands: your own first, then those that payctl has.')
    .action(async () => {
      const own = Object.entries(readAliases(context.configDir)).map(([name, words]) => entryOf(name, words))
      const builtIn = Object.entries(builtInForms).map(([name, words]) => entryOf(name, words, true))
      await context.output.list([...own, ...builtIn], columns)
    })
  listOptions(command, columns, context)
  examples(command, ['payctl alias list', 'payctl alias list --json'])
}

const remove: CommandModule = (command, context) => {
  command
    .description('Delete a short form of yours. Prints nothing.')
    .argument('<name>', 'as payctl alias list shows it')
    .action((name: string) => deleteAlias(name, context))
  examples(command, ['payctl alias delete luz'])
}

async function deleteAlias(name: string, { configDir, signal }: Context): Promise<void> {
  const without = (aliases: Aliases): Aliases => {
    if (Object.hasOwn(aliases, name)) return Object.fromEntries(Object.entries(aliases).filter(([one]) => one !== name))
    throw Object.hasOwn(builtInForms, name)
      ? new UsageError(`${name} is a short form of payctl's own, and stays.`, toRun(['alias', 'list'], 'See yours'))
      : new CliError('not_found', `There is no alias ${name} in ${aliasFile(configDir)}.`, toRun(['alias', 'list']))
  }
  await changeAliases(configDir, without, signal)
}

/** The words of a command. What stands in quotes is one word. */
function wordsOf(line: string): readonly string[] {
  const unquoted = line.replace(/"[^"]*"|'[^']*'/g, '')
  if (/["']/.test(unquoted)) throw new UsageError('The command has a quote that does not end.', 'Close it')
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const bare = words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
  return bare[0] === 'payctl' ? bare.slice(1) : bare
}

function requireName(name: string): void {
  if (Object.hasOwn(commands, name) || Object.hasOwn(builtInForms, name)) {
    throw new UsageError(`${name} is a command of payctl: a short form can't hide it.`, 'Choose another name')
  }
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name)) {
    throw new UsageError(`The name ${JSON.stringify(name)} can't be typed as a command.`, 'Letters, digits, - and _')
  }
}

function requireCommand(words: readonly string[]): void {
  const name = words[commandAt(words)]
  if (name !== undefined && (Object.hasOwn(commands, name) || Object.hasOwn(builtInForms, name))) return
  throw new UsageError(
    name === undefined ? 'There is no command in it.' : `${name} is no command of payctl.`,
    toRun(['--help'], 'See the commands'),
  )
}
