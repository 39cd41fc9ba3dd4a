import {
  type InputOf,
  idempotencyHeader,
  money,
  type OutputOf,
  type SendPaymentBody,
} from '../../src/contract/index.ts'
import { feeFor } from '../domain/fees.ts'
import {
  type AcceptedOrder,
  type Address,
  accept,
  addressOf,
  brokenLimit,
  initiate,
  type Recipient,
  type Source,
} from '../domain/initiate.ts'
import { drawnSettle } from '../domain/lifecycle.ts'
import { paginate } from '../domain/paginator.ts'
import { feeOf, type Party, type Payment } from '../domain/payment.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { localDay, timestamp, timestampOrNull } from '../domain/time.ts'
import { type Context, callerOf, pageRequest } from '../http/context.ts'
import type { Account, OwnedAccount } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'

export function createPayment(
  { headers, body }: InputOf<'payments.create'>,
  context: Context,
): OutputOf<'payments.create'> {
  const { world, now } = context
  const key = headers[idempotencyHeader]
  const order = acceptOrder(body, context)
  const { channel } = order.address
  // If a payment has this key, the key has expired: otherwise this request would have got the first answer already.
  if (world.options.keyTtl !== null) world.store.payments.forgetKey(callerOf(context), key)
  const first = initiate(order, {
    id: world.ids(),
    seq: world.store.payments.nextSeq(),
    key,
    now,
    settleMs: drawnSettle(world.settle[channel], () => world.random.settle(6).readUIntBE(0, 6)),
    railOnline: context.isOnline(channel),
  })
  world.payments.begin(first)
  return initiated(first.payment, body.source_account_id.toLowerCase())
}

/** The answer to the caller's first request with an idempotency key; undefined for a new key. */
export function answeredBefore(key: string, context: Context): OutputOf<'payments.create'> | undefined {
  const original = paymentWith(key, context)
  return original && initiated(original, context.world.store.accounts.bySeq(original.account).id)
}

/** The caller's payment with an idempotency key, unless the key has expired. */
function paymentWith(key: string, context: Context): Payment | undefined {
  const { world, now } = context
  const { keyTtl } = world.options
  return world.store.payments.byKey(callerOf(context), key, keyTtl === null ? 0 : now - keyTtl)
}

export function validatePayment(
  { headers, body }: InputOf<'payments.validate'>,
  context: Context,
): OutputOf<'payments.validate'> {
  if (paymentWith(headers[idempotencyHeader], context)) throw new Refusal(409)
  const { address, source, fee } = acceptOrder(body, context)
  if (!context.isOnline(address.channel)) {
    throw new Refusal(422, { errors: { channel: [`The ${address.channel} rail is offline`] } })
  }
  return { channel: address.channel, fee: money(fee, source.currency) }
}

function acceptOrder(body: SendPaymentBody, context: Context): AcceptedOrder {
  const { store, settings } = context.world
  const address = addressOf(body)
  const account = store.accounts.get(body.source_account_id.toLowerCase())
  const own = account?.user === callerOf(context) ? account : undefined
  const source = own && sourceOf(own)
  const recipient = findRecipient(store, address)
  const priced = source && {
    channel: address.channel,
    currency: source.currency,
    amount: body.amount,
    own: recipient?.owner === source.user,
  }
  const order = accept({ body, address, source, recipient, fee: priced ? feeFor(settings.get('fees'), priced) : 0 })
  return withinLimits(order, context)
}

/** Depending on the setting of the limits, refuses an order over a limit, or makes the order's payment fail. */
function withinLimits(order: AcceptedOrder, { world, now }: Context): AcceptedOrder {
  const { source, recipient, address, body } = order
  if (address.channel !== 'sinpe_movil') return order
  const limits = world.settings.get('limits')
  const sentToday = () => world.store.payments.sentOverMovil(source.seq, localDay(now))
  const broken = brokenLimit(limits, { amount: body.amount, sentToday })
  if (broken === null) return order
  if (limits.answer === 'refuse') throw invalid('amount', broken)
  return { ...order, recipient: { ...recipient, outcome: 'failed', state_code: 'limit_exceeded', failure_text: null } }
}

