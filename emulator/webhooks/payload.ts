import { type EventBody, type EventName, money } from '../../src/contract/index.ts'
import { feeOf, type Party, type Payment } from '../domain/payment.ts'
import { localDateTime, localTimestamp } from '../domain/time.ts'

/** Body of a delivery: the payment's state at `now`, in the shape of the interface's events. */
export function payloadOf(event: EventName, payment: Payment, now: number): EventBody {
  const body = { event, data: dataOf(payment), timestamp: localTimestamp(now) }
  if (event !== 'payment.failed') return body as EventBody
  const failure = { error: payment.error_message ?? '', state_code: payment.state_code ?? 'rejected' }
  return { ...body, data: { ...body.data, ...failure } } as EventBody
}

function dataOf(payment: Payment) {
  const { currency, transfer_type } = payment
  const debit = transfer_type === 'debit'
  return {
    id: payment.id,
    idempotency_key: payment.idempotency_key,
    channel_reference: debit ? payment.channel_reference : null,
    sinpe_reference: payment.sinpe_reference,
    channel: payment.channel,
    transfer_type,
    payer: partyOf(payment.payer),
    payee: partyOf(payment.payee),
    amount: money(payment.amount, currency),
    fee: feeOf(payment),
    description: payment.description,
    status: payment.status,
    created_at: localDateTime(payment.created_at),
    completed_at: payment.completed_at === null ? null : localDateTime(payment.completed_at),
  }
}

const partyOf = ({ iban, document_number, document_type, phone, name }: Party) => ({
  iban,
  document_number,
  document_type,
  phone_number: phone,
  name,
})
