import {
  type Currency,
  type DeliveryStatus,
  type EventName,
  mostIds,
  type PaymentStatus,
} from '../../src/contract/index.ts'
import type { Movement } from '../domain/payment.ts'
import type { Statements } from './database.ts'
import type { Purpose } from './ledger.ts'

/** A payment or a credit. `amount` is in minor units, `created_at` in milliseconds of Unix time. */
export interface MoneyId {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly created_at: number
}

/** Searches for ids by a part that contains only hexadecimal digits and dashes. */
export function idsIn(db: Statements) {
  const newest = db.prepare<[], MoneyId>(
    'SELECT id, amount, currency, status, created_at FROM payments ORDER BY seq DESC LIMIT 1',
  )
  const payments = db.prepare<[string], MoneyId>(
    `SELECT id, amount, currency, status, created_at FROM payments WHERE id LIKE ? ORDER BY id DESC LIMIT ${mostIds}`,
  )
  const credit = `SELECT scheduled_credits.id, amount, currency, scheduled_credits.status, scheduled_credits.created_at
     FROM scheduled_credits JOIN accounts ON accounts.seq = account`
  const creditById = db.prepare<[string], MoneyId>(`${credit} WHERE scheduled_credits.id = ?`)
  const creditByReference = db.prepare<[string], MoneyId>(`${credit} WHERE sinpe_reference = ?`)
  const credits = db.prepare<[string], MoneyId>(
    `${credit} WHERE scheduled_credits.id LIKE ? ORDER BY scheduled_credits.id DESC LIMIT ${mostIds}`,
  )
  const accounts = db.prepare<
    [string, string],
    { readonly id: string; readonly iban: string; readonly currency: string }
  >(`SELECT id, iban, currency FROM accounts WHERE id LIKE ? OR iban LIKE ? ORDER BY seq LIMIT ${mostIds}`)
  const subscriptions = db.prepare<[string], { readonly id: string; readonly url: string }>(
    `SELECT id, url FROM subscriptions WHERE id LIKE ? ORDER BY seq LIMIT ${mostIds}`,
  )
  const users = db.prepare<[string], { readonly id: string; readonly name: string }>(
    `SELECT id, name FROM users WHERE id LIKE ? ORDER BY seq LIMIT ${mostIds}`,
  )
  return {
    newestPayment: () => newest.get(),
    payments: (part: string) => payments.all(`%${part}%`),
    scheduledCredit: (id: string) => creditById.get(id),
    scheduledCreditWith: (sinpeReference: string) => creditByReference.get(sinpeReference),
    scheduledCredits: (part: string) => credits.all(`%${part}%`),
    /** Finds accounts by part of the id, or by the end of the IBAN. */
    accounts: (part: string) => accounts.all(`%${part}%`, `%${part}`),
    subscriptions: (part: string) => subscriptions.all(`%${part}%`),
    users: (part: string) => users.all(`%${part}%`),
  }
}

export interface StoredEntry {
  readonly id: number
  readonly movement: Movement
  readonly owner: string
  readonly purpose: Purpose
  readonly currency: Currency
  readonly amount: number
  readonly created_at: number
}

export interface StoredEvent {
  readonly seq: number
  readonly name: EventName
  readonly created_at: number
}

export interface StoredDelivery {
  readonly seq: number
  readonly event: EventName
  readonly subscription_id: string
  readonly url: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly due_at: number | null
  readonly created_at: number
}

interface OfPayment {
  /** Seq of the payment. */
  readonly payment: number
}

/** An entry that funds an account. */
type Funding = Omit<StoredEntry, 'movement'> & { readonly movement: 'funding' }

/**
 * Rows of other tables that belong to payments: ledger entries, events and deliveries. Events have no index by payment:
 * an index would slow down every payment.
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
  const allEntries = db.prepare<[], StoredEntry & OfPayment>(
    `SELECT payment_seq AS payment, ledger_entries.id, movement, owner, purpose, currency, amount, created_at
     FROM ledger_entries JOIN ledger_accounts ON ledger_accounts.id = ledger_account
     WHERE payment_seq IS NOT NULL ORDER BY ledger_entries.id`,
  )
  const fundings = db.prepare<[], Funding>(
    `SELECT ledger_entries.id, movement, owner, purpose, currency, amount, created_at
     FROM ledger_entries JOIN ledger_accounts ON ledger_accounts.id = ledger_account
     WHERE payment_seq IS NULL ORDER BY ledger_entries.id`,
  )
  const allEvents = db.prepare<[], StoredEvent & OfPayment>(
    'SELECT payment, seq, name, created_at FROM events ORDER BY seq',
  )
  const allDeliveries = db.prepare<[], StoredDelivery & OfPayment>(
    `SELECT payment, deliveries.seq, name AS event, subscriptions.id AS subscription_id, url, status, attempts, due_at,
       events.created_at
     FROM deliveries JOIN events ON events.seq = event JOIN subscriptions ON subscriptions.seq = subscription
     ORDER BY deliveries.seq`,
  )
  const eventsOf = (payment: number): StoredEvent[] => events.all(payment).sort((a, b) => a.seq - b.seq)
  return {
    /** Ledger entries of a payment, in booking order. */
    entries: (payment: number): StoredEntry[] => entries.all(payment).sort((a, b) => a.id - b.id),
    /** Events of a payment, in the order in which they happened. */
    events: eventsOf,
    deliveries: (payment: number): StoredDelivery[] =>
      eventsOf(payment)
        .flatMap(({ seq }) => deliveries.all(seq))
        .sort((a, b) => a.seq - b.seq),
    /** The rows of all payments, by payment, in the order in which they were added. */
    all: () => ({
      entries: Map.groupBy(allEntries.all(), ({ payment }) => payment),
      events: Map.groupBy(allEvents.all(), ({ payment }) => payment),
      deliveries: Map.groupBy(allDeliveries.all(), ({ payment }) => payment),
    }),
    /** Ledger entries without a payment, in booking order. */
    fundings: (): Funding[] => fundings.all(),
  }
}

type Counts<Name extends string> = Partial<Record<Name, number>>

/** Row counts, for the state of the world. */
export function countsIn(db: Statements) {
  const total = (table: string) => {
    const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck()
    return (): number => count.get() ?? 0
  }
  const byStatus = <Name extends string>(table: string) => {
    const rows = db.prepare<[], { status: Name; count: number }>(
      `SELECT status, count(*) AS count FROM ${table} GROUP BY status`,
    )
    return (): Counts<Name> =>
      Object.fromEntries(rows.all().map(({ status, count }) => [status, count])) as Counts<Name>
  }
  return {
    users: total('users'),
    accounts: total('accounts'),
    subscriptions: total('subscriptions'),
    suspended: total('subscriptions WHERE suspended_at IS NOT NULL'),
    payments: byStatus<PaymentStatus>('payments'),
    deliveries: byStatus<DeliveryStatus>('deliveries'),
  }
}