/** Finds the holder of an address: an entry of the registry, or an account of this world. */
function findRecipient(store: Store, { channel, value }: Address): Recipient | undefined {
  const where = channel === 'pin' ? { iban: value, phone: null } : { iban: null, phone: value }
  const entry = store.registry.get(value)
  if (entry) {
    const { name, document_number, document_type, currency, outcome, state_code, failure_text } = entry
    const party = { ...where, name, document_number, document_type }
    return { party, currency, outcome, state_code, failure_text, account: null, owner: null }
  }
  const account = channel === 'pin' ? store.accounts.byIban(value) : store.accounts.byPhone(value)
  if (!account) return undefined
  const party = { ...holderOf(account), ...where }
  const { currency, status, seq, user: owner } = account
  const target = { party, currency, failure_text: null, account: seq, owner }
  if (status === 'active') return { ...target, outcome: 'completed', state_code: null }
  return { ...target, outcome: 'failed', state_code: status === 'closed' ? 'account_closed' : 'account_blocked' }
}

/** The debited account as the payer of a payment. */
function sourceOf(account: Account): Source {
  const { seq, user, currency, status, balance, iban } = account
  const party = { ...holderOf(account), iban, phone: null }
  return { seq, user, currency, status, available: balance, party }
}

/** The identity of an account's owner. */
const holderOf = (account: OwnedAccount): Omit<Party, 'iban' | 'phone'> => ({
  name: account.owner_name,
  document_number: account.document_number,
  document_type: account.document_type,
})

export function getPayment({ params }: InputOf<'payments.get'>, context: Context): OutputOf<'payments.get'> {
  const payment = context.world.store.payments.get(params.id.toLowerCase())
  if (payment?.user !== callerOf(context)) throw new Refusal(404)
  return detailed(payment)
}

export function paymentHistory({ query }: InputOf<'payments.history'>, context: Context): OutputOf<'payments.history'> {
  const { request, window } = pageRequest(query, context)
  const { items, total } = context.world.store.payments.history(callerOf(context), query, window)
  return paginate({ items: items.map(detailed), total }, request, context.world.options.locale)
}

export function serviceStatus(_: unknown, { isOnline }: Context): OutputOf<'payments.serviceStatus'> {
  const [pin, sinpe_movil] = [isOnline('pin'), isOnline('sinpe_movil')]
  return {
    pin_service: railStatus(pin),
    sinpe_service: railStatus(sinpe_movil),
    overall_status: pin && sinpe_movil ? 'online' : pin || sinpe_movil ? 'partial' : 'offline',
  }
}

const railStatus = (online: boolean) => ({ available: online, status: online ? 'online' : 'offline' }) as const

/** A payment as the read endpoints show it. */
export function detailed(payment: Payment): OutputOf<'payments.get'> {
  const { sinpe_reference, currency } = payment
  return {
    id: payment.id,
    idempotency_key: payment.idempotency_key,
    channel_reference: payment.channel_reference,
    ...(sinpe_reference !== null && { sinpe_reference }),
    transfer_type: payment.transfer_type,
    status: payment.status,
    amount: money(payment.amount, currency),
    fee: feeOf(payment),
    payer: { iban: payment.payer.iban, ...identity(payment.payer) },
    payee: { ...identity(payment.payee), ...payeeAddress(payment) },
    description: payment.description,
    error_message: payment.error_message,
    created_at: timestamp(payment.created_at),
    submitted_at: timestampOrNull(payment.submitted_at),
    completed_at: timestampOrNull(payment.completed_at),
    channel: payment.channel,
  }
}

const identity = ({ document_number, document_type, name }: Party) => ({ document_number, document_type, name })

/**
 * The payee's IBAN or phone, depending on the rail. The payee of an incoming SINPE Móvil payment also has an IBAN,
 * which is not shown here.
 */
const payeeAddress = ({ channel, payee: { iban, phone } }: Payment) =>
  channel === 'pin' ? iban !== null && { iban } : phone !== null && { phone_number: phone }

/** The answer to the request that created a payment; it has the initial status, even if the payment has moved on. */
function initiated(payment: Payment, sourceAccountId: string): OutputOf<'payments.create'> {
  return {
    id: payment.id,
    channel: payment.channel,
    status: payment.initial_status,
    channel_reference: payment.channel_reference,
    idempotency_key: payment.idempotency_key,
    source_account_id: sourceAccountId,
    recipient_iban: payment.payee.iban,
    recipient_phone: payment.payee.phone,
    amount: money(payment.amount, payment.currency),
    description: payment.description ?? '',
  }
}
