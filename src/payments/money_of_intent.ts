import type { Intent } from '../journal/intent.ts'
import { type MoneyOutcome, moneyOutcome } from '../values/money_outcome.ts'

/**
 * Outcome of the money of an intent's payment, as last read. A payment that the service refused or has not taken was
 * not made. Null if the payment has arrived.
 */
export function moneyOfIntent(intent: Pick<Intent, 'status' | 'payment_status' | 'world'>): MoneyOutcome | null {
  const { status, payment_status, world } = intent
  if (status === 'prepared' || status === 'rejected') return 'nothing_taken'
  if (status !== 'settled') return 'not_known'
  return moneyOutcome({ status: payment_status }, world !== null)
}
