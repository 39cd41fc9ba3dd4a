import type { Context } from '../cli/command.ts'
import { command } from '../cli/command.ts'
import { commandAt } from '../cli/global_options.ts'
import { array, nothing, object } from '../cli/prints.ts'
import { camelCase, isCommand } from '../cli/register.ts'
import { type Aliases, aliasSettings, builtInForms, expandedForm } from '../cli/short_forms.ts'
import { changeSettings, readSettings } from '../config/settings.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { aliasFile } from '../files/directories.ts'
import { field } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import { foreign, say } from '../words/text.ts'

export const alias = command({
  summary: 'Your own short forms of commands',
  about: 'Your own short forms of commands. Saved in aliases.json beside the profiles.',
  examples: ['payctl alias set luz "send --to proveedor-luz --from crc"', 'payctl luz --amount 12500'],
  commands: { set: () => set, list: () => list, delete: () => remove },
})

export interface Entry {
  readonly name: string
  readonly command: string
  readonly built_in: boolean
}

const columns: readonly Column<Entry>[] = [
  { ...field('name'), uncut: true },
  field('command'),
  { ...field('built_in'), text: ({ built_in }) => foreign(String(built_in)) },
]

const entryOf = (name: string, words: readonly string[], isBuiltIn = false): Entry => ({
  name,
  command: words.map((word) => (/[\s"'\\]/.test(word) || word === '' ? JSON.stringify(word) : word)).join(' '),
  built_in: isBuiltIn,
})

const set = command({
  summary: 'Create or change a short form',
  about:
    'Create or change a short form of a command. $1 to $9 are the words that follow the short form; any further words ' +
    'come last. A short form can stand for any command with any flags, but can’t have the name of a command. payctl ' +
    'immediately refuses a value that no payment can have, such as a description of 13 characters.',
  args: {
    '<name>': { about: 'letters, digits, dash and underscore' },
    '<command>': { about: 'the command in quotes, without payctl' },
  },
  prints: object(async () => (await import('./schema/machine_shapes.ts')).alias),
  examples: [
    'payctl alias set luz "send --to proveedor-luz --from crc"',
    "payctl alias set pagar 'send --from crc --to $1 --amount $2'",
    'payctl alias set prueba "payments history --limit 5 --emulator"',
  ],
  async run({ name, command: line }, context) {
    const words = wordsOf(line)
    requireName(name, context)
    requireCommand(words, context)
    const payee = await payeeOfForm(words)
    const add = ({ aliases }: { readonly aliases: Aliases }) => ({ aliases: { ...aliases, [name]: words } })
    await changeSettings(aliasSettings, context.configDir, add, context.signal)
    await context.output.record(entryOf(name, words), columns)
    if (payee !== undefined) await noteUnsaved(payee, context)
  },
})

/** Prints a note if the payee is not saved for any service: the alias works only after the payee is saved. */
async function noteUnsaved(payee: string, context: Context): Promise<void> {
  const [{ payeeNames }, { withHint }] = await Promise.all([
    import('../cli/saved_payees.ts'),
    import('../cli/next_step.ts'),
  ])
  if (payeeNames(context)(payee)) return
  const step = toRun(['payees', 'add', payee, '--to', '...'], 'Save the payee before you use the short form')
  context.output.note(withHint(say`There is no payee ${payee} yet.`, step, context.globals, context.translate))
}

const list = command({
  summary: 'List your short forms and those built into payctl',
  about: 'List the short forms of commands: your own first, then those built into payctl.',
  prints: array(async () => (await import('./schema/machine_shapes.ts')).alias),
  columns,
  examples: ['payctl alias list', 'payctl alias list --json'],
  async run(_, { configDir, output }) {
    const own = Object.entries(readSettings(aliasSettings, configDir).aliases).map(([name, words]) =>
      entryOf(name, words),
    )
    const builtIn = Object.entries(builtInForms).map(([name, words]) => entryOf(name, words, true))
    await output.list([...own, ...builtIn], columns)
  },
})

const remove = command({
  summary: 'Delete a short form',
  about: 'Delete one of your short forms. Prints nothing.',
  args: { '<name>': { about: 'as payctl alias list shows it' } },
  prints: nothing,
  examples: ['payctl alias delete luz'],
  run: ({ name }, context) => deleteAlias(name, context),
})

async function deleteAlias(name: string, { configDir, signal }: Context): Promise<void> {
  const without = ({ aliases }: { readonly aliases: Aliases }) => {
    const { [name]: _, ...others } = aliases
    if (Object.hasOwn(aliases, name)) return { aliases: others }
    throw Object.hasOwn(builtInForms, name)
      ? new UsageError(
          say`${name} is a built-in short form and can't be deleted.`,
          toRun(['alias', 'list'], 'See yours'),
        )
      : new CliError('not_found', say`No alias ${name} in ${aliasFile(configDir)}.`, toRun(['alias', 'list']))
  }
  await changeSettings(aliasSettings, configDir, without, signal)
}

/** The words of a command. Quoted text is one word. */
function wordsOf(line: string): readonly string[] {
  const unquoted = line.replace(/"[^"]*"|'[^']*'/g, '')
  if (/["']/.test(unquoted)) throw new UsageError('The command has an unclosed quote.', 'Close it')
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const bare = words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
  return bare[0] === 'payctl' ? bare.slice(1) : bare
}

function requireName(name: string, { root }: Context): void {
  if (isCommand(name, root) || Object.hasOwn(builtInForms, name)) {
    throw new UsageError(say`${name} is a command of payctl: a short form can't hide it.`, 'Choose another name')
  }
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name)) {
    throw new UsageError(say`The name ${JSON.stringify(name)} can't be typed as a command.`, 'Letters, digits, - and _')
  }
}

function requireCommand(words: readonly string[], { root }: Context): void {
  const name = words[commandAt(words)]
  if (name !== undefined && (isCommand(name, root) || Object.hasOwn(builtInForms, name))) return
  throw new UsageError(
    name === undefined ? 'The alias contains no command.' : say`${name} is not a command of payctl.`,
    toRun(['--help'], 'See the commands'),
  )
}

/**
 * The name of the payee in a short form that makes a payment; undefined if there is none. Throws UsageError for a value
 * that would make every payment with this short form fail. Values with `$1` to `$9` are not checked, because they are
 * known only when the short form is used.
 */
async function payeeOfForm(words: readonly string[]): Promise<string | undefined> {
  const form = expandedForm(words)
  const [group, ...rest] = form.slice(commandAt(form))
  const verb = rest[commandAt(rest)] ?? ''
  if (group !== 'payments' || !['send', 'validate'].includes(verb)) return undefined
  const [{ checkedFlags, paymentFlags }, { nameFault }] = await Promise.all([
    import('./payments/payment_flags.ts'),
    import('../payees/payee.ts'),
  ])
  const given: Record<string, string> = {}
  for (const spec of Object.keys(paymentFlags)) {
    const long = spec.slice(0, spec.indexOf(' '))
    const at = form.findLastIndex((word) => word === long || word.startsWith(`${long}=`))
    const value = form[at] === long ? form[at + 1] : form[at]?.slice(long.length + 1)
    if (value !== undefined && !/\$[1-9]/.test(value)) given[camelCase(long.slice(2))] = value
  }
  const { to } = given
  const payee = to !== undefined && nameFault(to.trim()) === undefined ? to.trim() : undefined
  checkedFlags(given, payee === undefined ? to : undefined)
  return payee
}
