import {
  type Channel,
  type Currency,
  entityOfIban,
  ibanPattern,
  isPhone,
  nationalPhone,
  type Outcome,
} from '../../src/contract/index.ts'
import type { Party } from '../domain/payment.ts'
import { documentTypeOf, emulatorEntity, expectedCheckDigits } from '../domain/sinpe.ts'
import { timeOf } from '../domain/time.ts'
import type { User } from '../store/users.ts'
import { unknownSender } from '../worlds/seed.ts'
import type { Entry, Item } from './names.ts'
import type { Path } from './problems.ts'
import type { Resolving, SeedAccount } from './resolving.ts'

/** A payment of a seed, and the account that it debits or credits. */
export interface PaymentEntry extends Entry<Item<'payments'>> {
  readonly account: SeedAccount
}

/** Destination of a payment. */
export interface Payee {
  readonly channel: Channel
  readonly party: Party
  /** The account of the world that gets the money; null if the money goes to another bank. */
  readonly account: SeedAccount | null
  /** Outcome of payments to this payee, and the reason. */
  readonly outcome: Outcome
  readonly state_code: string | null
  readonly failure_text: string | null
}

type Holder = Omit<Party, 'iban' | 'phone'>

export const holderOf = ({ owner }: SeedAccount): Holder => ({
  name: owner.name,
  document_number: owner.document_number,
  document_type: owner.document_type,
})

/** An address from the file: its rail, and the account behind it if known. */
interface Address {
  readonly channel: Channel
  readonly iban: string | null
  readonly phone: string | null
  readonly account: SeedAccount | undefined
}

const unknownPayee: Payee = {
  channel: 'pin',
  party: { ...unknownSender, phone: null },
  account: null,
  outcome: 'completed',
  state_code: null,
  failure_text: null,
}

/** Finds the payee of a debit. If this function reports a problem, its result is never used. */
export function payeeOf(entry: PaymentEntry, resolving: Resolving): Payee {
  const { value, path, account: source } = entry
  if (value.from !== undefined)
    resolving.complain([...path, 'from'], 'a debit does not have this field; the to field names the payee')
  if (value.to === undefined) {
    resolving.complain(path, 'the to field is missing: it must name the payee of the payment')
    return unknownPayee
  }
  const field = [...path, 'to']
  const address = readAddress(value.to, { value, field }, resolving)
  if (!address) return unknownPayee
  const { channel, account, iban, phone } = address
  requireColones(channel, source.currency, { path, resolving })
  if (!account) return outsider(entry, address, resolving)
  if (account === source) resolving.complain(field, 'the recipient is the source account itself')
  if (account.currency !== source.currency)
    resolving.complain(field, currenciesDiffer(account.currency, source.currency))
  const party = { ...holderOf(account), iban, phone }
  const target = { channel, party, account, failure_text: null }
  if (account.status === 'active') return { ...target, outcome: 'completed', state_code: null }
  const state_code = account.status === 'closed' ? 'account_closed' : 'account_blocked'
  return { ...target, outcome: 'failed', state_code }
}

/** A customer of another bank, from the registry or from the payment's fields. */
function outsider(
  { value, path, account: source }: PaymentEntry,
  { channel, iban, phone }: Address,
  resolving: Resolving,
): Payee {
  const entry = resolving.registry.get(iban ?? phone ?? '')
  if (entry && entry.currency !== source.currency) {
    resolving.complain([...path, 'to'], currenciesDiffer(entry.currency, source.currency))
  }
  const name = value.name ?? entry?.name
  const document_number = value.document_number ?? entry?.document_number
  if (name === undefined || document_number === undefined) {
    const message = `no registry entry has ${iban ?? phone}: add an entry, or give name and document_number`
    resolving.complain([...path, 'to'], message)
    return unknownPayee
  }
  const party = { iban, phone, ...identity({ ...value, name, document_number }, entry) }
  return {
    channel,
    party,
    account: null,
    outcome: entry?.outcome ?? 'completed',
    state_code: entry?.state_code ?? null,
    failure_text: entry?.failure_text ?? null,
  }
}

/**
 * Name and document of a person at another bank. `known`: a holder whose document type applies if the document numbers
 * are equal.
 */
function identity(
  given: { readonly name: string; readonly document_number: string; readonly document_type?: number | null },
  known: { readonly document_number: string; readonly document_type: number | null } | undefined,
): Holder {
  const { name, document_number, document_type } = given
  if (document_type !== undefined) return { name, document_number, document_type }
  const isKnown = known?.document_number === document_number
  return { name, document_number, document_type: isKnown ? known.document_type : documentTypeOf(document_number) }
}

/**
 * True if the payment was made before this user had the phone: the phone then belonged to the customer of another bank
 * whom the payment names. Exports contain such payments, and the creation times of all users.
 */
function wasElsewhere(
  { name, document_number, created_at }: Partial<Item<'payments'>>,
  user: User,
  { datedUsers }: Resolving,
): boolean {
  const isNamed = name !== undefined && document_number !== undefined && created_at !== undefined
  return isNamed && datedUsers.has(user.seq) && timeOf(created_at) <= user.created_at
}

