import { isDeepStrictEqual } from 'node:util'
import { type Context, command } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'
import { requireYes } from '../../cli/prompts.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import { changeSettings } from '../../config/settings.ts'
import { formatAddress } from '../../contract/iban.ts'
import { CliError, reasonOf, UsageError } from '../../errors/cli_error.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { columnsOf, status, words } from '../../output/columns.ts'
import { lookUpHolder, OtherHolderAnswered } from '../../payees/holder.ts'
import { isLikeName, isSameHolder, isSameName, type Payee } from '../../payees/payee.ts'
import { type ListedPayee, readPayeeList } from '../../payees/payee_list.ts'
import { payeesSettings } from '../../payees/payees_file.ts'
import { payeesSaid } from '../../payments/counted.ts'
import { inParallel } from '../../run/in_parallel.ts'
import { type Said, say, type Text } from '../../words/text.ts'
import { verified } from './add.ts'
import { payeeColumns } from './list.ts'

/** A payee of the file, and the effect of its import. */
export type ImportedPayee = Payee & {
  readonly action: 'add' | 'change' | 'replace' | 'keep' | 'refuse'
  /** Description of the change, or reason for the refusal. */
  readonly reason: Said | null
}

const tones = { add: 'good', change: 'good', replace: 'bad', keep: undefined, refuse: 'bad' } as const

const columns = columnsOf<ImportedPayee>(
  { ...status('action'), tone: ({ action }: ImportedPayee) => tones[action] },
  ...payeeColumns.slice(0, 3),
  { ...words('reason', ({ reason }: ImportedPayee) => reason && String(reason)), text: ({ reason }) => reason ?? '' },
  ...payeeColumns.slice(3),
)

export const importList = command({
  summary: 'Save the payees of a spreadsheet',
  about:
    'Save the payees of a spreadsheet (.csv or .xlsx) with the headings name, to (IBAN or phone; or iban and phone), ' +
    'and optionally holder and note. Checks every row, looks up the holders, shows the changes, and asks. A payee ' +
    'whose holder differs from the holder in the file is refused. Only a person can give a saved name another IBAN or phone. Exit ' +
    '6: payees were refused; the others are saved.',
  args: { '<file>': { about: 'the spreadsheet', of: 'file' } },
  flags: {
    '--sheet <name>': { about: 'sheet of an .xlsx file (default: the first visible sheet)' },
    '--dry-run': { about: 'save nothing' },
    '-y, --yes': { about: 'do not ask' },
  },
  prints: array(async () => (await import('../schema/machine_shapes.ts')).importedPayee),
  columns,
  examples: [
    'payctl payees import payees.csv --dry-run',
    'payctl payees import proveedores.xlsx --sheet 2026',
    'payctl payees import payees.csv --yes',
  ],
  async run({ file, sheet, dryRun, yes }, context) {
    const listed = await readPayeeList(file, { sheet, signal: context.signal })
    if (!yes && !dryRun && !context.interactive) {
      throw new UsageError(
        "This command saves payees, and can't ask without a terminal. Nothing was saved.",
        'Add --yes to save them without being asked, or --dry-run',
      )
    }
    const before = (await savedPayees(context)).all
    const plan = await planOf(listed, context)
    await context.output.list(plan, columns, { none: 'The file has no payees.' })
    const saved = plan.filter(({ action }) => ['add', 'change', 'replace'].includes(action))
    if (!dryRun && saved.length > 0) {
      await agree(saved, yes, context)
      await save(saved, before, context)
      context.output.note(say`Saved ${payeesSaid(saved.length)}.`)
    }
    const refused = plan.filter(({ action }) => action === 'refuse')
    if (refused.length > 0) {
      const names = refused.map(({ name }) => name).join(', ')
      throw new CliError(
        'conflict',
        say`Refused, and not saved: ${names}.`,
        'Ask those payees for the right holder, and correct the file',
      )
    }
  },
})

/** Number of holders to look up at a time. */
const lookupsAtATime = 4

/** Makes the plan: an action for each payee, in the order of the file. */
async function planOf(listed: readonly ListedPayee[], context: Context): Promise<readonly ImportedPayee[]> {
  const saved = await savedPayees(context)
  const plan: ImportedPayee[] = []
  const decide = async ([at, one]: readonly [number, ListedPayee]) => {
    context.signal.throwIfAborted()
    const there = saved.all.find(({ name }) => isLikeName(name, one.name))
    plan[at] = await actionFor(one, there, saved.service, context)
  }
  for await (const _ of inParallel(listed.entries(), lookupsAtATime, decide));
  return plan
}

