import { type EventName, eventNames } from '../../src/contract/index.ts'
import { numbersAfter, type Statements } from './database.ts'
import { lastDelivery } from './deliveries.ts'
import { digestOf, type SecretOrDigest } from './secret.ts'

/** A webhook subscription. `timeout` in seconds; times in epoch milliseconds. */
export interface Subscription {
  readonly seq: number
  readonly id: string
  readonly user: number
  readonly url: string
  readonly events: readonly EventName[]
  readonly max_attempts: number
  readonly timeout: number
  readonly headers: Readonly<Record<string, string>> | null
  readonly last_sent_at: number | null
  readonly suspended_at: number | null
  readonly suspended_reason: string | null
  readonly created_at: number
  readonly updated_at: number
  /**
   * The secret itself, which signs deliveries; null if only its hash is stored, or if the subscription has no secret.
   */
  readonly signing_secret: string | null
}

type Row = Omit<Subscription, 'events' | 'headers'> & { readonly events: string; readonly headers: string | null }

/** `secret`: null if there is none. Only its hash is stored, unless deliveries are signed. */
export type NewSubscription = Omit<
  Subscription,
  'seq' | 'last_sent_at' | 'suspended_at' | 'suspended_reason' | 'signing_secret'
> & {
  readonly secret: SecretOrDigest | null
  readonly signs: boolean
}

export interface Suspension {
  readonly reason: string
  readonly at: number
}

/** A set of events as a bit mask, so that order does not matter. */
export const maskOf = (events: readonly EventName[]): number =>
  events.reduce((mask, event) => mask | (1 << eventNames.indexOf(event)), 0)

export type Subscriptions = ReturnType<typeof subscriptionsIn>

export function subscriptionsIn(db: Statements) {
  const select = `SELECT seq, id, user, url, events, max_attempts, timeout, headers, last_sent_at, suspended_at,
    suspended_reason, created_at, updated_at, signing_secret FROM subscriptions`
  const byId = db.prepare<[string], Row>(`${select} WHERE id = ?`)
  const bySeq = db.prepare<[number], Row>(`${select} WHERE seq = ?`)
  const page = db.prepare<[number, number, number], Row>(`${select} WHERE user = ? ORDER BY seq DESC LIMIT ? OFFSET ?`)
  const pageOfAll = db.prepare<[number, number], Row>(`${select} ORDER BY seq DESC LIMIT ? OFFSET ?`)
  const all = db.prepare<[], Row & { readonly secret_hash: Buffer | null }>(
    `${select.replace(' FROM', ', secret_hash FROM')} ORDER BY seq`,
  )
  const count = db.prepare<[number], number>('SELECT count(*) FROM subscriptions WHERE user = ?').pluck()
  const countAll = db.prepare<[], number>('SELECT count(*) FROM subscriptions').pluck()
  const same = db.prepare<[number, string, number], number>(
    'SELECT 1 FROM subscriptions WHERE user = ? AND url = ? AND event_mask = ?',
  )
  const active = db.prepare<[], number>('SELECT seq FROM subscriptions WHERE suspended_at IS NULL').pluck()
  const insert = db.prepare(
    `INSERT INTO subscriptions
       (seq, id, user, url, events, event_mask, max_attempts, timeout, headers, secret_hash, created_at, updated_at,
        signing_secret)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM subscriptions').pluck()
  // payctl counts seqs itself: SQLite would reuse the seq of a deleted subscription while its deliveries may be under
  // way.
  const nextSeq = numbersAfter(() => lastSeq.get())
  const remove = db.prepare<[number]>('DELETE FROM subscriptions WHERE seq = ?')
  // Receivers identify deliveries by number, so the number of a deleted delivery must not be reused.
  const keepLastDelivery = db.prepare(
    `INSERT OR REPLACE INTO settings (name, value) VALUES ('last_delivery', (${lastDelivery}))`,
  )
  const suspend = db.prepare<[number | null, string | null, number, number]>(
    'UPDATE subscriptions SET suspended_at = ?, suspended_reason = ?, updated_at = ? WHERE seq = ?',
  )
  const sent = db.prepare<[number, number]>(
    'UPDATE subscriptions SET last_sent_at = max(coalesce(last_sent_at, 0), ?) WHERE seq = ?',
  )
  const forget = db.prepare('UPDATE subscriptions SET signing_secret = NULL WHERE signing_secret IS NOT NULL')
  return {
    get(id: string): Subscription | undefined {
      const row = byId.get(id)
      return row && subscriptionOf(row)
    },
    bySeq(seq: number): Subscription | undefined {
      const row = bySeq.get(seq)
      return row && subscriptionOf(row)
    },
    /** Newest first. */
    list: (user: number, { limit, offset }: { limit: number; offset: number }) => ({
      items: page.all(user, limit, offset).map(subscriptionOf),
      total: count.get(user) ?? 0,
    }),
    /** Subscriptions of all users, newest first. */
    listAll: ({ limit, offset }: { limit: number; offset: number }) => ({
      items: pageOfAll.all(limit, offset).map(subscriptionOf),
      total: countAll.get() ?? 0,
    }),
    /** Subscriptions of all users with their secrets or hashes, oldest first. */
    all: () => all.all().map(({ secret_hash, ...row }) => ({ ...subscriptionOf(row), secret_hash })),
    exists: (user: number, url: string, events: readonly EventName[]): boolean =>
      same.get(user, url, maskOf(events)) !== undefined,
    /** Seqs of all subscriptions that are not suspended. */
    active: (): number[] => active.all(),
    /** Returns the subscription's seq. */
    add(row: NewSubscription): number {
      const seq = nextSeq()
      insert.run(
        seq,
        row.id,
        row.user,
        row.url,
        JSON.stringify(row.events),
        maskOf(row.events),
        row.max_attempts,
        row.timeout,
        row.headers && JSON.stringify(row.headers),
        row.secret && digestOf(row.secret),
        row.created_at,
        row.updated_at,
        row.signs && typeof row.secret === 'string' ? row.secret : null,
      )
      return seq
    },
    /** Removes a subscription with its deliveries. */
    remove: (seq: number): void => {
      keepLastDelivery.run()
      remove.run(seq)
    },
    suspend: (seq: number, { reason, at }: Suspension): void => {
      suspend.run(at, reason, at, seq)
    },
    resume: (seq: number, at: number): void => {
      suspend.run(null, null, at, seq)
    },
    /** Removes the stored secrets, and keeps their hashes. */
    forgetSecrets: (): void => {
      forget.run()
    },
    /** Records the time of an attempt, unless a later attempt has been recorded already. */
    sent: (seq: number, at: number): void => {
      sent.run(at, seq)
    },
  }
}

const subscriptionOf = (row: Row): Subscription => ({
  ...row,
  events: JSON.parse(row.events),
  headers: row.headers === null ? null : JSON.parse(row.headers),
})
