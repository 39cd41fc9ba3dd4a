import type { Client } from '../client/client.ts'
import type { Payment } from '../client/received.ts'
import { hasEnded } from '../contract/terminal_statuses.ts'
import { unlessRefused } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { differenceFrom } from './same_payment.ts'
import type { Sender } from './sender.ts'

// What has become of payments since they were sent, for few requests.

/** So many payments are read one by one; more are looked for in the history. */
const fewPayments = 25

const pageSize = 1000

/** Payments of the history that are read for each one looked for, and for any number. */
const readForEach = 4
const readAtLeast = 5 * pageSize

/** The payment was accepted, and had not ended when it was last heard of. */
export const isOpen = ({ status, payment_status }: Intent): boolean => status === 'settled' && !hasEnded(payment_status)

/** Payments to look for. */
interface OpenPayments {
  readonly count: number
  /** When the first of them was written down: an ISO time. */
  readonly since: string
  readonly intents: () => Iterable<Intent>
}

export interface Reading {
  readonly client: Client
  readonly journal: Journal
  readonly sender: Sender
  /** Waits until the service may be asked; false once nothing more is to be asked. */
  readonly ready: () => Promise<boolean>
  /** Hears of each payment that was found. */
  readonly onPayment?: (intent: Intent, payment: Payment) => void
}

/**
 * Writes today's statuses of payments into the journal. Reads few payments one by one, else the history, newest first,
 * no further back than the first of them was made and no more than a bounded number of pages. Those that it does not
 * find stay as they were known.
 */
export async function updateStatuses({ count, since, intents }: OpenPayments, reading: Reading): Promise<void> {
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
  for await (const payment of client.items('payments.history', { query: { per_page: pageSize } })) {
    const intent = journal.withKey(sender, payment.idempotency_key ?? '')
    if (intent?.status === 'settled' && intent.payment_id === payment.id) update(intent, payment, reading)
    left -= 1
    const isOld = payment.created_at !== null && payment.created_at !== undefined && payment.created_at < earliest
    if (isOld || left <= 0 || !(await ready())) return
  }
}

/** Writes down what the service says of an intent's payment. Returns false for one that is or may be another. */
export function update(
  intent: Intent,
  payment: Payment,
  { journal, sender, onPayment }: Omit<Reading, 'ready'>,
): boolean {
  const { status, error_message } = payment
  if (sender.hasMoved || !status || intent.payment_id === null || differenceFrom(intent, payment)) return false
  if (status !== intent.payment_status || (error_message ?? null) !== intent.error) {
    journal.markSettled(intent.id, { id: intent.payment_id, status, error_message })
  }
  onPayment?.(intent, payment)
  return true
}
