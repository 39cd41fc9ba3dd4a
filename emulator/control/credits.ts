import {
  type Channel,
  type ControlInputOf,
  type ControlOutputOf,
  type CreditBody,
  type Currency,
  entityOfIban,
  isPhone,
  nationalPhone,
  normalizeIban,
  normalizePhone,
} from '../../src/contract/index.ts'
import type { ControlContext } from '../context.ts'
import { expectedCheckDigits } from '../domain/check_digits.ts'
import { creditFromOutside } from '../domain/credit.ts'
import type { Party } from '../domain/payment.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { documentTypeOf, emulatorEntity } from '../domain/sinpe.ts'
import { detailed } from '../handlers/payment_view.ts'
import { holderOf } from '../handlers/recipient.ts'
import { unknownSender } from '../seed.ts'
import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'

/** Money arrives from another bank. The payment is complete at once. */
export function createCredit(
  { body }: ControlInputOf<'control.credits.create'>,
  { world }: ControlContext,
): ControlOutputOf<'control.credits.create'> {
  const { database, store, settings, payments, clock } = world
  const account = receiverOf(store, body.to)
  const channel = channelOf(body)
  const payee = { ...holderOf(account), ...payeeAddress(store, account, channel) }
  const lenient = settings.lenientIban()
  const payer = senderOf(store, { body, channel, currency: account.currency, lenient })
  const now = clock.now()
  if (!settings.railsAt(now)[channel]) throw new Refusal(409)
  const credit = creditFromOutside({
    id: world.ids(),
    seq: store.payments.nextSeq(),
    user: account.user,
    account: account.seq,
    now,
    channel,
    amount: body.amount,
    currency: account.currency,
    payer,
    payee,
    description: body.description ?? null,
  })
  database.write(() => payments.begin(credit))
  return detailed(credit.payment)
}

function receiverOf({ accounts }: Store, to: string): Account {
  const phone = normalizePhone(to)
  const account = isPhone(phone)
    ? accounts.byPhone(nationalPhone(phone))
    : (accounts.get(to.toLowerCase()) ?? accounts.byIban(normalizeIban(to)))
  if (!account) throw invalid('to', 'This world has no account with this id, IBAN or phone')
  if (account.status !== 'active') throw invalid('to', `The account is ${account.status}`)
  return account
}

function channelOf({ to, from_iban, from_phone }: CreditBody): Channel {
  if (from_iban && from_phone) throw invalid('from_phone', 'Only one of from_iban and from_phone should be provided')
  if (from_iban) return 'pin'
  return from_phone || isPhone(normalizePhone(to)) ? 'sinpe_movil' : 'pin'
}

function payeeAddress({ users }: Store, account: Account, channel: Channel) {
  if (channel === 'pin') return { iban: account.iban, phone: null }
  if (account.currency !== 'CRC') throw invalid('to', 'SINPE Móvil carries CRC only; the account is in USD')
  const { phone } = users.get(account.user)
  if (phone === null) throw invalid('to', 'The holder of the account has no phone enrolled in SINPE Móvil')
  return { iban: account.iban, phone }
}

interface Transfer {
  readonly body: CreditBody
  readonly channel: Channel
  readonly currency: Currency
  /** Accepts wrong check digits of an IBAN. */
  readonly lenient: boolean
}

/** The sender at another bank: the registry's holder of the address, with what the body says instead. */
function senderOf(store: Store, { body, channel, currency, lenient }: Transfer): Party {
  const { name, document_number } = body
  const address = channel === 'pin' ? originIban(body, lenient) : originPhone(store, body)
  const entry = address === null ? undefined : store.registry.get(address)
  if (entry && entry.currency !== currency) {
    throw invalid('from_iban', `The sender’s account is in ${entry.currency}, the receiver’s in ${currency}`)
  }
  const holder = entry ?? unknownSender
  return {
    iban: channel === 'pin' ? address : null,
    phone: channel === 'pin' ? null : address,
    name: name ?? holder.name,
    document_number: document_number ?? holder.document_number,
    document_type: document_number ? documentTypeOf(document_number) : holder.document_type,
  }
}

function originIban({ from_iban }: CreditBody, lenient: boolean): string {
  if (!from_iban) return unknownSender.iban
  const expected = expectedCheckDigits(from_iban, { lenient })
  if (expected !== null) throw invalid('from_iban', `The check digits should be ${expected}`)
  if (entityOfIban(from_iban) === emulatorEntity) throw invalid('from_iban', ownAccount)
  return from_iban
}

/** Null if the body names no phone, as when the other bank does not tell it. */
function originPhone({ users }: Store, { from_phone }: CreditBody): string | null {
  if (!from_phone) return null
  const phone = nationalPhone(from_phone)
  if (users.byPhone(phone)) throw invalid('from_phone', ownAccount)
  return phone
}

const ownAccount = 'The sender is a user of this world: send a payment from their account instead'
