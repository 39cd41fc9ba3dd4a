import type { Context } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { array, object } from '../../cli/prints.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import { changeSettings, readSettings } from '../../config/settings.ts'
import { formatAddress } from '../../contract/iban.ts'
import { CliError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field, time, words } from '../../output/columns.ts'
import { checkedName, isLikeName, isSameName, type Payee } from '../../payees/payee.ts'
import { payeesSettings } from '../../payees/payees_file.ts'
import { say } from '../../words/text.ts'

export const payeeColumns = columnsOf<Payee>(
  { ...field('name'), uncut: true },
  { ...words('holder'), text: ({ holder }: Payee) => holder ?? say`(not verified)` },
  {
    ...field('to', ({ iban, phone }: Payee) => iban ?? phone),
    meaning: 'IBAN or phone of the payee',
    text: ({ iban, phone }: Payee) => formatAddress(iban ?? phone),
    uncut: true,
  },
  { ...field('bank'), spare: true },
  '-currency',
  { ...words('note'), dispensable: true },
  { ...field('service'), dispensable: true },
  { ...time('verified_at'), spare: true },
)

/** Output of the commands that show one payee. */
export const printsPayee = object(async () => (await import('../schema/machine_shapes.ts')).payee)

export const savedName = { '<name>': { about: 'name of a saved payee', of: 'saved payee' } } as const

export const list = command({
  summary: 'List them',
  about: 'List the payees that are saved for the service of this run.',
  flags: { '--all': { about: 'list the payees of every service' } },
  prints: array(async () => (await import('../schema/machine_shapes.ts')).payee),
  columns: payeeColumns,
  examples: ['payctl payees list', 'payctl payees list --all --json'],
  async run({ all }, context) {
    const payees = all ? readSettings(payeesSettings, context.configDir).payees : (await savedPayees(context)).all
    const sorted = [...payees].sort((one, other) => one.name.localeCompare(other.name))
    await context.output.list(sorted, payeeColumns, {
      none: withHint(
        'No payees.',
        toRun(['payees', 'add', '<name>', '--to', '<iban>'], 'Save one'),
        context.globals,
        context.translate,
      ),
    })
  },
})

export const show = command({
  summary: 'Show one',
  about: 'Show one payee.',
  args: savedName,
  prints: printsPayee,
  examples: ['payctl payees show proveedor-luz', 'payctl payees show proveedor-luz --json'],
  async run({ name }, context) {
    await context.output.record((await savedPayees(context)).require(name), payeeColumns)
  },
})

export const rename = command({
  summary: 'Rename one',
  about: 'Rename a payee. Earlier payments do not change.',
  args: {
    ...savedName,
    '<new name>': { about: 'new name of the payee', parse: checkedName, as: 'newName' },
  },
  prints: printsPayee,
  examples: ['payctl payees rename proveedor-luz cnfl'],
  async run({ name, newName }, context) {
    const payee = await edit(name, context, (found, others) => {
      const twin = others.find((other) => other.service === found.service && isLikeName(other.name, newName))
      if (twin) throw new CliError('conflict', say`Payee ${twin.name} already exists. Nothing was changed.`)
      return { ...found, name: newName }
    })
    if (payee) await context.output.record(payee, payeeColumns)
  },
})

export const remove = command({
  summary: 'Remove one',
  about: 'Remove a payee, after asking.',
  args: savedName,
  flags: { '-y, --yes': { about: 'do not ask' } },
  prints: printsPayee,
  examples: ['payctl payees remove proveedor-luz', 'payctl payees remove proveedor-luz --yes'],
  async run({ name, yes }, context) {
    const payee = (await savedPayees(context)).require(name)
    if (!yes) await ask(payee, context)
    await edit(name, context, () => undefined)
    await context.output.record(payee, payeeColumns)
  },
})

async function ask({ name, holder, iban, phone }: Payee, context: Context): Promise<void> {
  const { requireAskable, requireYes } = await import('../../cli/prompts.ts')
  requireAskable('remove', say`the payee ${name}`, context)
  await requireYes(
    say`Remove ${name} (${holder ?? say`not verified`}, ${iban ?? phone})?`,
    context,
    'nothing was removed',
  )
}

/**
 * Replaces a payee with the result of `change`, or removes the payee. Returns the new payee; undefined if the payee was
 * removed.
 */
export async function edit(
  name: string,
  context: Context,
  change: (found: Payee, others: readonly Payee[]) => Payee | undefined,
): Promise<Payee | undefined> {
  const payees = await savedPayees(context)
  payees.require(name)
  let changed: Payee | undefined
  await changeSettings(
    payeesSettings,
    context.configDir,
    ({ payees: all }) => {
      const isMeant = (payee: Payee) => payee.service === payees.service && isSameName(payee.name, name.trim())
      const found = all.find(isMeant)
      if (!found) throw new CliError('conflict', say`The payee ${name} has just been removed by another payctl.`)
      changed = change(
        found,
        all.filter((payee) => payee !== found),
      )
      const next = changed
      return { payees: all.flatMap((payee) => (payee !== found ? payee : (next ?? []))) }
    },
    context.signal,
  )
  return changed
}
