import {
  type Channel,
  type ControlOutputOf,
  type CreditBody,
  type Currency,
  entityOfIban,
  isPhone,
  money,
  nationalPhone,
  normalizeIban,
  normalizePhone,
  type ScheduleCreditBody,
} from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import type { IncomingCredit } from '../domain/credit.ts'
import { paginate } from '../domain/paginator.ts'
import type { Party } from '../domain/payment.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { documentTypeOf, emulatorEntity, expectedCheckDigits, referenceFault } from '../domain/sinpe.ts'
import { preciseTimestamp, timeOf } from '../domain/time.ts'
import { detailed } from '../handlers/payments.ts'
import { type ControlHandlers, pageRequest } from '../http/context.ts'
import type { StoredAccount } from '../store/accounts.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import type { Store } from '../store/store.ts'
import { unknownSender } from '../worlds/seed.ts'
import type { World } from '../worlds/world.ts'

export const creditHandlers = {
  /** Credits an account with money that comes from another bank. The payment is completed at once. */
  'control.credits.create'({ body }, { world }) {
    const { database, settings, credits, clock } = world
    const credit = creditOf(body, world)
    const now = clock.now()
    if (!settings.isOnline(credit.channel, now)) throw new Refusal(409)
    return detailed(database.write(() => credits.receive({ ...credit, id: world.ids() }, now)))
  },

  'control.credits.schedule'({ body }, { world }) {
    const { database, credits, clock } = world
    const now = clock.now()
    const due_at = arrivalOf(body, now)
    const incoming = { ...creditOf(body, world), id: world.ids() }
    const credit: ScheduledCredit = { ...incoming, status: 'scheduled', state_code: null, due_at, created_at: now }
    database.write(() => credits.schedule(credit))
    return shown(credit, world)
  },

  'control.credits.list'({ query }, context) {
    const { world } = context
    const { request, window } = pageRequest(query, context)
    const { items, total } = world.store.scheduledCredits.list(window)
    return paginate({ items: items.map((credit) => shown(credit, world)), total }, request, world.options.locale)
  },

  'control.credits.cancel'({ params }, { world }) {
    const { database, store } = world
    const credit = store.scheduledCredits.get(params.id.toLowerCase())
    if (!credit) throw new Refusal(404)
    if (credit.status !== 'scheduled') {
      throw new Refusal(409, { message: `The credit was ${credit.status}: only a scheduled credit can be cancelled` })
    }
    database.write(() => store.scheduledCredits.remove(credit.id))
    return shown(credit, world)
  },
} satisfies Partial<ControlHandlers>

const shown = (credit: ScheduledCredit, { store }: World): ControlOutputOf<'control.credits.schedule'> => {
  const { payer, account: seq, amount, due_at, created_at } = credit
  const { id, status, channel, description, sinpe_reference, state_code } = credit
  const account = store.accounts.bySeq(seq)
  return {
    id,
    status,
    due_at: preciseTimestamp(due_at),
    account_id: account.id,
    channel,
    amount: money(amount, account.currency),
    from: payer.iban ?? payer.phone,
    name: payer.name,
    document_number: payer.document_number,
    description,
    sinpe_reference,
    state_code,
    created_at: preciseTimestamp(created_at),
  }
}

/** Arrival of a scheduled credit, in epoch milliseconds. */
function arrivalOf({ after_ms = null, at = null }: ScheduleCreditBody, now: number): number {
  if ((after_ms === null) === (at === null)) throw invalid('at', 'Exactly one of after_ms and at should be provided')
  const due = at === null ? now + (after_ms ?? 0) : timeOf(at)
  if (Number.isNaN(due)) throw invalid('at', 'The time does not exist')
  if (due < now) throw invalid('at', `The time is in the past: the world’s clock shows ${new Date(now).toISOString()}`)
  if (due > endOfTime) throw invalid(at === null ? 'after_ms' : 'at', 'The time is beyond the end of the clock.')
  return due
}

function creditOf(body: CreditBody, { store, settings }: World): Omit<IncomingCredit, 'id'> {
  const account = receiverOf(store, body.to)
  const channel = channelOf(body)
  requireAddress(store, account, channel)
  const payer = senderOf(store, { body, channel, currency: account.currency, lenient: settings.get('lenientIban') })
  const { amount, description = null, sinpe_reference = null } = body
  if (sinpe_reference !== null) requireNewReference(store, sinpe_reference, channel)
  return { account: account.seq, channel, amount, payer, description, sinpe_reference }
}

function receiverOf({ accounts }: Store, to: string): StoredAccount {
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

function requireAddress({ users }: Store, account: StoredAccount, channel: Channel): void {
  if (channel === 'pin') return
  if (account.currency !== 'CRC') throw invalid('to', 'SINPE Móvil carries CRC only; the account is in USD')
  if (users.get(account.user).phone === null) {
    throw invalid('to', 'The holder of the account has no phone enrolled in SINPE Móvil')
  }
}

function requireNewReference({ payments, scheduledCredits }: Store, reference: string, channel: Channel): void {
  const fault = referenceFault(reference, channel)
  if (fault !== null) throw invalid('sinpe_reference', fault)
  if (payments.hasGivenReference(reference) || scheduledCredits.hasReference(reference)) {
    throw invalid('sinpe_reference', 'A credit of this world already has this reference. Give another reference')
  }
}

interface Transfer {
  readonly body: CreditBody
  readonly channel: Channel
  readonly currency: Currency
  /** True if wrong check digits of an IBAN are accepted. */
  readonly lenient: boolean
}

/** The sender at another bank: the registry's holder of the address, overridden by the fields of the body. */
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

/** Null if the body does not name a phone, as if the other bank had not sent a phone. */
function originPhone({ users }: Store, { from_phone }: CreditBody): string | null {
  if (!from_phone) return null
  const phone = nationalPhone(from_phone)
  if (users.byPhone(phone)) throw invalid('from_phone', ownAccount)
  return phone
}

const ownAccount = 'The sender is a user of this world: send a payment from their account instead'
