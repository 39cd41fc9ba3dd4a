import { Broken } from './broken.ts'
import { CallerBooks, type Circumstances } from './caller_books.ts'
import type { Action, Callers, End } from './callers.ts'
import { Conduct } from './conduct.ts'
import { Journals, Queries } from './journals.ts'
import { LimitsInForce } from './limits_books.ts'
import type { Process } from './machine.ts'
import { descriptionOf, places, profiles, scopeOf } from './places.ts'
import type { Receivers } from './receivers.ts'
import type { NetworkFault, Script } from './script.ts'
import type { Exchange, Service, ServiceAnswer } from './service.ts'
import { unseen } from './statements.ts'
import type { PaymentRow } from './told_books.ts'

// What must be true, seen from outside: SQL over the service's file, what callers sent, have and were told, what receivers got.

const broken = (invariant: string, message: string): never => {
  throw new Broken(invariant, message)
}

/** Statuses of a payment that moved no money in the end. */
const failed = new Set(['failed', 'timeout', 'service_unavailable', 'validation_failed', 'system_error'])

interface BooksOptions {
  readonly script: Script
  readonly service: Service
  readonly callers: Callers
  readonly receivers: Receivers
}

/** What is known of a run from outside, and whether it fits together. */
export class Books {
  readonly #options: BooksOptions
  readonly #journals: Journals
  readonly #conduct: Conduct
  readonly #limits = new LimitsInForce()
  readonly #callers: CallerBooks
  /** How often an order is asked for: in one batch, or in several. */
  readonly #times = new Map<string, number>()
  /** Ids of payments that the service has acknowledged, and of subscriptions. */
  readonly #acknowledged = new Set<string>()
  readonly #subscribed = new Set<string>()
  readonly #queries = new Queries()

