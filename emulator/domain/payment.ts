import {
  type Channel,
  type Currency,
  type EventName,
  type Money,
  money,
  type Outcome,
  type PaymentStatus,
  type StateCode,
  type TransferType,
} from '../../src/contract/index.ts'

/** One side of a payment. An identity's raw document number, and the IBAN or phone the money moves by. */
export interface Party {
  readonly iban: string | null
  readonly phone: string | null
  readonly document_number: string
  readonly document_type: number | null
  readonly name: string
}

/** A payment as the world keeps it. Amounts in minor units, times in epoch milliseconds. */
export interface Payment {
  /** Position among all payments of the world; references derive from it. */
  readonly seq: number
  readonly id: string
  /** The user's and the debited (or, for a credit, credited) account's seq. */
  readonly user: number
  readonly account: number
  readonly idempotency_key: string
  readonly channel: Channel
  readonly transfer_type: TransferType
  readonly status: PaymentStatus
  /** The status POST answered with; a repeated key answers the same. */
  readonly initial_status: PaymentStatus
  readonly amount: number
  /** What the payment costs its payer, held from the start; `feeOf` says when it is told. */
  readonly fee: number
  readonly currency: Currency
  readonly channel_reference: string
  readonly sinpe_reference: string | null
  readonly payer: Party
  readonly payee: Party
  /** The world's own account that receives the money, or null when it leaves by the rail. */
  readonly payee_account: number | null
  readonly description: string | null
  readonly error_message: string | null
  readonly outcome: Outcome
  /** The reason a payment that fails will give. */
  readonly state_code: StateCode | null
  /** How long after creation the payment ends. */
  readonly settle_ms: number
  /** When the next step of its life is due; null when there is none. */
  readonly due_at: number | null
  readonly created_at: number
  readonly submitted_at: number | null
  readonly completed_at: number | null
}

/**
 * What is told of a payment's cost: it is known when one sent from here has completed, if then. Receiving costs nothing
 * to speak of.
 */
export function feeOf({ status, transfer_type, outcome, fee, currency }: Payment): Money | null {
  const known = status === 'completed' && transfer_type === 'debit' && outcome !== 'fee_unknown'
  return known ? money(fee, currency) : null
}

/** One step in a payment's life: its new state, and what comes of it, to be stored together. */
export interface Step {
  readonly payment: Payment
  /** What the step does to money; null when it moves none. */
  readonly movement: Movement | null
  /** What its owner's subscriptions are told; null when the new state shows only to those who ask. */
  readonly event: EventName | null
}

/** The movements of a payment's money: held from the start, then either captured or released; a credit is there at once. */
export type Movement = 'hold' | 'capture' | 'release' | 'credit'
