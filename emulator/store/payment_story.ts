import type { Currency, DeliveryStatus, EventName } from '../../src/contract/index.ts'
import type { Movement } from '../domain/payment.ts'
import type { Statements } from './database.ts'
import type { Purpose } from './ledger.ts'

export interface StoredEntry {
  readonly id: number
  readonly movement: Movement
  readonly owner: string
  readonly purpose: Purpose
  readonly currency: Currency
  readonly amount: number
  readonly created_at: number
}

interface StoredEvent {
  readonly seq: number
  readonly name: EventName
  readonly created_at: number
}

interface StoredDelivery {
  readonly seq: number
  readonly event: EventName
  readonly subscription_id: string
  readonly url: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly due_at: number | null
  readonly created_at: number
}

/**
 * Rows of other tables that belong to one payment. Events have no index by payment: it would slow down every payment.
 */
export function paymentStoryIn(db: Statements) {
  const entries = db.prepare<[number], StoredEntry>(
    `SELECT ledger_entries.id, movement, owner, purpose, currency, amount, created_at FROM ledger_entries
       JOIN ledger_accounts ON ledger_accounts.id = ledger_account
     WHERE payment_seq = ?`,
  )
  const events = db.prepare<[number], StoredEvent>('SELECT seq, name, created_at FROM events WHERE payment = ?')
  const deliveries = db.prepare<[number], StoredDelivery>(
    `SELECT deliveries.seq, name AS event, subscriptions.id AS subscription_id, url, status, attempts, due_at,
       events.created_at
     FROM deliveries JOIN events ON events.seq = event JOIN subscriptions ON subscriptions.seq = subscription
     WHERE deliveries.event = ?`,
  )
  const eventsOf = (payment: number): StoredEvent[] => events.all(payment).sort((a, b) => a.seq - b.seq)
  return {
    /** In booking order. */
    entries: (payment: number): StoredEntry[] => entries.all(payment).sort((a, b) => a.id - b.id),
    /** In the order of their occurrence. */
    events: eventsOf,
    deliveries: (payment: number): StoredDelivery[] =>
      eventsOf(payment)
        .flatMap(({ seq }) => deliveries.all(seq))
        .sort((a, b) => a.seq - b.seq),
  }
}
