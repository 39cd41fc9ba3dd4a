import {
  type Channel,
  type Currency,
  type EventName,
  type Money,
  money,
  type Outcome,
  type PaymentStatus,
  type TransferType,
} from '../../src/contract/index.ts'

/** One side of a payment: the holder, and the IBAN or phone that the transfer uses. */
export interface Party {
  readonly iban: string | null
  readonly phone: string | null
  readonly document_number: string
  readonly document_type: number | null
  readonly name: string
}

/** A stored payment. Amounts in minor units, times in epoch milliseconds. */
export interface Payment {
  /** Number among all payments of the world; the payment's references contain it. */
  readonly seq: number
  readonly id: string
  /** Seq of the user, and of the account: the debited account, or for a credit the credited account. */
  readonly user: number
  readonly account: number
  readonly idempotency_key: string
  readonly channel: Channel
  readonly transfer_type: TransferType
  readonly status: PaymentStatus
  /**
   * The status in the answer to the request that created the payment. A request with the same key gets the same answer.
   */
  readonly initial_status: PaymentStatus
  readonly amount: number
  /** Fee, held from the start; `feeOf` decides when the API shows it. */
  readonly fee: number
  readonly currency: Currency
  readonly channel_reference: string
  readonly sinpe_reference: string | null
  readonly payer: Party
  readonly payee: Party
  /** Seq of the account of this world that receives the money; null if the money goes to another bank. */
  readonly payee_account: number | null
  readonly description: string | null
  readonly error_message: string | null
  readonly outcome: Outcome
  /** State code that the payment will fail with. */
  readonly state_code: string | null
  /** Text shown once the payment has failed; null: the usual text of the state code. */
  readonly failure_text: string | null
  /** Milliseconds from creation to the terminal status. */
  readonly settle_ms: number
  /** Time at which the next step is due; null if there is none. */
  readonly due_at: number | null
  readonly created_at: number
  readonly submitted_at: number | null
  readonly completed_at: number | null
}

/**
 * The fee that the API shows: null until an outgoing payment has completed, and for the outcome `fee_unknown`. Incoming
 * payments show no fee.
 */
export function feeOf({ status, transfer_type, outcome, fee, currency }: Payment): Money | null {
  const known = status === 'completed' && transfer_type === 'debit' && outcome !== 'fee_unknown'
  return known ? money(fee, currency) : null
}

/** One step in a payment's life: its new state, and the effects that are stored together with it. */
export interface Step {
  readonly payment: Payment
  /** Movement of money; null if the step moves no money. */
  readonly movement: Movement | null
  /** The event for subscriptions of the payment's owner; null if the interface defines no event for the new state. */
  readonly event: EventName | null
}

/**
 * Movements of money: an outgoing payment makes a hold, then a capture or a release; an incoming payment makes a
 * credit.
 */
export type Movement = 'hold' | 'capture' | 'release' | 'credit'
