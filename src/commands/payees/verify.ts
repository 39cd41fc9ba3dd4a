import type { Context } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { unlessRefused } from '../../errors/service_errors.ts'
import { columnsOf, status, words } from '../../output/columns.ts'
import { lookUpHolder, OtherHolderAnswered } from '../../payees/holder.ts'
import { isSameHolder, type Payee } from '../../payees/payee.ts'
import { say } from '../../words/text.ts'
import { verified } from './add.ts'
import { edit, payeeColumns, printsPayee, savedName } from './list.ts'

/** A payee, and its current holder compared with the saved holder. */
export type Verdict = Payee & {
  readonly result: 'same' | 'first' | 'changed' | 'not_found' | 'not_told'
  /** The holder's name as the service returns it now. */
  readonly holder_now: string | null
}

const columns = columnsOf<Verdict>(
  { ...status('result'), tone: ({ result }: Verdict) => tones[result] },
  ...payeeColumns.slice(0, 2),
  words('holder_now'),
  ...payeeColumns.slice(2),
)

const tones = { same: 'good', first: 'good', changed: 'bad', not_found: 'bad', not_told: 'bad' } as const

export const verify = command({
  summary: 'Compare the saved holders with the current holders',
  about:
    'Look payees up and compare their holders with the saved holders. If a payee was saved unverified, its holder is saved now. A ' +
    'changed holder is reported, and not saved. Exit 6: a holder has changed; 3: the service names no holder for a payee.',
  args: { '[name...]': { about: 'saved payees (default: all payees of this service)', of: 'saved payee' } },
  prints: array(async () => (await import('../schema/machine_shapes.ts')).verdict),
  columns,
  examples: ['payctl payees verify', 'payctl payees verify proveedor-luz --json'],
  run: ({ name: names }, context) => verifyAll(names, context),
})

async function verifyAll(names: readonly string[], context: Context): Promise<void> {
  const saved = await savedPayees(context)
  const payees = names.length === 0 ? saved.all : [...new Set(names.map((name) => saved.require(name)))]
  const verdicts: Verdict[] = []
  for (const payee of payees) verdicts.push(await compare(payee, context))
  await context.output.list(verdicts, columns, { none: 'No payees.' })
  const changed = verdicts.filter(({ result }) => result === 'changed')
  const lost = verdicts.filter(({ result }) => result === 'not_found' || result === 'not_told')
  if (changed[0]) {
    throw new CliError('conflict', say`The holder differs from the saved holder: ${namesOf(changed)}.`, {
      kind: 'update_payee',
      payee: changed[0].name,
    })
  }
  if (lost.length > 0) throw new CliError('not_found', say`The service names no holder of ${namesOf(lost)}.`)
}

const namesOf = (verdicts: readonly Verdict[]): string => verdicts.map(({ name }) => name).join(', ')

async function compare(payee: Payee, context: Context): Promise<Verdict> {
  const now = await holderNow(payee, context)
  if (!now?.name) return { ...payee, result: now ? 'not_told' : 'not_found', holder_now: null }
  if (payee.holder !== null && !isSameHolder(payee.holder, now.name)) {
    return { ...payee, result: 'changed', holder_now: now.name }
  }
  const isFirst = payee.holder === null
  const saved = await edit(payee.name, context, (found) => {
    requireSameAddress(found, payee)
    // Keeps the first spelling of the name: a series of small changes must not add up to another name.
    return { ...found, ...verified(now), holder: found.holder ?? now.name ?? null }
  })
  return { ...(saved ?? payee), result: isFirst ? 'first' : 'same', holder_now: now.name }
}

/** The payee may have been removed and saved with another address while its holder was looked up. */
function requireSameAddress(found: Payee, { name, iban, phone }: Payee): void {
  if (found.iban === iban && found.phone === phone) return
  throw new CliError('conflict', say`The payee ${name} has just been changed by another payctl.`)
}

/**
 * Looks up the holder of the payee's address; null if nobody holds the address. The holder has no name if the service
 * returns none.
 */
async function holderNow(payee: Payee, context: Context) {
  try {
    return await unlessRefused(lookUpHolder(payee, await context.client()), [404, 422])
  } catch (error) {
    if (error instanceof OtherHolderAnswered) return { name: null }
    throw error
  }
}

export const update = command({
  summary: 'Accept another holder, or change the note',
  about:
    'Look a payee up again. Only a person at a terminal can accept a changed holder: ask the payee first, through a contact ' +
    'that you know. For another IBAN or phone, save a new payee.',
  args: savedName,
  flags: { '--note <text>': { about: 'a note for yourself' } },
  prints: printsPayee,
  examples: ['payctl payees update proveedor-luz', 'payctl payees update proveedor-luz --note "contract 4411"'],
  async run({ name, note }, context) {
    const payee = (await savedPayees(context)).require(name)
    const now = await lookUpHolder(payee, await context.client())
    if (!now.name) throw new CliError('unavailable', 'The service does not name the holder. Nothing was changed.')
    if (payee.holder !== null && !isSameHolder(payee.holder, now.name)) await accept(payee, now.name, context)
    const changed = await edit(name, context, (found) => {
      requireSameAddress(found, payee)
      return { ...found, ...verified(now), ...(note !== undefined && { note }) }
    })
    if (changed) await context.output.record(changed, payeeColumns)
  },
})

async function accept({ name, holder, iban, phone }: Payee, now: string, context: Context): Promise<void> {
  if (!context.interactive) {
    throw new UsageError(
      say`The holder of ${name} has changed: it was "${holder ?? ''}", and is "${now}" now. Only a person at a terminal can accept that. Nothing was changed.`,
      'Ask the payee, then run the command at a terminal',
    )
  }
  const { requireYes } = await import('../../cli/prompts.ts')
  await requireYes(
    say`${name} (${iban ?? phone}) was held by ${holder ?? ''}, and is held by ${now} now. Is that right?`,
    context,
    'nothing was changed',
  )
}
