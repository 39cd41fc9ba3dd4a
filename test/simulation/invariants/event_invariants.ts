import { broken } from '../broken.ts'
import type { Delivery } from '../service/deliveries.ts'
import type { Received } from '../service/receivers.ts'

// These rules check that receivers receive exactly the right deliveries.

interface Facts {
  readonly sent: readonly Delivery[]
  readonly received: readonly Received[]
  /** Ids of payments of all worlds, and of ended worlds. */
  readonly payments: ReadonlySet<string>
  readonly gone: ReadonlySet<string>
  /** Runs a query on the service's database file, and returns the rows. */
  readonly sql: <Row>(sql: string) => Row[]
}

export function checkEvents(facts: Facts): void {
  checkBodies(facts)
  checkTheirPayments(facts)
  checkOrder(facts)
  checkNoneIsMissing(facts)
}

/** Checks that the attempts at a delivery have equal bodies. Each world numbers its deliveries separately. */
function checkBodies({ received, gone }: Facts): void {
  const bodies = new Map<string, string>()
  for (const { receiver, id, body, payment } of received) {
    if (gone.has(payment)) continue
    const before = bodies.get(`${receiver} ${id}`)
    if (before !== undefined && before !== body) broken('events', `delivery ${id} came with another body`)
    bodies.set(`${receiver} ${id}`, body)
  }
}

/** Checks that each delivery's payment exists, even after failed commits and interruptions. */
function checkTheirPayments({ received, payments }: Facts): void {
  const stray = received.find(({ payment }) => !payments.has(payment))
  if (stray) broken('events', `${stray.event} came of payment ${stray.payment}, which is not there`)
}

/**
 * Checks that first attempts at the events of one payment are sent in order; they may overtake each other on the way.
 */
function checkOrder({ sent }: Facts): void {
  const ranks = ['payment.created', 'payment.processing', 'payment.completed', 'payment.failed']
  const last = new Map<string, number>()
  const seen = new Set<string>()
  for (const { url, id, event, payment, attempt } of sent) {
    if (attempt > 1 || seen.has(`${id} ${payment}`)) continue
    seen.add(`${id} ${payment}`)
    const of = `${url} ${payment}`
    const rank = ranks.indexOf(event)
    if (rank < 0) continue
    if (rank < (last.get(of) ?? 0)) broken('events', `${event} of ${payment} left after a later event`)
    last.set(of, Math.max(rank, last.get(of) ?? 0))
  }
}

function checkNoneIsMissing({ received, sql }: Facts): void {
  const subscriptions = sql<{ url: string; user: string; created_at: number }>(
    `SELECT url, u.id AS user, s.created_at FROM subscriptions s JOIN users u ON u.seq = s.user
     WHERE url LIKE '%/events'`,
  )
  const ended = sql<{
    id: string
    owner: string
    status: string
    completed_at: number | null
    submitted_at: number
  }>(
    `SELECT p.id, u.id AS owner, status, completed_at, submitted_at FROM payments p JOIN users u ON u.seq = p.user
     WHERE transfer_type = 'debit'`,
  )
  // Deliveries that the service gave up, because their subscription allows no more attempts.
  const exhausted = new Set(
    sql<{ url: string; event: string; payment: string }>(
      `SELECT url, e.name AS event, p.id AS payment FROM deliveries d JOIN events e ON e.seq = d.event
       JOIN subscriptions s ON s.seq = d.subscription JOIN payments p ON p.seq = e.payment
       WHERE d.status = 'exhausted' AND d.attempts >= s.max_attempts`,
    ).map(({ url, event, payment }) => `${url} ${event} ${payment}`),
  )
  for (const { url, user, created_at } of subscriptions) {
    const receiver = Number(new URL(url).port) - 5000
    const taken = received.filter((one) => one.receiver === receiver && one.taken)
    const has = new Set(taken.map(({ event, payment }) => `${event} ${payment}`))
    for (const { id, owner, status, completed_at, submitted_at } of ended) {
      if (owner !== user) continue
      const due = [
        ...(submitted_at > created_at ? ['payment.processing'] : []),
        ...(status === 'completed' && Number(completed_at) > created_at ? ['payment.completed'] : []),
        ...(status === 'failed' && submitted_at > created_at ? ['payment.failed'] : []),
      ]
      const missing = due.find((event) => !has.has(`${event} ${id}`) && !exhausted.has(`${url} ${event} ${id}`))
      if (missing) broken('events', `receiver ${receiver} was never told ${missing} of ${id}`)
    }
  }
}