  constructor(options: BooksOptions) {
    this.#options = options
    const { callers, script } = options
    this.#journals = new Journals(callers.folderOf)
    this.#conduct = new Conduct(callers, this.#journals, (phone) => {
      if (!options.service.running) return null
      const [holder] = this.#sql<{ name: string }>('SELECT name FROM registry WHERE address = ?', phone)
      return holder?.name
    })
    this.#callers = new CallerBooks(this.#journals, this.#conduct, this.#limits)
    for (const place of profiles) if (place.limits) this.#limits.allow(place, place.limits)
    const batches = script.operations.filter((operation) => operation.do === 'batch')
    for (const ofScope of Map.groupBy(batches, scopeOf).values()) {
      const most = new Map<string, number>()
      for (const { rows } of ofScope) {
        for (const [description, { length }] of Map.groupBy(rows, descriptionOf)) {
          most.set(description, Math.max(most.get(description) ?? 0, length))
        }
      }
      for (const [description, times] of most) this.#times.set(description, (this.#times.get(description) ?? 0) + times)
    }
  }

  close(): void {
    unseen(() => this.#journals.close())
  }

  /** Hears a request before it leaves a caller. */
  leaves(action: Action, process: Process, bytes: Buffer): void {
    this.#conduct.leaves(action, process, bytes)
  }

  /** Hears that a gateway has answered a caller's request itself. */
  turnedAway(process: Process, bytes: Buffer, fault: NetworkFault): void {
    this.#conduct.turnedAway(process, bytes, fault)
  }

  /** Hears that somebody has ended. */
  ended(end: End): void {
    unseen(() => this.#callers.ended(end))
  }

  /** Hears that somebody has begun, with what is allowed from now on. */
  begins(action: Action): void {
    this.#conduct.begins(action)
    this.#callers.begins(action)
    if (action.do === 'change limits') this.#limits.allow(places[action.caller], action.limits)
    if (action.faults?.some(({ fault }) => fault === 'clock moved')) this.#limits.doubt(places[action.caller])
  }

  /** Hears that another is about to hold a phone. */
  renames(phone: string): void {
    this.#conduct.renames(phone)
  }

  /** Hears that the power of the callers' machine goes. */
  powerCut(): void {
    this.#callers.forget()
  }

  /** Hears a request that the service handles. */
  asked(exchange: Exchange): void {
    if (exchange.method === 'DELETE') this.#subscribed.clear() // one of them may be gone, acknowledged or not
    this.#conduct.asked(exchange)
  }

  /** Hears an answer that leaves the service. */
  answered(exchange: Exchange, answer: ServiceAnswer): void {
    this.#conduct.answered(exchange, answer)
    const { method, url } = exchange
    const { status, body } = answer
    if (method !== 'POST' || status >= 300) return
    if (url === '/api/payments') this.#acknowledged.add(JSON.parse(body).data.id)
    if (url === '/api/webhooks/subscriptions') this.#subscribed.add(JSON.parse(body).data.id)
  }

  /** Must be true at every moment at which the service is there. Throws Broken. */
  check(): void {
    unseen(() => {
      this.#checkLedger()
      const payments = this.#payments()
      this.#checkOrders(payments)
      this.#checkAcknowledged(payments)
      this.#callers.check(payments)
    })
  }

  /** What a caller was told is true. */
  checkTold(end: End, circumstances: Circumstances): void {
    unseen(() => this.#callers.checkTold(end, circumstances, this.#payments()))
  }

  /** Grows with every change of the payments. */
  version(): string {
    return unseen(
      () => this.#sql('SELECT count(*) AS n, max(seq) AS seq, group_concat(status) AS s FROM payments')[0],
    ) as unknown as string
  }

  /** Once nothing more goes wrong and everything has been resumed. */
  checkEnd(): void {
    this.check()
    unseen(() => {
      this.#callers.checkEnd(this.#payments())
      this.#checkEvents()
    })
  }

  /** Rows of the service's file. */
  #sql<Row>(sql: string, ...bounds: readonly string[]): Row[] {
    return this.#queries.all<Row>(this.#options.service.world.database.connection, sql, ...bounds)
  }

  #checkLedger(): void {
    const [movement] = this.#sql<{ payment_seq: number; movement: string; sum: number }>(
      'SELECT payment_seq, movement, sum(amount) AS sum FROM ledger_entries GROUP BY payment_seq, movement HAVING sum <> 0',
    )
    if (movement) broken('ledger', `${movement.movement} of payment ${movement.payment_seq} sums to ${movement.sum}`)
    const [account] = this.#sql<{ owner: string; purpose: string; balance: number; sum: number }>(
      `SELECT owner, purpose, balance, coalesce((SELECT sum(amount) FROM ledger_entries WHERE ledger_account = a.id), 0) AS sum
       FROM ledger_accounts a WHERE balance <> sum`,
    )
    if (account)
      broken('ledger', `${account.purpose} of ${account.owner} is ${account.balance}, its entries ${account.sum}`)
    const [negative] = this.#sql<{ owner: string; purpose: string; balance: number }>(
      "SELECT owner, purpose, balance FROM ledger_accounts WHERE balance < 0 AND purpose IN ('available', 'held')",
    )
    if (negative) broken('ledger', `${negative.purpose} of ${negative.owner} is ${negative.balance}`)
    const [held] = this.#sql<{ owner: string; balance: number; due: number }>(
      `SELECT owner, balance, (SELECT coalesce(sum(amount + fee), 0) FROM payments p JOIN accounts c ON c.seq = p.account
         WHERE c.id = owner AND p.transfer_type = 'debit' AND p.status IN ('pending', 'processing')) AS due
       FROM ledger_accounts WHERE purpose = 'held' AND balance <> due`,
    )
    if (held) broken('ledger', `${held.owner} holds ${held.balance}, and ${held.due} are on their way`)
  }

  #payments(): PaymentRow[] {
    return this.#sql<PaymentRow>(
      `SELECT p.id, p.seq, u.id AS owner, idempotency_key, transfer_type, description, amount,
         payee_phone, p.status
       FROM payments p JOIN users u ON u.seq = p.user ORDER BY p.seq`,
    )
  }

  /** However often it was retried, resumed or cut off, an order is paid as often as it was asked for. */
  #checkOrders(payments: readonly PaymentRow[]): void {
    const paid = new Map<string, number>()
    for (const { id, description, status, transfer_type } of payments) {
      if (transfer_type !== 'debit' || !description?.startsWith('Order ') || failed.has(status)) continue
      const times = (paid.get(description) ?? 0) + 1
      const due = this.#times.get(description) ?? 1
      if (times > due) broken('paid once', `${description} is paid ${times} times, and asked for ${due}: ${id}`)
      paid.set(description, times)
    }
  }

  #checkAcknowledged(payments: readonly PaymentRow[]): void {
    const there = new Set(payments.map(({ id }) => id))
    const lost = [...this.#acknowledged].find((id) => !there.has(id))
    if (lost) broken('acknowledged is kept', `payment ${lost} was acknowledged and is gone`)
    const subscriptions = new Set(this.#sql<{ id: string }>('SELECT id FROM subscriptions').map(({ id }) => id))
    const gone = [...this.#subscribed].find((id) => !subscriptions.has(id))
    if (gone) broken('acknowledged is kept', `subscription ${gone} was acknowledged and is gone`)
  }

  /** Receivers have what they must have. */
  #checkEvents(): void {
    const { received } = this.#options.receivers
    const bodies = new Map<string, string>()
    for (const { receiver, id, body } of received) {
      const before = bodies.get(`${receiver} ${id}`)
      if (before !== undefined && before !== body) broken('events', `delivery ${id} came with another body`)
      bodies.set(`${receiver} ${id}`, body)
    }
    this.#checkTheirPayments()
    this.#checkOrderOfEvents()
    this.#checkNoneIsMissing()
  }

  /** What a receiver was told of is there, also after what could not be committed or was cut off. */
  #checkTheirPayments(): void {
    const there = new Set(this.#payments().map(({ id }) => id))
    const stray = this.#options.receivers.received.find(({ payment }) => !there.has(payment))
    if (stray) broken('events', `${stray.event} came of payment ${stray.payment}, which is not there`)
  }

  /** The first attempts at the events of one payment leave in its order: on the way one may overtake another. */
  #checkOrderOfEvents(): void {
    const ranks = ['payment.created', 'payment.processing', 'payment.completed', 'payment.failed']
    const last = new Map<string, number>()
    const seen = new Set<string>()
    for (const { url, id, event, payment, attempt } of this.#options.receivers.sent) {
      if (attempt > 1 || seen.has(id)) continue
      seen.add(id)
      const of = `${url} ${payment}`
      const rank = ranks.indexOf(event)
      if (rank < 0) continue
      if (rank < (last.get(of) ?? 0)) broken('events', `${event} of ${payment} left after a later event`)
      last.set(of, Math.max(rank, last.get(of) ?? 0))
    }
  }

  #checkNoneIsMissing(): void {
    const { received } = this.#options.receivers
    const subscriptions = this.#sql<{ url: string; user: string; created_at: number }>(
      'SELECT url, u.id AS user, s.created_at FROM subscriptions s JOIN users u ON u.seq = s.user',
    )
    const ended = this.#sql<{
      id: string
      owner: string
      status: string
      completed_at: number | null
      submitted_at: number
    }>(
      `SELECT p.id, u.id AS owner, status, completed_at, submitted_at FROM payments p JOIN users u ON u.seq = p.user
       WHERE transfer_type = 'debit'`,
    )
    // Given up after the attempts that its subscription allows.
    const exhausted = new Set(
      this.#sql<{ url: string; event: string; payment: string }>(
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
}
