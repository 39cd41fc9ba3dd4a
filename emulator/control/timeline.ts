import { type Money, money, type PaymentStatus, type TimelineEntry } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { ControlHandlers } from '../http/context.ts'
import { type ClockMove, type LoggedRequest, requestId } from '../observation/request_log.ts'
import type { StoredEntry } from '../store/queries.ts'
import { webhookId } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'
import { requestIn } from './requests.ts'

/**
 * Something that happened, at a time in epoch milliseconds. The rank orders equal times: a step of a payment is one
 * transaction, and on a stopped clock all steps have the same time.
 */
interface Happening {
  readonly time: number
  readonly rank: number
  readonly kind: TimelineEntry['kind']
  readonly what: string
  readonly id?: string
  readonly status?: string | null
  readonly amount?: Money
  /** Real time. */
  readonly duration_ms?: number
}

const ranks = {
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

export const timelineHandlers = {
  /** Lists everything that happened to a payment, or because of a request. */
  'control.timeline'({ params }, { world }) {
    const id = params.id.toLowerCase()
    const payment = id.startsWith('r') ? paymentOf(requestIn(world, id), world) : world.store.payments.get(id)
    if (payment) return inOrder(storyOf(payment, world))
    if (id.startsWith('r')) return inOrder([asked(requestIn(world, id), 'request')])
    throw new Refusal(404, { message: 'Payment not found' })
  },
} satisfies Partial<ControlHandlers>

const paymentOf = ({ payment }: LoggedRequest, { store }: World): Payment | undefined =>
  payment === null ? undefined : store.payments.get(payment)

const inOrder = (all: readonly Happening[]): TimelineEntry[] =>
  all
    .toSorted((a, b) => a.time - b.time || a.rank - b.rank)
    .map(({ time, kind, what, id = null, status = null, amount = null, duration_ms = null }) => ({
      at: preciseTimestamp(time),
      kind,
      id,
      what,
      status,
      amount,
      duration_ms,
    }))

function storyOf(payment: Payment, world: World): Happening[] {
  const requests = requestsAbout(payment, world).map((request) =>
    asked(request, request.payment && !request.replayed ? 'request' : 'otherRequest'),
  )
  const happened = [...requests, ...stepsOf(payment, world), ...deliveriesOf(payment, world)]
  const times = happened.map(({ time }) => time)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const moves = world.requests.moves.filter(({ from, to }) => to >= first && from <= last)
  return [...happened, ...moves.map(moved)]
}

/** Requests that made a payment, repeated its key or read it, oldest first; those that the log still has. */
export const requestsAbout = ({ id }: Payment, { requests }: World): LoggedRequest[] =>
  requests.list({ matches: ({ payment, path }) => payment === id || path.toLowerCase().endsWith(`/${id}`) })

function asked(request: LoggedRequest, rank: 'request' | 'otherRequest'): Happening {
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
    id: requestId(number),
    what,
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

/** The payment's statuses, and the ledger entries and events of each. */
function stepsOf(payment: Payment, { store }: World): Happening[] {
  const amount = money(payment.amount, payment.currency)
  const entries = store.story.entries(payment.seq)
  const steps = statusesOf(payment, entries).map(
    ({ status, at, rank }): Happening => ({
      time: at,
      rank: ranks[rank],
      kind: 'status',
      what: `the payment is ${status}`,
      status,
      amount,
    }),
  )
  return [
    ...steps,
    ...entries.map(booked),
    ...store.story.events(payment.seq).map(
      ({ seq, name, created_at: time }): Happening => ({
        time,
        rank: ranks[name],
        kind: 'event',
        id: String(seq),
        what: `event ${name}`,
      }),
    ),
  ]
}

const booked = ({ movement, owner, purpose, amount, currency, created_at: time }: StoredEntry): Happening => ({
  time,
  rank: ranks[movement],
  kind: 'entry',
  what: `${movement}: ${purpose} of ${owner}`,
  amount: money(amount, currency),
})

/** Attempts at each delivery, and deliveries without an attempt. */
function deliveriesOf(payment: Payment, { store, settings }: World): Happening[] {
  const series = settings.get('series')
  return store.story.deliveries(payment.seq).flatMap(({ seq, event, url, due_at }): Happening[] => {
    const one = { rank: ranks.delivery, kind: 'delivery', id: webhookId(series, seq) } as const
    const attempts = store.deliveries.attempts(seq).map(
      ({ number, started_at, status, error, duration_ms }): Happening => ({
        ...one,
        time: started_at,
        what: `${event}, attempt ${number}: ${error ?? 'delivered'} (${url})`,
        duration_ms,
        status: status === null ? null : String(status),
      }),
    )
    if (due_at === null) return attempts
    const next = {
      ...one,
      time: due_at,
      what: `${event}, attempt ${attempts.length + 1} is due (${url})`,
      status: null,
    }
    return [...attempts, next]
  })
}

const moved = ({ from, to }: ClockMove): Happening => ({
  time: from,
  rank: ranks.clock,
  kind: 'clock',
  what: `the clock was moved to ${preciseTimestamp(to)}`,
})
