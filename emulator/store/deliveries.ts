import { type DeliveryStatus, type EventName, eventNames } from '../../src/contract/index.ts'
import { numbersAfter, type Statements } from './database.ts'

/** The next attempt to deliver an event to one subscription. */
export interface Delivery {
  readonly seq: number
  /** Seq of the subscription. */
  readonly subscription: number
  readonly due_at: number
  readonly attempt: number
  /** Seq of the event's payment. */
  readonly payment: number
  readonly event: EventName
  readonly body: string
}

/**
 * Result of one attempt. `status` is the status of the receiver's answer; null: no answer. `answer` is the first KB of
 * the answer's body.
 */
export interface Attempt {
  readonly number: number
  readonly started_at: number
  readonly duration_ms: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
}

export interface DeliveryRecord {
  readonly seq: number
  readonly subscription_id: string
  readonly event: EventName
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly due_at: number | null
  readonly created_at: number
  readonly body: string
}

export interface NewEvent {
  readonly name: EventName
  readonly payment: number
  readonly body: string
  readonly at: number
}

/** A stored delivery, due at a time in epoch milliseconds. */
export interface QueuedDelivery {
  readonly seq: number
  /** Seq of the subscription. */
  readonly subscription: number
  readonly at: number
}

interface DeliveryFilter {
  readonly url: string | null | undefined
  readonly event: EventName | null | undefined
}

/** A delivery that its receiver has not accepted, with the latest error. */
interface Untaken {
  readonly seq: number
  readonly url: string
  readonly event: EventName
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly error: string | null
}

/** A delivery with the ids of its payment and subscription. */
interface DeliveryOfPayment extends Pick<DeliveryRecord, 'seq' | 'event' | 'status' | 'attempts'> {
  readonly payment: string
  readonly subscription: string
  readonly url: string
}

/** Highest seq that a delivery ever had, even if that delivery was deleted with its subscription. */
export const lastDelivery = `SELECT max(coalesce((SELECT max(seq) FROM deliveries), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'last_delivery'), 0))`

