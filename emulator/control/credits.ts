import {
  type Channel,
  type ControlInputOf,
  type ControlOutputOf,
  type CreditBody,
  isPhone,
  nationalPhone,
  normalizeIban,
  normalizePhone,
} from '../../src/contract/index.ts'
import { received } from '../domain/credit.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { detailed } from '../handlers/payment_view.ts'
import { holderOf } from '../handlers/recipient.ts'
import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'
import type { ControlContext } from './context.ts'
import { senderOf } from './sender.ts'

/** Money arrives from another bank: all of it happens at once. */
export function createCredit(
  { body }: ControlInputOf<'control.credits.create'>,
  { world }: ControlContext,
): ControlOutputOf<'control.credits.create'> {
  const { database, store, settings, payments } = world
  const account = receiverOf(store, body.to)
  const channel = channelOf(body)
  const payee = { ...holderOf(account), ...payeeAddress(store, account, channel) }
  const payer = senderOf(store, { body, channel, currency: account.currency })
  if (!settings.rails()[channel]) throw new Refusal(409)
  const arrival = received({
    id: world.ids(),
    seq: store.payments.nextSeq(),
    user: account.user,
    account: account.seq,
    now: world.clock.now(),
    channel,
    amount: body.amount,
    currency: account.currency,
    payer,
    payee,
    description: body.description ?? null,
  })
  database.write(() => payments.begin(arrival))
  return detailed(arrival.payment)
}

function receiverOf({ accounts }: Store, to: string): Account {
  const phone = normalizePhone(to)
  const account = isPhone(phone)
    ? accounts.byPhone(nationalPhone(phone))
    : (accounts.get(to.toLowerCase()) ?? accounts.byIban(normalizeIban(to)))
  if (!account) throw invalid('to', 'This sandbox has no account with this id, IBAN or phone')
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
