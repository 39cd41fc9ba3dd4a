import { largestPage } from '../client/paging.ts'
import type { Payment } from '../client/received.ts'
import { hasEnded } from '../contract/payment_names.ts'
import { unlessRefused } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'
import { type Recording, recordPayment } from './made_payments.ts'
import type { HistoryAccess } from './payment_in_history.ts'
import { differenceFrom } from './same_payment.ts'
import type { Sender } from './sender.ts'

// Reads current statuses of sent payments with few requests.

/** Maximum number of payments to read one by one; more are looked up in the history. */
const fewPayments = 25

/** Number of payments to read from the history for each wanted payment, and the minimum number to read in total. */
const readForEach = 4
const readAtLeast = 5 * largestPage

/** Payments to look up. */
interface OpenPayments {
  readonly count: number
  /** ISO time at which the first payment was recorded. */
  readonly since: string
  readonly intents: () => Iterable<Intent>
}

interface StatusReading extends HistoryAccess {
  /** Waits until the service may be called; false if no more requests are allowed. */
  readonly ready: () => Promise<boolean>
  /** Called with each payment found. */
  readonly onPayment?: (intent: Intent, payment: Payment) => void
}

/**
 * Records the current statuses of payments in the journal. Reads a few payments one by one. Looks many payments up in
 * the history, newest first, back to the time of the first payment, within a limit on the number of payments to read.
 * Payments that are not found keep their known status.
 */
export async function updateStatuses({ count, since, intents }: OpenPayments, reading: StatusReading): Promise<void> {
  const { client, journal, sender, ready } = reading
  if (count === 0 || !(await ready())) return
  if (count <= fewPayments) {
    for (const intent of intents()) {
      if (intent.payment_id === null || !(await ready())) continue
      const { payment_id: id } = intent
      const payment = await unlessRefused(client.call('payments.get', { params: { id } }), [404])
      if (payment) update(intent, payment, reading)
    }
    return
  }
  // The clocks of the service and of this machine may differ.
  const earliest = new Date(Date.parse(since) - 3_600_000).toISOString()
  let left = Math.max(readAtLeast, readForEach * count)
  for await (const payment of client.items('payments.history', { query: { per_page: largestPage } })) {
    const intent = journal.withKey(sender, payment.idempotency_key ?? '')
    if (intent?.status === 'settled' && intent.payment_id === payment.id) update(intent, payment, reading)
    left -= 1
    const isOld = payment.created_at !== null && payment.created_at !== undefined && payment.created_at < earliest
    if (isOld || left <= 0 || !(await ready())) return
  }
}

/**
 * Records the final statuses that a read of payments has shown, so that lists of sent payments show these statuses too.
 */
export function recordEnds(
  payments: readonly Payment[],
  { base_url, world }: Pick<Sender, 'base_url' | 'world'>,
  { journal, reporter }: Recording,
): void {
  for (const payment of payments) {
    const { id, idempotency_key: key, status, error_message } = payment
    if (!id || !key || !hasEnded(status)) continue
    for (const intent of journal.sameKey(base_url, key)) {
      const isIts = intent.status === 'settled' && intent.payment_id === id && intent.world === world
      // A payment that was read as failed may still complete.
      const isKnown = intent.payment_status === status || (hasEnded(intent.payment_status) && status !== 'completed')
      if (!isIts || isKnown || differenceFrom(intent, payment)) continue
      recordPayment(intent, { id, status, error_message }, { journal, reporter })
    }
  }
}

/**
 * Records the service's state of an intent's payment. Returns false if the payment has no status, or may be another
 * payment.
 */
export function update(
  intent: Intent,
  payment: Payment,
  { journal, sender, reporter, onPayment }: Omit<StatusReading, 'ready'>,
): boolean {
  const { status, error_message } = payment
  if (sender.hasMoved || !status || intent.payment_id === null || differenceFrom(intent, payment)) return false
  if (status !== intent.payment_status || (error_message ?? null) !== intent.error) {
    recordPayment(intent, { id: intent.payment_id, status, error_message }, { journal, reporter })
  }
  onPayment?.(intent, payment)
  return true
}
