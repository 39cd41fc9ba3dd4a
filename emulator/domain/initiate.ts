import {
  type Channel,
  type Currency,
  formatMoney,
  type Limits,
  nationalPhone,
  type Outcome,
  type SendPaymentBody,
} from '../../src/contract/index.ts'
import { firstStepAt, reasonFor, settleTime } from './lifecycle.ts'
import type { Party, Payment, Step } from './payment.ts'
import { InvalidRequest, invalid } from './refusal.ts'
import { channelReference } from './sinpe.ts'

/** Account from which a payment takes its money. `available` is the balance minus the held amount, in minor units. */
export interface Source {
  readonly seq: number
  readonly user: number
  readonly currency: Currency
  readonly status: string
  readonly available: number
  readonly party: Party
}

/** Destination of the money: an entry of the registry, or an account of this world. */
export interface Recipient {
  readonly party: Party
  readonly currency: Currency
  /** Outcome of payments to this recipient. */
  readonly outcome: Outcome
  /** State code of payments that fail. */
  readonly state_code: string | null
  readonly failure_text: string | null
  /** Seqs of the account and its user; null for an entry of the registry. */
  readonly account: number | null
  readonly owner: number | null
}

export type Address = { readonly channel: Channel; readonly field: RecipientField; readonly value: string }
type RecipientField = 'recipient_iban' | 'recipient_phone'

export const defaultDescriptions: Readonly<Record<Channel, string>> = {
  pin: 'PIN transfer payment',
  sinpe_movil: 'SINPE Móvil transfer payment',
}

/** The channel and address to which a request sends money. Refuses a body with both recipient fields or neither. */
export function addressOf(body: SendPaymentBody): Address {
  const { recipient_iban: iban, recipient_phone: phone } = body
  if (iban && phone) {
    throw new InvalidRequest(422, { errors: { recipient: ['Only one recipient field should be provided'] } })
  }
  if (iban) return { channel: 'pin', field: 'recipient_iban', value: iban }
  if (phone) return { channel: 'sinpe_movil', field: 'recipient_phone', value: nationalPhone(phone) }
  throw new InvalidRequest(422, {
    errors: {
      recipient_iban: ['The recipient iban field is required when recipient phone is not present.'],
      recipient_phone: ['The recipient phone field is required when recipient iban is not present.'],
    },
  })
}

export interface Order {
  readonly body: SendPaymentBody
  readonly address: Address
  readonly source: Source | undefined
  readonly recipient: Recipient | undefined
  /** Minor units. */
  readonly fee: number
}

export interface AcceptedOrder extends Order {
  readonly source: Source
  readonly recipient: Recipient
}

/** Checks an order against the debited account and the recipient. Throws a refusal. */
export function accept(order: Order): AcceptedOrder {
  const { source, recipient, address } = order
  if (!source) throw invalid('source_account_id', 'Source account does not exist')
  if (source.status !== 'active') throw invalid('source_account_id', `Source account is ${source.status}`)
  if (address.channel === 'sinpe_movil' && source.currency !== 'CRC') {
    throw invalid('recipient_phone', 'SINPE Móvil carries CRC only; the source account is in USD')
  }
  if (!recipient) throw invalid(address.field, unknownRecipient[address.field])
  if (recipient.currency !== source.currency) {
    throw invalid(address.field, `The recipient account is in ${recipient.currency}, the source in ${source.currency}`)
  }
  if (recipient.account === source.seq) throw invalid(address.field, 'The recipient is the source account itself')
  if (source.available < order.body.amount + order.fee) throw invalid('amount', 'Insufficient balance')
  return { ...order, source, recipient }
}

const unknownRecipient: Readonly<Record<RecipientField, string>> = {
  recipient_iban: 'IBAN not found',
  recipient_phone: 'Phone number not found in SINPE registry',
}

export const noLimits: Limits = { sinpe_movil: { payment: null, day: null }, answer: 'refuse' }

/**
 * Amounts to compare with the limits, in minor units of CRC, the only currency of SINPE Móvil. `sentToday` does not
 * include the payment itself.
 */
interface Sent {
  readonly amount: number
  readonly sentToday: () => number
}

/** Describes the limit that a payment by SINPE Móvil would exceed; null: none. */
export function brokenLimit({ sinpe_movil: { payment, day } }: Limits, { amount, sentToday }: Sent): string | null {
  if (payment !== null && amount > payment) {
    return `The amount exceeds the SINPE Móvil limit of ${formatMoney(payment, 'CRC')} for a payment`
  }
  if (day === null) return null
  const left = Math.max(0, day - sentToday())
  if (amount <= left) return null
  return `The amount exceeds the SINPE Móvil limit of ${formatMoney(day, 'CRC')} for a day: ${formatMoney(left, 'CRC')} is left today`
}

export interface InitiateOptions {
  readonly id: string
  readonly seq: number
  /** Idempotency key. */
  readonly key: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Milliseconds from the creation of a usual payment to its terminal status. */
  readonly settleMs: number
  readonly railOnline: boolean
}

/**
 * The first step of a payment. If the payment's rail is offline, the payment ends at once, holds no money and causes no
 * event.
 */
export function initiate(order: AcceptedOrder, options: InitiateOptions): Step {
  const { source, recipient, address, body } = order
  const { id, seq, key, now, railOnline } = options
  const settle_ms = settleTime(recipient.outcome, options.settleMs)
  const status = railOnline ? 'pending' : 'service_unavailable'
  const payment: Payment = {
    seq,
    id,
    user: source.user,
    account: source.seq,
    idempotency_key: key,
    channel: address.channel,
    transfer_type: 'debit',
    status,
    initial_status: status,
    amount: body.amount,
    fee: order.fee,
    currency: source.currency,
    channel_reference: channelReference(seq, address.channel, now),
    sinpe_reference: null,
    payer: source.party,
    payee: recipient.party,
    payee_account: recipient.account,
    description: body.description ?? defaultDescriptions[address.channel],
    error_message: reasonFor(status),
    outcome: recipient.outcome,
    state_code: recipient.state_code,
    failure_text: recipient.failure_text,
    settle_ms,
    due_at: railOnline ? firstStepAt(now, settle_ms) : null,
    created_at: now,
    submitted_at: null,
    completed_at: null,
  }
  return railOnline ? { payment, movement: 'hold', event: 'payment.created' } : { payment, movement: null, event: null }
}
