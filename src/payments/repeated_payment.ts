import { createHash } from 'node:crypto'
import { endedUnpaid } from '../contract/payment_names.ts'
import { type Intent, mayHavePaid, type Principal } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'

// A failed payment has used its key: another payment repeats it, with a key derived from that one.

/** True if the payment was made and ended without paying. */
export const hasFailed = ({ status, payment_status }: Intent): boolean =>
  status === 'settled' && endedUnpaid(payment_status)

/**
 * Key of the payment that repeats a failed one. It depends only on the failed key, so any number of retries and
 * processes repeat a payment at most once.
 */
export const retryKey = (failedKey: string): string => `retry-${createHash('sha256').update(failedKey).digest('hex')}`

/** Latest payment of a row: its own or, if that failed and was repeated, the last repetition. */
export function lastOf(intent: Intent, of: Principal, journal: Journal): Intent {
  const next = hasFailed(intent) ? journal.withKey(of, retryKey(intent.idempotency_key)) : undefined
  return next && mayHavePaid(next.status) ? lastOf(next, of, journal) : intent
}
