import { money, type OutputOf } from '../../src/contract/index.ts'
import { feeOf, type Party, type Payment } from '../domain/payment.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'

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

/** The IBAN or the phone, by rail. An incoming SINPE Móvil payment has an IBAN too, which is not shown here. */
const payeeAddress = ({ channel, payee: { iban, phone } }: Payment) =>
  channel === 'pin' ? iban !== null && { iban } : phone !== null && { phone_number: phone }

/** The answer to a payment's creation, whatever its status now. */
export function initiated(payment: Payment, sourceAccountId: string): OutputOf<'payments.create'> {
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
