import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import { CliError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { checkedName, isLikeName, isSameName, type Payee } from '../../payees/payee.ts'
import { changePayees, readPayees } from '../../payees/payees_file.ts'
import { payeeColumns } from './columns.ts'

export const list: CommandModule = (command, context) => {
  command
    .description('List the payees that are saved for the service of this run.')
    .option('--all', 'those of every service')
    .action(async ({ all }: { readonly all?: boolean }) => {
      const payees = all ? await readPayees(context.configDir) : (await savedPayees(context)).all
      const sorted = [...payees].sort((one, other) => one.name.localeCompare(other.name))
      await context.output.list(sorted, payeeColumns, {
        none: withHint('No payees.', toRun(['payees', 'add', '<name>', '--to', '<iban>'], 'Save one'), context.globals),
      })
    })
  listOptions(command, payeeColumns, context)
  examples(command, ['payctl payees list', 'payctl payees list --all --json'])
}

export const show: CommandModule = (command, context) => {
  command
    .description('Show one payee.')
    .argument('<name>', 'of a saved payee')
    .action(async (name: string) => {
      await context.output.record((await savedPayees(context)).require(name), payeeColumns)
    })
  examples(command, ['payctl payees show proveedor-luz', 'payctl payees show proveedor-luz --json'])
}

export const rename: CommandModule = (command, context) => {
  command
    .description('Give a payee another name. What was sent to it stays as it is.')
    .argument('<name>', 'of a saved payee')
    .argument('<new name>', 'its name from now on', checkedName)
    .action(async (name: string, next: string) => {
      const payee = await edit(name, context, (found, others) => {
        const twin = others.find((other) => other.service === found.service && isLikeName(other.name, next))
        if (twin) throw new CliError('conflict', `There is a payee ${twin.name} already. Nothing was changed.`)
        return { ...found, name: next }
      })
      if (payee) await context.output.record(payee, payeeColumns)
    })
  examples(command, ['payctl payees rename proveedor-luz cnfl'])
}

export const remove: CommandModule = (command, context) => {
  command
    .description('Remove a payee, after asking.')
    .argument('<name>', 'of a saved payee')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, { yes }: { readonly yes?: boolean }) => {
      const payee = (await savedPayees(context)).require(name)
      if (!yes) await ask(payee, context)
      await edit(name, context, () => undefined)
      await context.output.record(payee, payeeColumns)
    })
  examples(command, ['payctl payees remove proveedor-luz', 'payctl payees remove proveedor-luz --yes'])
}

async function ask({ name, holder, iban, phone }: Payee, context: Context): Promise<void> {
  const { requireAskable, requireYes } = await import('../../cli/prompts.ts')
  requireAskable('remove', `the payee ${name}`, context)
  await requireYes(`Remove ${name} (${holder ?? 'not verified'}, ${iban ?? phone})?`, context, 'nothing was removed')
}

/** Replaces a payee by what `change` makes of it, or removes it. Returns the new one. */
export async function edit(
  name: string,
  context: Context,
  change: (found: Payee, others: readonly Payee[]) => Payee | undefined,
): Promise<Payee | undefined> {
  const payees = await savedPayees(context)
  payees.require(name)
  let changed: Payee | undefined
  await changePayees(
    context.configDir,
    (all) => {
      const isMeant = (payee: Payee) => payee.service === payees.service && isSameName(payee.name, name.trim())
      const found = all.find(isMeant)
      if (!found) throw new CliError('conflict', `The payee ${name} has just been removed by another payctl.`)
      changed = change(
        found,
        all.filter((payee) => payee !== found),
      )
      const next = changed
      return all.flatMap((payee) => (payee !== found ? payee : (next ?? [])))
    },
    context.signal,
  )
  return changed
}
