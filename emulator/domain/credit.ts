import type { Channel, Currency } from '../../src/contract/index.ts'
import type { Party, Payment, Step } from './payment.ts'
import { channelReference, sinpeReference } from './sinpe.ts'

interface Receipt {
  readonly id: string
  readonly seq: number
  readonly user: number
  /** Seq of the credited account. */
  readonly account: number
}

const descriptions: Readonly<Record<Channel, string>> = {
  pin: 'Incoming PIN payment',
  sinpe_movil: 'Incoming SINPE Movil payment',
}

/**
 * The receiver's own record of a completed payment between two accounts of the world. `iban` is the IBAN of the
 * credited account. The record has the channel's usual description, not the payer's.
 */
export function incomingFrom(payment: Payment, { iban, ...receipt }: Receipt & { readonly iban: string }): Step {
  const incoming: Payment = {
    ...payment,
    ...receipt,
    payee: { ...payment.payee, iban },
    description: descriptions[payment.channel],
    idempotency_key: creditKey(receipt.id),
    transfer_type: 'credit',
    initial_status: 'completed',
    fee: 0,
    payee_account: null,
    created_at: payment.completed_at ?? payment.created_at,
    submitted_at: payment.completed_at,
    due_at: null,
  }
  // The capture of the payer's payment has already moved the money.
  return { payment: incoming, movement: null, event: 'transaction.received' }
}

/** Money on its way from another bank. `amount` in minor units of the account's currency. */
export interface IncomingCredit {
  readonly id: string
  /** Seq of the credited account. */
  readonly account: number
  readonly channel: Channel
  readonly amount: number
  readonly payer: Party
  /** Null: the channel's usual description. */
  readonly description: string | null
  /** Null: generated. */
  readonly sinpe_reference: string | null
}

interface ExternalCredit extends IncomingCredit, Receipt {
  readonly now: number
  readonly currency: Currency
  readonly payee: Party
}

/** The receiver's record of money from another bank; the record is completed from the start. */
export function creditFromOutside({ now, description, ...credit }: ExternalCredit): Step {
  const { id, seq, channel } = credit
  const payment: Payment = {
    ...credit,
    idempotency_key: creditKey(id),
    transfer_type: 'credit',
    status: 'completed',
    initial_status: 'completed',
    fee: 0,
    channel_reference: channelReference(seq, channel, now),
    sinpe_reference: credit.sinpe_reference ?? sinpeReference(seq, channel, now),
    payee_account: null,
    description: description ?? descriptions[channel],
    error_message: null,
    outcome: 'completed',
    state_code: null,
    failure_text: null,
    settle_ms: 0,
    due_at: null,
    created_at: now,
    submitted_at: now,
    completed_at: now,
  }
  return { payment, movement: 'credit', event: 'transaction.received' }
}

const creditKey = (id: string): string => `CREDIT_${id.replaceAll('-', '_')}`
