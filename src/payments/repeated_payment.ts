import { createHash } from 'node:crypto'
import { endedUnpaid } from '../contract/terminal_statuses.ts'
import { type Intent, mayHavePaid, type Principal } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'

// A failed payment has used its key: it is repeated by another one, whose key follows from its own.

/** The payment was made and ended without paying anybody. */
export const hasFailed = ({ status, payment_status }: Intent): boolean =>
  status === 'settled' && endedUnpaid(payment_status)

/**
 * The key of the payment that repeats a failed one: always the same, so that a payment is repeated once however often and
 * by how many processes that is asked for.
 */
export const retryKey = (failedKey: string): string => `retry-${createHash('sha256').update(failedKey).digest('hex')}`

/** What has become of a row: its payment or, if that failed and was repeated, the last repetition. */
export function lastOf(intent: Intent, of: Principal, journal: Journal): Intent {
  const next = hasFailed(intent) ? journal.withKey(of, retryKey(intent.idempotency_key)) : undefined
  return next && mayHavePaid(next.status) ? lastOf(next, of, journal) : intent
}
