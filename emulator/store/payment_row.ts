import type { Party, Payment } from '../domain/payment.ts'

type Side<Name extends string> = { readonly [K in keyof Party as `${Name}_${K}`]: Party[K] }

/** A row of `payments`: columns replace the two parties. */
export type Row = Omit<Payment, 'payer' | 'payee'> & Side<'payer'> & Side<'payee'>

/** Value of each column, from a payment. */
const columns: { readonly [Column in keyof Row]: (payment: Payment) => Row[Column] } = {
  seq: (payment) => payment.seq,
  id: (payment) => payment.id,
  user: (payment) => payment.user,
  account: (payment) => payment.account,
  idempotency_key: (payment) => payment.idempotency_key,
  channel: (payment) => payment.channel,
  transfer_type: (payment) => payment.transfer_type,
  status: (payment) => payment.status,
  initial_status: (payment) => payment.initial_status,
  amount: (payment) => payment.amount,
  fee: (payment) => payment.fee,
  currency: (payment) => payment.currency,
  channel_reference: (payment) => payment.channel_reference,
  sinpe_reference: (payment) => payment.sinpe_reference,
  payer_iban: ({ payer }) => payer.iban,
  payer_phone: ({ payer }) => payer.phone,
  payer_document_number: ({ payer }) => payer.document_number,
  payer_document_type: ({ payer }) => payer.document_type,
  payer_name: ({ payer }) => payer.name,
  payee_iban: ({ payee }) => payee.iban,
  payee_phone: ({ payee }) => payee.phone,
  payee_document_number: ({ payee }) => payee.document_number,
  payee_document_type: ({ payee }) => payee.document_type,
  payee_name: ({ payee }) => payee.name,
  payee_account: (payment) => payment.payee_account,
  description: (payment) => payment.description,
  error_message: (payment) => payment.error_message,
  outcome: (payment) => payment.outcome,
  state_code: (payment) => payment.state_code,
  failure_text: (payment) => payment.failure_text,
  settle_ms: (payment) => payment.settle_ms,
  due_at: (payment) => payment.due_at,
  created_at: (payment) => payment.created_at,
  submitted_at: (payment) => payment.submitted_at,
  completed_at: (payment) => payment.completed_at,
}

export const columnNames = Object.keys(columns)

const values = Object.values(columns)

export const valuesOf = (payment: Payment) => values.map((valueIn) => valueIn(payment))

export function paymentOf(row: Row): Payment {
  return {
    ...row,
    payer: {
      iban: row.payer_iban,
      phone: row.payer_phone,
      document_number: row.payer_document_number,
      document_type: row.payer_document_type,
      name: row.payer_name,
    },
    payee: {
      iban: row.payee_iban,
      phone: row.payee_phone,
      document_number: row.payee_document_number,
      document_type: row.payee_document_type,
      name: row.payee_name,
    },
  }
}
