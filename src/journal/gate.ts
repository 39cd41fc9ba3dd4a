import type { CountedPayments } from './counted_payments.ts'
import type { Draft } from './intent.ts'

/** A request that is about to be written down or to leave. */
export type Admission = Pick<Draft, 'profile' | 'idempotency_key' | 'body' | 'base_url' | 'world'> & {
  /** Null in an intent of an older payctl that nobody could claim. */
  readonly user: string | null
}

/**
 * Decides, in the transaction that writes a payment down or marks it as sent, whether it may be. Throws to keep it: then
 * nothing is written. `isRepetition`: an earlier request with this key may have paid.
 */
export interface Gate {
  admit(payment: Admission, counted: CountedPayments, isRepetition: boolean): void
}
