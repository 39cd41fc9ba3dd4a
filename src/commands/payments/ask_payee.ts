import type { Context } from '../../cli/command.ts'
import { askSearch, askText, type Choice } from '../../cli/prompts.ts'
import { savedPayees } from '../../cli/saved_payees.ts'
import type { Client } from '../../client/client.ts'
import { formatAddress } from '../../contract/iban.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { permitted } from '../../errors/service_errors.ts'
import { inspectJournal } from '../../journal/inspect.ts'
import { isPartOfName, nameFault, type Payee, type PayeeAddress } from '../../payees/payee.ts'
import { parseRecipient, type Recipient } from '../../values/recipient.ts'
import { type Said, say, Text } from '../../words/text.ts'

/** A payee to choose. */
interface KnownPayee {
  readonly address: PayeeAddress
  /** Name of the holder of the address, if known. */
  readonly holder: string | null
  readonly saved?: Payee
}

interface Answer {
  readonly recipient: Recipient
  readonly payee: Payee | undefined
}

/** Asks for the payee: a saved payee, a payee that was paid before, or any IBAN or phone. */
export async function askPayee(client: Client, context: Context): Promise<Answer> {
  const read = (text: string) => parseRecipient(text, '--to')
  const known = await knownPayees(client, context)
  if (known.length === 0) {
    const text = await askText({ message: 'To (IBAN or phone):', check: read }, context)
    return { recipient: read(text), payee: undefined }
  }
  const answer = await askSearch<KnownPayee>(
    {
      message: 'To (a name, an IBAN or a phone):',
      find: (term) => found(term.trim(), known),
    },
    context,
  )
  return { recipient: read(textOf(answer.address)), payee: answer.saved }
}

/** Asks for the payee again: a saved name, an IBAN or a phone. `filled` is the answer to edit. */
export async function askPayeeAgain(filled: string, context: Context): Promise<string> {
  const saved = await savedPayees(context)
  const check = (text: string) =>
    nameFault(text.trim()) === undefined ? saved.require(text) : parseRecipient(text, '--to')
  return askText({ message: 'To (a name, an IBAN or a phone):', check, filled }, context)
}

/** Saved payees by name, then payees of the last payments, newest first. */
async function knownPayees(client: Client, context: Context): Promise<readonly KnownPayee[]> {
  const saved = (await savedPayees(context)).all
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map((payee): KnownPayee => ({ address: payee, holder: payee.holder, saved: payee }))
  const user = await permitted(client.call('user.get'))
  const paid = user?.id
    ? (inspectJournal(context.stateDir, (journal) =>
        journal.paidTo({ baseUrl: client.baseUrl, user: user.id ?? '' }),
      ) ?? [])
    : []
  const recent = paid.filter((address) => !saved.some((one) => textOf(one.address) === textOf(address)))
  if (recent.length === 0) return saved
  const names = await namesInHistory(client)
  return [...saved, ...recent.map((address) => ({ address, holder: names.get(textOf(address)) ?? null }))]
}

/** Names of the payees of the newest payments, keyed by IBAN or phone. */
async function namesInHistory(client: Client): Promise<ReadonlyMap<string, string>> {
  const page = await permitted(client.call('payments.history', { query: { per_page: 50, transfer_type: 'debit' } }))
  const named = (page?.data ?? []).map(
    ({ payee }) => [payee.iban ?? payee.phone_number ?? '', payee.name ?? ''] as const,
  )
  return new Map(named.filter(([address, name]) => address !== '' && name !== ''))
}

const textOf = ({ iban, phone }: PayeeAddress): string => iban ?? phone

/** Choices that match the typed text; a whole IBAN or phone is itself a choice. If nothing matches, a text says why. */
function found(term: string, known: readonly KnownPayee[]): readonly Choice<KnownPayee>[] | Said {
  const typed = addressIn(term)
  if (!(typed instanceof UsageError)) {
    const same = known.find(({ address }) => textOf(address) === textOf(typed))
    return [choiceOf(same ?? { address: typed, holder: null })]
  }
  const near = known.filter(
    ({ address, holder, saved }) =>
      [saved?.name, holder].some((name) => name && isPartOfName(term, name)) ||
      textOf(address).includes(term.replace(/\s/g, '').toUpperCase()),
  )
  if (near.length > 0) return near.map(choiceOf)
  if (!/[0-9]/.test(term)) return 'No payee has that name.'
  return typed.saidHint ? say`${saidOf(typed.said)} ${saidOf(typed.saidHint)}` : typed.said
}

/** The message as a Text that another message can include. */
const saidOf = (said: Said): Text => (typeof said === 'string' ? new Text(said) : said)

function addressIn(term: string): PayeeAddress | UsageError {
  try {
    const recipient = parseRecipient(term)
    return 'recipient_iban' in recipient ? { iban: recipient.recipient_iban } : { phone: recipient.recipient_phone }
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

function choiceOf(known: KnownPayee): Choice<KnownPayee> {
  const { address, holder, saved } = known
  const number = formatAddress(address.iban ?? address.phone)
  const words = [saved?.name, holder ?? (saved ? '(not verified)' : undefined), number]
  return { value: known, name: words.filter((word) => word !== undefined).join('  ') }
}
