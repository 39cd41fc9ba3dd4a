import { type Money, money, type PaymentStatus, type TimelineEntry } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { Attempt } from '../store/deliveries.ts'
import type { StoredDelivery, StoredEntry, StoredEvent } from '../store/queries.ts'
import { webhookId } from '../webhooks/send.ts'
import { type ClockMove, type LoggedRequest, requestId } from './request_log.ts'

/**
 * An event, at a time in epoch milliseconds. The rank orders events with equal times: a step of a payment is one
 * transaction, and while a clock stands still all steps have the same time.
 */
export interface Happening {
  readonly time: number
  readonly rank: number
  readonly kind: TimelineEntry['kind']
  readonly what: string
  /** Facts in the description, by name. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
  /** Name of the event among the events of a request or payment: comparisons pair events with the same name. */
  readonly cause: string
  readonly id?: string
  readonly status?: string | null
  readonly amount?: Money
  /** Real time. */
  readonly duration_ms?: number
}

export const ranks = {
  request: 0,
  created: 1,
  hold: 2,
  'payment.created': 3,
  submitted: 4,
  'payment.processing': 5,
  ended: 6,
  capture: 7,
  release: 7,
  credit: 7,
  'payment.completed': 8,
  'payment.failed': 8,
  'transaction.received': 8,
  delivery: 9,
  otherRequest: 10,
  clock: 11,
} as const

/** A request as an event. `rank` is 'request' if the request made the payment. */
export function asked(request: LoggedRequest, rank: 'request' | 'otherRequest'): Happening {
  const {
    number,
    at,
    durationMs: duration_ms,
    method,
    path,
    status,
    answered,
    replayed,
    refusal,
    breaches,
    fault,
  } = request
  const remarks = [
    !answered && (status === null ? 'there was no answer' : 'the answer was lost'),
    fault?.fault && `fault ${fault.fault}`,
    replayed && 'its key was known',
    refusal?.message,
    ...breaches.map(({ what }) => what),
  ].filter(Boolean)
  const what = `${method} ${path}${remarks.length > 0 ? `: ${remarks.join('; ')}` : ''}`
  return {
    time: at,
    rank: ranks[rank],
    kind: 'request',
    cause: `${method} ${path}`,
    id: requestId(number),
    what,
    details: {
      method,
      path,
      answered,
      replayed,
      fault: fault?.fault ?? null,
      message: refusal?.message ?? null,
      breach: breaches[0]?.kind ?? null,
    },
    status: status === null ? null : String(status),
    duration_ms,
  }
}

/** The statuses that a payment has had, oldest first, with their times in epoch milliseconds. */
export function statusesOf(payment: Payment, entries: readonly StoredEntry[]) {
  const { status, initial_status, created_at, submitted_at, completed_at } = payment
  const statuses: { status: PaymentStatus; at: number; rank: 'created' | 'submitted' | 'ended' }[] = []
  statuses.push({ status: initial_status, at: created_at, rank: 'created' })
  if (initial_status === 'pending' && submitted_at !== null) {
    statuses.push({ status: 'processing', at: submitted_at, rank: 'submitted' })
  }
  const endedAt = completed_at ?? entries.find(({ movement }) => movement === 'release')?.created_at
  const isOver = status !== initial_status && status !== 'processing'
  if (isOver && endedAt !== undefined) statuses.push({ status, at: endedAt, rank: 'ended' })
  return statuses
}

/** Rows of other tables that belong to one payment. */
interface StoredStory {
  readonly entries: readonly StoredEntry[]
  readonly events: readonly StoredEvent[]
  readonly deliveries: readonly (StoredDelivery & { readonly history: readonly Attempt[] })[]
}

/**
 * The payment's statuses, and the ledger entries, events and deliveries that belong to each status. `series`: series of
 * the delivery ids.
 */
export function happeningsOf(payment: Payment, story: StoredStory, series: number): Happening[] {
  const amount = money(payment.amount, payment.currency)
  const steps = statusesOf(payment, story.entries).map(
    ({ status, at, rank }): Happening => ({
      time: at,
      rank: ranks[rank],
      kind: 'status',
      cause: rank,
      what: `the payment is ${status}`,
      status,
      amount,
    }),
  )
  return [
    ...steps,
    ...story.entries.map(booked),
    ...story.events.map(
      ({ seq, name, created_at: time }): Happening => ({
        time,
        rank: ranks[name],
        kind: 'event',
        cause: name,
        id: String(seq),
        what: `event ${name}`,
        details: { event: name },
      }),
    ),
    ...story.deliveries.flatMap((delivery) => attemptsAt(delivery, series)),
  ]
}

/** A ledger entry as an event; an entry without a payment funds an account. */
export const booked = (
  entry: Omit<StoredEntry, 'movement'> & { readonly movement: StoredEntry['movement'] | 'funding' },
): Happening => {
  const { movement, owner, purpose, amount, currency, created_at: time } = entry
  return {
    time,
    rank: movement === 'funding' ? ranks.created : ranks[movement],
    kind: 'entry',
    cause: `${movement} ${purpose}`,
    what: `${movement}: ${purpose} of ${owner}`,
    details: { movement, purpose, owner },
    amount: money(amount, currency),
  }
}

/** Attempts at a delivery, and the next attempt if one is planned. */
function attemptsAt(
  { seq, event, url, due_at, history }: StoredStory['deliveries'][number],
  series: number,
): Happening[] {
  const attempt = (number: number) =>
    ({
      rank: ranks.delivery,
      kind: 'delivery',
      cause: `${event} to ${url}, attempt ${number}`,
      id: webhookId(series, seq),
    }) as const
  const attempts = history.map(
    ({ number, started_at, status, error, duration_ms }): Happening => ({
      ...attempt(number),
      time: started_at,
      what: `${event}, attempt ${number}: ${error ?? 'delivered'} (${url})`,
      details: { event, url, attempt: number, error, due: false },
      duration_ms,
      status: status === null ? null : String(status),
    }),
  )
  if (due_at === null) return attempts
  const number = attempts.length + 1
  const next: Happening = {
    ...attempt(number),
    time: due_at,
    what: `${event}, attempt ${number} is due (${url})`,
    details: { event, url, attempt: number, error: null, due: true },
    status: null,
  }
  return [...attempts, next]
}

export const moved = ({ from, to }: ClockMove): Happening => ({
  time: from,
  rank: ranks.clock,
  kind: 'clock',
  cause: 'clock',
  what: `the clock was moved to ${preciseTimestamp(to)}`,
})

/** An event in the form of the control endpoints. */
export const shownHappening = (happening: Happening): TimelineEntry => {
  const { time, kind, what, id = null, status = null, amount = null, duration_ms = null } = happening
  return { at: preciseTimestamp(time), kind, id, what, status, amount, duration_ms }
}
