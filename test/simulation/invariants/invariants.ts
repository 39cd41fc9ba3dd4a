import { broken } from '../broken.ts'
import type { Action, Callers, End } from '../callers/callers.ts'
import type { Process } from '../machine/machine.ts'
import { unseen } from '../machine/statements.ts'
import type { Leaving } from '../machine/traffic.ts'
import { descriptionOf, places, profiles, scopeOf } from '../script/places.ts'
import type { NetworkFault, Script } from '../script/script.ts'
import type { Receivers } from '../service/receivers.ts'
import type { Exchange, Service, ServiceAnswer } from '../service/service.ts'
import { CallerInvariants, type Circumstances } from './caller_invariants.ts'
import { Conduct } from './conduct.ts'
import { checkEvents } from './event_invariants.ts'
import { Journals, Queries } from './journals.ts'
import { LimitsInForce } from './limit_invariants.ts'
import type { PaymentRow } from './told_invariants.ts'

// What must be true, seen from outside: SQL over the service's file, what callers sent, have and were told, what receivers got.

/** Statuses of a payment that moved no money in the end. */
const failed = new Set(['failed', 'timeout', 'service_unavailable', 'validation_failed', 'system_error'])

interface InvariantsOptions {
  readonly script: Script
  readonly service: Service
  readonly callers: Callers
  readonly receivers: Receivers
}

/** What is known of a run from outside, and whether it fits together. */
export class Invariants {
  readonly #options: InvariantsOptions
  readonly #journals: Journals
  readonly #conduct: Conduct
  readonly #limits = new LimitsInForce()
  readonly #callers: CallerInvariants
  /** How often an order is asked for: in one batch, or in several. */
  readonly #times = new Map<string, number>()
  /** Ids of payments that the service has acknowledged, and of subscriptions. */
  readonly #acknowledged = new Set<string>()
  readonly #subscribed = new Set<string>()
  /** Payments of worlds that are gone, and of the one that may be about to go, as they were last. */
  readonly #gone: PaymentRow[] = []
  #leaving: readonly PaymentRow[] = []
  readonly #queries = new Queries()

  constructor(options: InvariantsOptions) {
    this.#options = options
    const { callers, script } = options
    this.#journals = new Journals(callers.folderOf)
    this.#conduct = new Conduct(callers, this.#journals, (phone) => {
      if (!options.service.running) return null
      const [holder] = this.#sql<{ name: string }>('SELECT name FROM registry WHERE address = ?', phone)
      return holder?.name
    })
    this.#callers = new CallerInvariants(this.#journals, this.#conduct, this.#limits)
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
  leaves(action: Action, process: Process, leaving: Leaving): void {
    this.#conduct.leaves(action, process, leaving)
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

  /** Hears of which world an answer was that a process has got. */
  hears(process: Process, world: string): void {
    this.#conduct.hears(process, world)
  }

  /** Hears that the world may be about to be another. */
  worldLeaves(): void {
    this.check()
    this.#conduct.worldLeaves()
    this.#leaving = unseen(() => this.#ofPresent())
  }

  /** Hears that it is. */
  worldIsNew(): void {
    this.#gone.push(...this.#leaving)
    this.#subscribed.clear()
  }

  /** Hears that the power of the callers' machine goes. */
  powerCut(): void {
    unseen(() => this.#callers.forget())
  }

  /** Hears a request that the service handles. */
  asked(exchange: Exchange): void {
    const { method, url } = exchange
    if (method === 'DELETE') this.#subscribed.delete(url.split('/').at(-1) ?? '') // it may be gone, acknowledged or not
    this.#conduct.asked(exchange)
  }

  /** Hears an answer that leaves the service. */
  answered(exchange: Exchange, answer: ServiceAnswer): void {
    this.#conduct.answered(exchange, answer)
    const { method, url } = exchange
    const { status, body } = answer
    if (method !== 'POST' || status >= 300) return
    if (url === '/api/payments') this.#acknowledged.add(JSON.parse(body).data.id)
    if (url === '/api/webhooks/subscriptions' && exchange.world === this.#world)
      this.#subscribed.add(JSON.parse(body).data.id)
  }

  /** Must be true at every moment at which the service is there. Throws Broken. */
  check(): void {
    unseen(() => {
      this.#checkLedger()
      const payments = this.#payments()
      this.#checkOrders(payments.filter(({ world }) => world === this.#world))
      this.#checkAcknowledged(payments)
      this.#callers.check(payments)
    })
  }

  /** What a caller was told is true. */
  checkTold(end: End, circumstances: Circumstances): void {
    const world = this.#world
    unseen(() => this.#callers.checkTold(end, circumstances, { payments: this.#payments(), world }))
  }

  /** Another with every change of the payments. */
  version(): string {
    const sql = 'SELECT count(*) AS n, max(seq) AS seq, group_concat(status) AS s FROM payments'
    return JSON.stringify([this.#world, unseen(() => this.#sql(sql))])
  }

  /** Once nothing more goes wrong and everything has been resumed. */
  checkEnd(): void {
    this.check()
    unseen(() => {
      const payments = this.#payments()
      this.#callers.checkEnd({ payments, world: this.#world })
      const ids = (all: readonly PaymentRow[]) => new Set(all.map(({ id }) => id))
      const { sent, received } = this.#options.receivers
      checkEvents({ sent, received, payments: ids(payments), gone: ids(this.#gone), sql: (text) => this.#sql(text) })
    })
  }

  /** Rows of the service's file. */
  #sql = <Row>(sql: string, ...bounds: readonly string[]): Row[] => {
    return this.#queries.all<Row>(this.#options.service.world.database.connection, sql, ...bounds)
  }

  #checkLedger(): void {
    const [movement] = this.#sql<{ payment_seq: number; movement: string; currency: string; sum: number }>(
      `SELECT payment_seq, movement, currency, sum(amount) AS sum FROM ledger_entries
       JOIN ledger_accounts ON ledger_accounts.id = ledger_account
       GROUP BY payment_seq, movement, currency HAVING sum <> 0`,
    )
    if (movement) {
      const { payment_seq, currency, sum } = movement
      broken('ledger', `${movement.movement} of payment ${payment_seq} sums to ${sum} in ${currency}`)
    }
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

  get #world(): string {
    return this.#options.service.world.id
  }

  /** Those of all worlds. */
  #payments(): PaymentRow[] {
    return [...this.#gone, ...this.#ofPresent()]
  }

  #ofPresent(): PaymentRow[] {
    const world = this.#world
    const rows = this.#sql<Omit<PaymentRow, 'world'>>(
      `SELECT p.id, p.seq, u.id AS owner, idempotency_key, transfer_type, description, amount,
         payee_phone, p.status
       FROM payments p JOIN users u ON u.seq = p.user ORDER BY p.seq`,
    )
    return rows.map((row) => ({ world, ...row }))
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
}
