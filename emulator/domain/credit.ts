import type { Payment } from './payment.ts'

interface Receipt {
  readonly id: string
  readonly seq: number
  readonly user: number
  /** The account the money arrived on. */
  readonly account: number
}

/** The receiver's own record of a completed payment between two accounts of the sandbox. */
export function incomingFrom(payment: Payment, receipt: Receipt): Payment {
  return {
    ...payment,
    ...receipt,
    idempotency_key: `CREDIT_${receipt.id.replaceAll('-', '_')}`,
    transfer_type: 'credit',
    initial_status: 'completed',
    fee: 0,
    payee_account: null,
    created_at: payment.completed_at ?? payment.created_at,
    due_at: null,
  }
}
