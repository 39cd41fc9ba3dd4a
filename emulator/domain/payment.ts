import {
  type Channel,
  type Currency,
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

/** A payment as the sandbox keeps it. Amounts in minor units, times in epoch milliseconds. */
export interface Payment {
  /** Position among all payments of the sandbox; references derive from it. */
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
  /** The sandbox's own account that receives the money, or null when it leaves by the rail. */
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

/** Which entries a change of state books. `hold` books none of its own: it is there from creation. */
export type Settlement = 'capture' | 'release'

/** What changes in a payment at one step, and what the step does to the money held for it. */
export interface Step {
  readonly payment: Payment
  readonly settlement: Settlement | null
}
