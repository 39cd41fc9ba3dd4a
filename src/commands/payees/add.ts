import type { Context } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { serviceOf } from '../../cli/saved_payees.ts'
import type { IbanInformation, PhoneInformation } from '../../client/received.ts'
import { changeSettings, readSettings } from '../../config/settings.ts'
import { formatIban } from '../../contract/iban.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { lookUpHolder, OtherHolderAnswered } from '../../payees/holder.ts'
import { checkedName, isLikeName, type Payee, type PayeeAddress } from '../../payees/payee.ts'
import { payeesSettings } from '../../payees/payees_file.ts'
import { parseRecipient } from '../../values/recipient.ts'
import { foreign, say } from '../../words/text.ts'
import { payeeColumns, printsPayee } from './list.ts'

export const add = command({
  summary: 'Look up a payee and save it',
  about:
    'Look up the holder of an IBAN or a phone, and save the payee under a name: letters of any language, digits and ' +
    'dashes. The holder’s name is saved as the service gives it, and compared with the current name before each ' +
    'payment.',
  args: { '<name>': { about: 'the name to write after --to, in upper or lower case' } },
  flags: {
    '--to <iban|phone>': { about: 'the IBAN or phone; spaces and dashes are allowed', required: true },
    '--note <text>': { about: 'a note for yourself' },
    '--unverified': {
      about:
        'save the payee even if the holder can’t be looked up; until payctl payees verify has found the holder, only a person can send to the payee',
    },
  },
  prints: printsPayee,
  examples: [
    'payctl payees add ana --to 8888-1234',
    'payctl payees add proveedor-luz --to "CR05 0152 0200 1026 2840 66" --note "contract 4411"',
  ],
  async run({ name: text, to, note, unverified }, context) {
    const name = checkedName(text)
    const recipient = parseRecipient(to, '--to')
    const address: PayeeAddress =
      'recipient_iban' in recipient ? { iban: recipient.recipient_iban } : { phone: recipient.recipient_phone }
    const service = await serviceOf(context)
    requireNew(name, service, readSettings(payeesSettings, context.configDir).payees)
    const holder = await holderOf(address, { name, unverified }, context)
    const payee: Payee = { name, service, ...address, ...verified(holder), note: note ?? null }
    await changeSettings(
      payeesSettings,
      context.configDir,
      ({ payees }) => {
        requireNew(name, service, payees)
        return { payees: [...payees, payee] }
      },
      context.signal,
    )
    await context.output.record(payee, payeeColumns)
    const { status } = holder ?? {}
    if (status && !['active', 'registered'].includes(status)) {
      context.output.note(say`The account is ${foreign(status)}: it can't be paid now.`)
    }
  },
})

function requireNew(name: string, service: string, payees: readonly Payee[]): void {
  const there = payees.find((payee) => payee.service === service && isLikeName(payee.name, name))
  if (!there) return
  const address = there.iban === undefined ? there.phone : formatIban(there.iban)
  throw new CliError(
    'conflict',
    there.name === name
      ? say`Payee ${there.name} already exists, ${address}. Nothing was saved.`
      : say`Payee ${there.name} already exists, ${address}, and ${name} is too similar. Nothing was saved.`,
    toRun(['payees', 'remove', there.name], 'Use another name, or remove the saved payee first'),
  )
}

type Holder = IbanInformation | PhoneInformation

/**
 * Looks up the holder of the address; undefined if the user saves the payee unverified and the lookup fails or names no
 * holder.
 */
async function holderOf(
  address: PayeeAddress,
  { name, unverified }: { readonly name: string; readonly unverified: true | undefined },
  context: Context,
): Promise<Holder | undefined> {
  try {
    const holder = await lookUpHolder(address, await context.client())
    if (holder.name) return holder
    if (!unverified)
      throw new CliError(
        'unavailable',
        'The service does not name the holder. Nothing was saved.',
        'Add --unverified to save the payee anyway',
      )
  } catch (error) {
    if (!unverified || !(error instanceof ApiError || error instanceof OtherHolderAnswered)) throw error
    const verify = toRun(['payees', 'verify', name], 'To verify the payee later')
    context.output.note(withHint(say`Not verified: ${reasonOf(error)}.`, verify, context.globals, context.translate))
  }
  return undefined
}

/** Saved fields of the holder, as the service reports them. */
export const verified = (holder: Holder | undefined) => ({
  holder: holder?.name ?? null,
  bank: holder?.entity_name ?? null,
  currency: holder?.currency ?? null,
  verified_at: holder ? new Date().toISOString() : null,
})
