import type { InitiatedPayment, Payment, PaymentValidation } from '../../client/received.ts'
import { decimal } from '../../money/decimal.ts'
import { amountWidth, field, iban, id, money, status, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Format } from '../../run/invocation.ts'

const paymentId = id<Payment>('id', (payment) => payment.id)
const createdAt = time<Payment>('created_at', (payment) => payment.created_at)
const channel: Column<Payment> = { ...field('channel', (payment) => payment.channel), width: 'sinpe_movil'.length }
const transferType = field<Payment>('transfer_type', (payment) => payment.transfer_type)
const state = status<Payment>('status', (payment) => payment.status)
const amount = money<Payment>('amount', (payment) => payment.amount)
const description = words<Payment>('description', (payment) => payment.description)

/** Everything the service tells of a payment. */
export const paymentColumns: readonly Column<Payment>[] = [
  paymentId,
  createdAt,
  channel,
  transferType,
  state,
  amount,
  field('currency', (payment) => payment.amount.currency),
  money('fee', (payment) => payment.fee),
  words('payer_name', ({ payer }) => payer.name),
  iban('payer_iban', ({ payer }) => payer.iban),
  field('payer_document_number', ({ payer }) => payer.document_number),
  words('payee_name', ({ payee }) => payee.name),
  iban('payee_iban', ({ payee }) => payee.iban),
  field('payee_phone_number', ({ payee }) => payee.phone_number),
  field('payee_document_number', ({ payee }) => payee.document_number),
  description,
  words('error_message', (payment) => payment.error_message),
  time('submitted_at', (payment) => payment.submitted_at),
  time('completed_at', (payment) => payment.completed_at),
  field('channel_reference', (payment) => payment.channel_reference),
  field('sinpe_reference', (payment) => payment.sinpe_reference),
  field('idempotency_key', (payment) => payment.idempotency_key),
]

/** What fits on a line of a terminal. */
const compactColumns: readonly Column<Payment>[] = [
  paymentId,
  createdAt,
  channel,
  field('type', (payment) => payment.transfer_type),
  state,
  amount,
  words('counterparty', ({ transfer_type, payer, payee }) => (transfer_type === 'credit' ? payer.name : payee.name)),
  description,
]

export const listColumns = (format: Format): readonly Column<Payment>[] =>
  format === 'table' ? compactColumns : paymentColumns

const signed = ({ transfer_type }: Payment, amount: string): string =>
  amount && transfer_type !== 'credit' ? `-${amount}` : amount

/** Negative for money that went out, which saves a column. */
const signedAmount: Column<Payment> = {
  name: 'amount',
  data: (payment) => signed(payment, decimal(payment.amount.value)),
  text: (payment) => signed(payment, payment.amount.formatted ?? ''),
  align: 'right',
  width: amountWidth,
  uncut: true,
}

/** A short heading, so that the table fits 80 columns. */
const counterparty = words<Payment>('name', ({ transfer_type, payer, payee }) =>
  transfer_type === 'credit' ? payer.name : payee.name,
)

/** One line for each payment, on a terminal of 80 columns too. */
export const followColumns = (width: number): readonly Column<Payment>[] =>
  width < 100
    ? [paymentId, state, signedAmount, counterparty]
    : [createdAt, paymentId, state, signedAmount, counterparty]

const recipientOf = (payment: InitiatedPayment | Payment): string | null | undefined =>
  'payee' in payment
    ? (payment.payee.iban ?? payment.payee.phone_number)
    : (payment.recipient_iban ?? payment.recipient_phone)

/** Columns of a payment just sent, or read back after a lost answer. */
export const sentColumns: readonly Column<InitiatedPayment | Payment>[] = [
  field('id', (payment) => payment.id),
  status('status', (payment) => payment.status),
  field('channel', (payment) => payment.channel),
  money('amount', (payment) => payment.amount),
  field('currency', (payment) => payment.amount.currency),
  field('recipient', recipientOf),
  field('description', (payment) => payment.description),
  field('channel_reference', (payment) => payment.channel_reference),
  field('idempotency_key', (payment) => payment.idempotency_key),
]

export const validationColumns: readonly Column<PaymentValidation>[] = [
  field('channel', ({ channel }) => channel),
  money('fee', ({ fee }) => fee),
  field('currency', ({ fee }) => fee.currency),
]