/** Reads `to`: the alias or id of an account, an IBAN, or a phone. */
function readAddress(
  text: string,
  { value, field }: { readonly value: PaymentEntry['value']; readonly field: Path },
  resolving: Resolving,
): Address | null {
  const { channel } = value
  const refuse = (message: string) => {
    resolving.complain(field, message)
    return null
  }
  const named = resolving.accounts.get(text)
  if (named && channel === 'sinpe_movil') {
    const { phone } = named.owner
    if (phone === null) return refuse(`${named.owner.name} has no phone enrolled in SINPE Móvil`)
    return { channel, iban: null, phone, account: named }
  }
  if (named) return { channel: 'pin', iban: named.iban, phone: null, account: named }
  if (new RegExp(ibanPattern).test(text)) {
    if (channel === 'sinpe_movil') return refuse('SINPE Móvil goes to a phone, not to an IBAN')
    const account = resolving.accountByIban(text)
    if (!account && entityOfIban(text) === emulatorEntity) return refuse(`account ${text} does not exist`)
    const expected = expectedCheckDigits(text, resolving)
    if (expected !== null) return refuse(`the check digits should be ${expected}`)
    return { channel: 'pin', iban: text, phone: null, account }
  }
  if (isPhone(text)) {
    if (channel === 'pin') return refuse('PIN goes to an IBAN, not to a phone')
    const phone = nationalPhone(text)
    const { owner, account } = resolving.holderOfPhone(phone)
    if (owner && wasElsewhere(value, owner, resolving))
      return { channel: 'sinpe_movil', iban: null, phone, account: undefined }
    if (owner && !account) return refuse(`${owner.name} has no active account in CRC`)
    return { channel: 'sinpe_movil', iban: null, phone, account }
  }
  resolving.accounts.find(text, field)
  return null
}

/** Both sides of a credit from another bank, received or scheduled. */
export function senderOf(
  { value, path, account }: Entry<Partial<Item<'payments'>>> & { readonly account: SeedAccount },
  resolving: Resolving,
): { readonly channel: Channel; readonly payer: Party; readonly payee: Party } {
  const field = [...path, 'from']
  const { from } = value
  const isByPhone = from !== undefined && isPhone(from)
  const channel = value.channel ?? (isByPhone ? 'sinpe_movil' : 'pin')
  requireColones(channel, account.currency, { path, resolving })
  const address = from === undefined ? null : isByPhone ? nationalPhone(from) : from
  if (address !== null) {
    const fault = originFault(address, { channel, value }, resolving)
    if (fault !== null) resolving.complain(field, fault)
  }
  const known = (address === null ? undefined : resolving.registry.get(address)) ?? unknownSender
  const { name = known.name, document_number = known.document_number, document_type } = value
  const holder = identity({ name, document_number, ...(document_type !== undefined && { document_type }) }, known)
  const { phone } = account.owner
  if (channel === 'pin') {
    const payer = { ...holder, iban: address ?? unknownSender.iban, phone: null }
    return { channel, payer, payee: { ...holderOf(account), iban: account.iban, phone: null } }
  }
  if (phone === null)
    resolving.complain([...path, 'channel'], `${account.owner.name} has no phone enrolled in SINPE Móvil`)
  return {
    channel,
    payer: { ...holder, iban: null, phone: address },
    payee: { ...holderOf(account), iban: account.iban, phone },
  }
}

/** Reason why money can't come from an address; null if it can. */
function originFault(
  address: string,
  { channel, value }: { readonly channel: Channel; readonly value: Partial<Item<'payments'>> },
  resolving: Resolving,
): string | null {
  if (channel === 'sinpe_movil') {
    if (!isPhone(address)) return 'SINPE Móvil comes from a phone'
    const { owner } = resolving.holderOfPhone(address)
    return owner && !wasElsewhere(value, owner, resolving)
      ? 'the sender is a user in this file: write the payment as a debit of that user'
      : null
  }
  if (!new RegExp(ibanPattern).test(address)) return 'must be an IBAN, or a phone in quotes'
  const expected = expectedCheckDigits(address, resolving)
  if (expected !== null) return `the check digits should be ${expected}`
  return entityOfIban(address) === emulatorEntity
    ? 'the sender is an account of the emulator: write the payment as a debit of that account'
    : null
}

function requireColones(channel: Channel, currency: Currency, at: { path: Path; resolving: Resolving }): void {
  if (channel === 'pin' || currency === 'CRC') return
  at.resolving.complain(at.path, `SINPE Móvil carries CRC only; the account is in ${currency}`)
}

const currenciesDiffer = (recipient: Currency, source: Currency): string =>
  `the recipient’s account is in ${recipient}, the source in ${source}`

/** The fields of a seed that identify a party. */
export const identityOf = ({ name, document_number, document_type }: Party) => ({
  name,
  document_number,
  document_type,
})
