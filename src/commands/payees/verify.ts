import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { unlessRefused } from '../../errors/service_errors.ts'
import { status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { lookUpHolder, OtherHolderAnswered } from '../../payees/holder.ts'
import { isSameHolder, type Payee } from '../../payees/payee.ts'
import { verified } from './add.ts'
import { payeeColumns } from './columns.ts'
import { edit } from './list.ts'

/** A payee, and how its holder of today compares with the saved one. */
export type Verdict = Payee & {
  readonly result: 'same' | 'first' | 'changed' | 'not_found' | 'not_told'
  /** As the service gives it now. */
  readonly holder_now: string | null
}

const columns: readonly Column<Verdict>[] = [
  { ...status<Verdict>('result', ({ result }) => result), tone: ({ result }) => tones[result] },
  ...payeeColumns.slice(0, 2),
  words('holder_now', (verdict) => verdict.holder_now),
  ...payeeColumns.slice(2),
]

const tones = { same: 'good', first: 'good', changed: 'bad', not_found: 'bad', not_told: 'bad' } as const

export const verify: CommandModule = (command, context) => {
  command
    .description(
      'Look payees up and compare their holders with the saved ones. A payee that was saved unverified gets its holder. A ' +
        'changed holder is reported, and not saved. Exit 6: one has changed; 3: one is not there any more.',
    )
    .argument('[name...]', 'of saved payees; all of this service when none is given')
    .action((names: readonly string[]) => verifyAll(names, context))
  listOptions(command, columns, context)
  examples(command, ['payctl payees verify', 'payctl payees verify proveedor-luz --json'])
}

async function verifyAll(names: readonly string[], context: Context): Promise<void> {
  const saved = await savedPayees(context)
  const payees = names.length === 0 ? saved.all : [...new Set(names.map((name) => saved.require(name)))]
  const verdicts: Verdict[] = []
  for (const payee of payees) verdicts.push(await compare(payee, context))
  await context.output.list(verdicts, columns, { none: 'No payees.' })
  const changed = verdicts.filter(({ result }) => result === 'changed')
  const lost = verdicts.filter(({ result }) => result === 'not_found' || result === 'not_told')
  if (changed[0]) {
    throw new CliError('conflict', `Another holder than the saved one: ${namesOf(changed)}.`, {
      kind: 'update_payee',
      payee: changed[0].name,
    })
  }
  if (lost.length > 0) throw new CliError('not_found', `The service names no holder of ${namesOf(lost)}.`)
}

const namesOf = (verdicts: readonly Verdict[]): string => verdicts.map(({ name }) => name).join(', ')

async function compare(payee: Payee, context: Context): Promise<Verdict> {
  const now = await holderNow(payee, context)
  if (!now?.name) return { ...payee, result: now ? 'not_told' : 'not_found', holder_now: null }
  if (payee.holder !== null && !isSameHolder(payee.holder, now.name)) {
    return { ...payee, result: 'changed', holder_now: now.name }
  }
  const isFirst = payee.holder === null
  const saved = await edit(payee.name, context, (found) =>
    // As it was first given: small changes, one after the other, must not add up to another name.
    ({ ...found, ...verified(now), holder: found.holder ?? now.name ?? null }),
  )
  return { ...(saved ?? payee), result: isFirst ? 'first' : 'same', holder_now: now.name }
}

/** Null where nobody holds it; without a name where the service does not say who. */
async function holderNow(payee: Payee, context: Context) {
  try {
    return await unlessRefused(lookUpHolder(payee, await context.client()), [404, 422])
  } catch (error) {
    if (error instanceof OtherHolderAnswered) return { name: null }
    throw error
  }
}

export const update: CommandModule = (command, context) => {
  command
    .description(
      'Look a payee up again. Another holder than the saved one is accepted by a person at a terminal only: ask the payee ' +
        'first, by a way that you know. For another IBAN or phone, save a new payee.',
    )
    .argument('<name>', 'of a saved payee')
    .option('--note <text>', 'what you want to remember of it')
    .action(async (name: string, { note }: { readonly note?: string }) => {
      const payee = (await savedPayees(context)).require(name)
      const now = await lookUpHolder(payee, await context.client())
      if (!now.name) throw new CliError('unavailable', 'The service does not say who holds it. Nothing was changed.')
      if (payee.holder !== null && !isSameHolder(payee.holder, now.name)) await accept(payee, now.name, context)
      const changed = await edit(name, context, (found) => ({
        ...found,
        ...verified(now),
        ...(note !== undefined && { note }),
      }))
      if (changed) await context.output.record(changed, payeeColumns)
    })
  examples(command, ['payctl payees update proveedor-luz', 'payctl payees update proveedor-luz --note "contract 4411"'])
}

async function accept({ name, holder, iban, phone }: Payee, now: string, context: Context): Promise<void> {
  if (!context.interactive) {
    throw new UsageError(
      `The holder of ${name} has changed: it was "${holder}", and is "${now}" now. Only a person at a terminal can accept that. Nothing was changed.`,
      'Ask the payee, then run it at a terminal',
    )
  }
  const { requireYes } = await import('../../cli/prompts.ts')
  await requireYes(
    `${name} (${iban ?? phone}) was held by ${holder}, and is held by ${now} now. Is that right?`,
    context,
    'nothing was changed',
  )
}
