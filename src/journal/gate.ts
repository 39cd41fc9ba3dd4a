import type { CountedPayments } from './counted_payments.ts'
import type { NewIntent } from './intent.ts'

/** A payment that is about to be recorded or sent. */
export type Admission = Pick<NewIntent, 'profile' | 'idempotency_key' | 'body' | 'base_url' | 'world'> & {
  /** Null in an intent of an older payctl that no user could claim. */
  readonly user: string | null
}

/**
 * Admits payments in the transaction that records or marks them as sent. Throws to refuse: then nothing is written.
 * `isRepetition`: an earlier request with this key may have paid.
 */
export interface Gate {
  admit(payment: Admission, counted: CountedPayments, isRepetition: boolean): void
}
