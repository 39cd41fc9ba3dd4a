import { broken } from '../broken.ts'
import type { Action, Callers, End } from '../callers/callers.ts'
import type { Told } from '../callers/told.ts'
import type { Process } from '../machine/machine.ts'
import { unseen } from '../machine/statements.ts'
import type { Leaving } from '../machine/traffic.ts'
import { descriptionOf, places, profiles, scopeOf } from '../script/places.ts'
import type { NetworkFault, Script } from '../script/script.ts'
import type { Receivers } from '../service/receivers.ts'
import type { Exchange, Service, ServiceAnswer } from '../service/service.ts'
import { CallerInvariants, type Circumstances, saysRefused } from './caller_invariants.ts'
import { Conduct } from './conduct.ts'
import { checkEvents } from './event_invariants.ts'
import { Journals, Queries } from './journals.ts'
import { LimitsInForce } from './limit_invariants.ts'
import type { PaymentRow } from './told_invariants.ts'

// Invariants, checked from outside: by SQL on the service's file, by the requests, files and results of callers, and by
// the deliveries to receivers.

/** Final statuses of payments that moved no money. */
const failed = new Set(['failed', 'timeout', 'service_unavailable', 'validation_failed', 'system_error'])

interface InvariantsOptions {
  readonly script: Script
  readonly service: Service
  readonly callers: Callers
  readonly receivers: Receivers
}

/** Collects facts about a run from outside, and checks that they agree. */
export class Invariants {
  readonly #options: InvariantsOptions
  readonly #journals: Journals
  readonly #conduct: Conduct
  readonly #limits = new LimitsInForce()
  readonly #callers: CallerInvariants
  /** Number of times that callers request each order, in one batch or several. */
  readonly #times = new Map<string, number>()
  /** Ids of payments and subscriptions that the service has acknowledged. */
  readonly #acknowledged = new Set<string>()
  readonly #subscribed = new Set<string>()
  /** Payments of ended worlds, and of a world that may be ending, in their last state. */
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

  /** Called before a caller's request is sent. */
  leaves(action: Action, process: Process, leaving: Leaving): void {
    this.#conduct.leaves(action, process, leaving)
  }

  /** Called when a gateway has answered a caller's request itself. */
  turnedAway(process: Process, bytes: Buffer, fault: NetworkFault): void {
    this.#conduct.turnedAway(process, bytes, fault)
  }

  /** Called when an operation has ended. */
  ended(end: End): void {
    unseen(() => this.#callers.ended(end))
    this.#conduct.agreements.ended(end.action)
  }

  /** Called before a person answers a question of an operation. */
  asks(action: Action): void {
    this.#conduct.agreements.asks(action)
  }

  /** Called with the person's answer. */
  replies(action: Action, isYes: boolean): void {
    this.#conduct.agreements.replies(action, isYes)
  }

  /** Called with each result of an operation when its caller receives the result. */
  tells(action: Action, told: Told): void {
    if (saysRefused(told) && this.#options.service.running)
      unseen(() => this.#callers.checkRefused(action, told, this.#payments()))
  }

  /** Called when an operation begins; a change of limits applies from then on. */
  begins(action: Action): void {
    this.#conduct.begins(action)
    this.#callers.begins(action)
    if (action.do === 'change limits') this.#limits.allow(places[action.caller], action.limits)
    if (action.faults?.some(({ fault }) => fault === 'clock moved')) this.#limits.doubt(places[action.caller])
  }

  /** Called before a phone gets another holder. */
  renames(phone: string): void {
    this.#conduct.renames(phone)
  }

  /** Called with the world of each answer that a process gets. */
  hears(process: Process, world: string): void {
    this.#conduct.hears(process, world)
  }

  /** Called before the world may be reset. */
  worldLeaves(): void {
    this.check()
    this.#conduct.worldLeaves()
    this.#leaving = unseen(() => this.#ofPresent())
  }

  /** Called after the world was reset. */
  worldIsNew(): void {
    this.#gone.push(...this.#leaving)
    this.#subscribed.clear()
  }

  /** Called when the callers' machine loses power. */
  powerCut(): void {
    unseen(() => this.#callers.forget())
  }

  /** Called for each request that the service handles. */
  asked(exchange: Exchange): void {
    const { method, url } = exchange
    // The service may have deleted the subscription, even if no answer confirms it.
    if (method === 'DELETE') this.#subscribed.delete(url.split('/').at(-1) ?? '')
    this.#conduct.asked(exchange)
  }

  /** Called for each answer that the service sends. */
  answered(exchange: Exchange, answer: ServiceAnswer): void {
    this.#conduct.answered(exchange, answer)
    const { method, url } = exchange
    const { status, body } = answer
    if (method !== 'POST' || status >= 300) return
    if (url === '/api/payments') this.#acknowledged.add(JSON.parse(body).data.id)
    if (url === '/api/webhooks/subscriptions' && exchange.world === this.#world)
      this.#subscribed.add(JSON.parse(body).data.id)
  }

  /** Checks the invariants that must hold at any moment while the service runs. Throws Broken. */
  check(): void {
    unseen(() => {
      this.#checkLedger()
      const payments = this.#payments()
      this.#checkOrders(payments.filter(({ world }) => world === this.#world))
      this.#checkAcknowledged(payments)
      this.#callers.check(payments)
    })
  }

  /** Checks that the results of a caller are true. */
  checkTold(end: End, circumstances: Circumstances): void {
    const world = this.#world
    unseen(() => this.#callers.checkTold(end, circumstances, { payments: this.#payments(), world }))
  }

  /** A string that differs after every change of payments. */
  version(): string {
    const sql = 'SELECT count(*) AS n, max(seq) AS seq, group_concat(status) AS s FROM payments'
    return JSON.stringify([this.#world, unseen(() => this.#sql(sql))])
  }

  /** Checks the end of a run, when no more faults happen and everything has been resumed. */
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

  /** Payments of all worlds. */
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

  /**
   * Checks that an order is paid at most as often as it was requested, however often it was retried, resumed or
   * interrupted.
   */
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