export function deliveriesIn(db: Statements) {
  const subscribers = db
    .prepare<[number, number], number>('SELECT seq FROM subscriptions WHERE user = ? AND event_mask & ? <> 0')
    .pluck()
  const insertEvent = db.prepare<[EventName, number, string, number]>(
    'INSERT INTO events (name, payment, body, created_at) VALUES (?, ?, ?, ?)',
  )
  const insert = db.prepare<[number, number, number, number]>(
    'INSERT INTO deliveries (seq, event, subscription, due_at) VALUES (?, ?, ?, ?)',
  )
  const lastSeq = db.prepare<[], number>(lastDelivery).pluck()
  // payctl counts seqs itself: SQLite would reuse the seq of a deleted delivery while an attempt at it may be under
  // way.
  const nextSeq = numbersAfter(() => lastSeq.get())
  // CROSS JOIN keeps SQLite from starting with the events: deliveries are read in the order of their index.
  const pending = `FROM deliveries CROSS JOIN events ON events.seq = event
    WHERE subscription = ? AND status = 'pending' AND payment NOT IN (SELECT value FROM json_each(?))`
  const next = db.prepare<[number, string, number], Delivery>(
    `SELECT deliveries.seq, subscription, due_at, attempts + 1 AS attempt, payment, name AS event, body ${pending}
     ORDER BY due_at, deliveries.seq LIMIT ?`,
  )
  const nextDue = db
    .prepare<[number, string], number>(`SELECT due_at ${pending} ORDER BY due_at, deliveries.seq LIMIT 1`)
    .pluck()
  const settle = db.prepare<[DeliveryStatus, number | null, number]>(
    'UPDATE deliveries SET status = ?, due_at = ?, attempts = attempts + 1 WHERE seq = ?',
  )
  const attempt = db.prepare(
    `INSERT INTO attempts (delivery, number, started_at, duration_ms, status, error, answer)
     SELECT seq, ?, ?, ?, ?, ?, ? FROM deliveries WHERE seq = ?`,
  )
  const waiting = db
    .prepare<[number], number>(`SELECT count(*) FROM deliveries WHERE subscription = ? AND status = 'pending'`)
    .pluck()
  const hasten = db.prepare<[number, number, number]>(
    `UPDATE deliveries SET due_at = ? WHERE subscription = ? AND status = 'pending' AND due_at > ?`,
  )
  const hastenOne = db.prepare<[number, number]>(
    `UPDATE deliveries SET due_at = ? WHERE seq = ? AND status = 'pending'`,
  )
  const queued = db.prepare<[number], { pending: number; due: number }>(
    `SELECT count(*) AS pending, count(*) FILTER (WHERE due_at <= ?) AS due FROM deliveries WHERE status = 'pending'`,
  )
  const again = db.prepare<[number, number]>(`UPDATE deliveries SET status = 'pending', due_at = ? WHERE seq = ?`)
  const record = `SELECT deliveries.seq, subscriptions.id AS subscription_id, name AS event, status, attempts, due_at,
      events.created_at, body
    FROM deliveries JOIN subscriptions ON subscriptions.seq = subscription JOIN events ON events.seq = event`
  const recordBySeq = db.prepare<[number], DeliveryRecord>(`${record} WHERE deliveries.seq = ?`)
  const page = db.prepare<[number, number, number], DeliveryRecord>(
    `${record} WHERE deliveries.seq < ? ORDER BY deliveries.seq DESC LIMIT ? OFFSET ?`,
  )
  const count = db.prepare<[number], number>('SELECT count(*) FROM deliveries WHERE seq < ?').pluck()
  const attemptsOf = db.prepare<[number], Attempt>(
    'SELECT number, started_at, duration_ms, status, error, answer FROM attempts WHERE delivery = ? ORDER BY number',
  )
  const allAttempts = db.prepare<[], Attempt & { readonly delivery: number }>(
    'SELECT delivery, number, started_at, duration_ms, status, error, answer FROM attempts ORDER BY delivery, number',
  )
  /** Seq of the first delivery that was added since the database was opened. */
  let first: number | undefined
  const addDelivery = (event: number, { subscription, at }: { subscription: number; at: number }): number => {
    const seq = nextSeq()
    first ??= seq
    insert.run(seq, event, subscription, at)
    return seq
  }
  const addEvent = ({ name, payment, body, at }: NewEvent): number =>
    Number(insertEvent.run(name, payment, body, at).lastInsertRowid)

  const countOf = db.prepare<[DeliveryFilter], { status: DeliveryStatus; count: number }>(
    `SELECT status, count(*) AS count FROM deliveries JOIN subscriptions ON subscriptions.seq = subscription
       JOIN events ON events.seq = event
     WHERE (@url IS NULL OR url = @url) AND (@event IS NULL OR name = @event) GROUP BY status`,
  )

  const untaken = db.prepare<[number, number], Untaken & { count: number }>(
    `SELECT deliveries.seq, url, name AS event, status, attempts, count(*) OVER () AS count,
       (SELECT error FROM attempts WHERE delivery = deliveries.seq ORDER BY number DESC LIMIT 1) AS error
     FROM deliveries JOIN subscriptions ON subscriptions.seq = subscription JOIN events ON events.seq = event
     WHERE deliveries.seq >= ? AND (status = 'exhausted' OR (status = 'pending' AND attempts > 0))
       AND NOT EXISTS (SELECT 1 FROM attempts WHERE delivery = deliveries.seq AND error IS NULL)
     ORDER BY deliveries.seq LIMIT ?`,
  )

  const since = db.prepare<[number], DeliveryOfPayment>(
    `SELECT deliveries.seq, name AS event, payments.id AS payment, subscriptions.id AS subscription, url,
       deliveries.status, attempts
     FROM deliveries JOIN events ON events.seq = event JOIN payments ON payments.seq = events.payment
       JOIN subscriptions ON subscriptions.seq = subscription
     WHERE deliveries.seq >= ? ORDER BY deliveries.seq`,
  )

  return {
    /** The seqs of a user's subscriptions to an event, including suspended subscriptions, oldest first. */
    subscribers: (user: number, event: EventName): number[] =>
      // The index orders subscriptions by URL, and the ports in URLs differ from run to run.
      subscribers.all(user, 1 << eventNames.indexOf(event)).sort((one, other) => one - other),
    /** Stores an event, and for each subscription a delivery that is due immediately. */
    add(event: NewEvent, subscriptions: readonly number[]): QueuedDelivery[] {
      const { at } = event
      const seq = addEvent(event)
      return subscriptions.map((subscription) => ({ seq: addDelivery(seq, { subscription, at }), subscription, at }))
    },
    addEvent,
    /** Stores one delivery of an event, due at a time; returns its seq. */
    addDelivery,
    /** Makes a delivery due now if it is still waiting. */
    hastenOne: (seq: number, now: number): void => {
      hastenOne.run(now, seq)
    },
    /** The next deliveries of a subscription, longest overdue first; `without`: seqs of payments to skip. */
    next: (subscription: number, { limit, without }: { readonly limit: number; readonly without: Iterable<number> }) =>
      next.all(subscription, JSON.stringify([...without]), limit),
    /** Due time of a subscription's next delivery; `without`: seqs of payments to skip. */
    nextDue: (subscription: number, without: Iterable<number> = []): number | null =>
      nextDue.get(subscription, JSON.stringify([...without])) ?? null,
    record(seq: number, { number, started_at, duration_ms, status, error, answer }: Attempt): void {
      attempt.run(number, started_at, duration_ms, status, error, answer, seq)
    },
    delivered: (seq: number): void => {
      settle.run('delivered', null, seq)
    },
    exhausted: (seq: number): void => {
      settle.run('exhausted', null, seq)
    },
    retryAt: (seq: number, at: number): void => {
      settle.run('pending', at, seq)
    },
    waiting: (subscription: number): number => waiting.get(subscription) ?? 0,
    /** Number of pending deliveries, and number of those that are due. */
    queued: (now: number): { pending: number; due: number } => queued.get(now) ?? { pending: 0, due: 0 },
    /** Makes all pending deliveries of a subscription due now. */
    hasten: (subscription: number, now: number): void => {
      hasten.run(now, subscription, now)
    },
    sendAgain: (seq: number, now: number): void => {
      again.run(now, seq)
    },
    /** Number of deliveries in each status, filtered by URL and event if given. */
    countOf({ url = null, event = null }: Partial<DeliveryFilter>): Record<DeliveryStatus, number> {
      const counts = countOf.all({ url, event }).map(({ status, count }) => [status, count] as const)
      return { pending: 0, delivered: 0, exhausted: 0, ...Object.fromEntries(counts) }
    },
    /**
     * Deliveries created since the database was opened that were attempted and not accepted: their number, and the
     * first `limit` of them.
     */
    untaken(limit: number): { count: number; first: Untaken[] } {
      const rows = first === undefined ? [] : untaken.all(first, limit)
      return { count: rows[0]?.count ?? 0, first: rows.map(({ count, ...delivery }) => delivery) }
    },
    /** Deliveries made since the database was opened, in order. */
    madeHere: (): DeliveryOfPayment[] => (first === undefined ? [] : since.all(first)),
    get: (seq: number): DeliveryRecord | undefined => recordBySeq.get(seq),
    attempts: (seq: number): Attempt[] => attemptsOf.all(seq),
    /** The attempts at all deliveries, by seq of the delivery. */
    allAttempts: () => Map.groupBy(allAttempts.all(), ({ delivery }) => delivery),
    /** Deliveries before a seq, or all deliveries, newest first. */
    list: ({ limit, offset }: { limit: number; offset: number }, before: number | null) => ({
      items: page.all(before ?? Number.MAX_SAFE_INTEGER, limit, offset),
      total: count.get(before ?? Number.MAX_SAFE_INTEGER) ?? 0,
    }),
  }
}