async function actionFor(
  { name, address, holder, note }: ListedPayee,
  there: Payee | undefined,
  service: string,
  context: Context,
): Promise<ImportedPayee> {
  const isSame = there !== undefined && isSameName(there.name, name)
  const fresh: Payee = {
    name: isSame ? there.name : name,
    service,
    ...address,
    ...verified(undefined),
    note: note ?? there?.note ?? null,
  }
  const refused = (reason: Said): ImportedPayee => ({ ...fresh, action: 'refuse', reason })
  if (there && !isSame) return refused(say`there is a payee ${there.name}, and ${name} is too similar`)
  const isSameAddress = there !== undefined && there.iban === address.iban && there.phone === address.phone
  if (isSameAddress && there.holder !== null) {
    if (holder !== undefined && !isSameHolder(holder, there.holder)) return refused(otherHolder(there.holder, holder))
    const isChanged = note !== undefined && note !== there.note
    if (isChanged) return { ...there, note, action: 'change', reason: say`the note was "${there.note ?? ''}"` }
    return { ...there, action: 'keep', reason: null }
  }
  const found = await holderOf(address, context)
  if ('fault' in found) return refused(found.fault)
  if (holder !== undefined && !isSameHolder(holder, found.name)) return refused(otherHolder(found.name, holder))
  const payee = { ...fresh, ...verified(found) }
  if (!there) return { ...payee, action: 'add', reason: null }
  if (isSameAddress)
    return {
      ...there,
      ...verified(found),
      note: payee.note,
      action: 'change',
      reason: say`its holder was not verified`,
    }
  return {
    ...payee,
    action: 'replace',
    reason: say`it was ${formatAddress(there.iban ?? there.phone)}, held by ${there.holder ?? say`nobody knows whom`}`,
  }
}

const otherHolder = (now: string, expected: string): Text => say`it is held by "${now}", not by "${expected}"`

/** Looks up the holder: returns the holder as the service has it, or the reason why the payee can't be saved. */
async function holderOf(address: ListedPayee['address'], context: Context) {
  try {
    const holder = await lookUpHolder(address, await context.client())
    return holder.name ? { ...holder, name: holder.name } : { fault: say`the service does not name the holder` }
  } catch (error) {
    if (error instanceof OtherHolderAnswered) return { fault: reasonOf(error) }
    if (isServiceAnswer(error, 404, 422)) return { fault: reasonOf(error) }
    throw error
  }
}

/**
 * Asks for agreement to each change of a saved name's IBAN or phone, then once to the whole plan if the plan has other
 * changes.
 */
async function agree(plan: readonly ImportedPayee[], yes: true | undefined, context: Context): Promise<void> {
  const replaced = plan.filter(({ action }) => action === 'replace')
  if (replaced.length > 0 && !context.interactive) {
    throw new UsageError(
      say`The file has another IBAN or phone for ${replaced.map(({ name }) => name).join(', ')}. Only a person at a terminal can accept that. Nothing was saved.`,
      'Ask the payees, then run the command at a terminal',
    )
  }
  const nothing = 'nothing was saved'
  for (const { name, iban, phone, holder, reason } of replaced) {
    await requireYes(
      say`Pay ${formatAddress(iban ?? phone)} (${holder ?? ''}) as ${name} from now on? Until now ${reason ?? ''}.`,
      context,
      nothing,
    )
  }
  if (!yes && plan.length > replaced.length) {
    await requireYes(say`Save ${payeesSaid(plan.length)}?`, context, nothing)
  }
}

/** `before`: the payees that the plan was made from. Throws CliError if a payee of the plan has changed since then. */
async function save(
  plan: readonly ImportedPayee[],
  before: readonly Payee[],
  { configDir, signal }: Context,
): Promise<void> {
  const ours = plan.map(({ action: _action, reason: _reason, ...payee }) => payee as Payee)
  const like = (payees: readonly Payee[], { service, name }: Payee) =>
    payees.find((one) => one.service === service && isLikeName(one.name, name))
  await changeSettings(
    payeesSettings,
    configDir,
    ({ payees }) => {
      const changed = ours.find((one) => !isDeepStrictEqual(like(payees, one), like(before, one)))
      if (changed) {
        throw new CliError(
          'conflict',
          say`The payee ${changed.name} has just been changed by another payctl. Nothing was saved.`,
          { kind: 'run_again' },
        )
      }
      return { payees: [...payees.filter((one) => !like(ours, one)), ...ours] }
    },
    signal,
  )
}
