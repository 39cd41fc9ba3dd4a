import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Statement } from 'better-sqlite3'
import { Broken } from './broken.ts'
import { type Callers, descriptionOf, type End, places, type Told, userIds } from './callers.ts'
import { watch } from './databases.ts'
import type { Process } from './machine.ts'
import type { Receivers } from './receivers.ts'
import type { Script } from './script.ts'
import type { Exchange, Service, ServiceAnswer } from './service.ts'
import { unseen } from './statements.ts'

// What must be true, seen from outside: SQL over the service's file and the journals, what callers were told, what receivers got.

const broken = (invariant: string, message: string): never => {
  throw new Broken(invariant, message)
}

interface PaymentRow {
  readonly id: string
  readonly seq: number
  readonly owner: string
  readonly idempotency_key: string
  readonly transfer_type: string
  readonly description: string
  readonly amount: number
  readonly status: string
}

interface IntentRow {
  readonly id: string
  readonly status: string
  readonly idempotency_key: string
  readonly payment_id: string | null
  readonly body: string
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
  readonly #journals = new Map<string, Database>()
  /** Ids of payments that the service has acknowledged, and of subscriptions. */
  readonly #acknowledged = new Set<string>()
  readonly #subscribed = new Set<string>()
  /** Who has sent each refresh token. */
  readonly #refreshes = new Map<string, Process | undefined>()
  readonly #statements = new WeakMap<Database, Map<string, Statement>>()

  constructor(options: BooksOptions) {
    this.#options = options
  }

  close(): void {
    for (const database of this.#journals.values()) unseen(() => database.close())
  }

  /** Hears a request that the service handles. */
  asked({ method, url, body, caller }: Exchange): void {
    if (method === 'DELETE') this.#subscribed.clear() // one of them may be gone, acknowledged or not
    if (url !== '/oauth/token') return
    const { refresh_token: token } = JSON.parse(body) as { refresh_token?: string }
    if (token === undefined) return
    const first = this.#refreshes.get(token)
    if (first && !first.disturbed) {
      broken('one refresh per expiry', `${caller?.name} sends a refresh token that ${first.name} has exchanged`)
    }
    this.#refreshes.set(token, caller)
  }

  /** Hears an answer that leaves the service. */
  answered({ method, url, body: asked }: Exchange, { status, body }: ServiceAnswer): void {
    // Nothing was exchanged where it could not be written.
    if (url === '/oauth/token' && status >= 500) this.#refreshes.delete(JSON.parse(asked).refresh_token)
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
      for (const journal of new Set(Object.values(places).map(({ journal }) => journal))) {
        this.#checkJournal(journal, payments)
      }
    })
  }

  /** What a caller was told is true. `alone`: nobody else used its journal meanwhile. */
  checkTold({ told }: End, { alone, unchanged }: { readonly alone: boolean; readonly unchanged: boolean }): void {
    unseen(() => {
      const payments = this.#payments()
      for (const one of told) {
        if (one.what === 'accepted') checkAccepted(one, payments)
        else if (one.what === 'pages') {
          if (unchanged) this.#checkPages(one, payments)
        } else if (alone) {
          const made = payments.find(({ description }) => description === descriptionOf(one))
          if (made)
            broken('told true', `${one.order} was told ${one.what}, and its payment ${made.id} is ${made.status}`)
        }
      }
    })
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
      for (const { journal } of Object.values(places)) {
        const open = this.#intents(journal).find(({ status }) => status === 'sent' || status === 'unknown')
        if (open) broken('doubt ends', `${open.id} of ${journal} is ${open.status} after everything was resumed`)
      }
      this.#checkEvents()
    })
  }

  /** Rows of the service's file. */
  #sql<Row>(sql: string): Row[] {
    return this.#rows(this.#options.service.world.database.connection, sql)
  }

  #rows<Row>(database: Database, sql: string): Row[] {
    const known = this.#statements.get(database) ?? new Map<string, Statement>()
    this.#statements.set(database, known)
    const statement = known.get(sql) ?? database.prepare(sql)
    known.set(sql, statement)
    return statement.all() as Row[]
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
      `SELECT p.id, p.seq, u.id AS owner, idempotency_key, transfer_type, description, amount, p.status
       FROM payments p JOIN users u ON u.seq = p.user ORDER BY p.seq`,
    )
  }

  /** However often it was retried, resumed or cut off, an order is paid once. */
  #checkOrders(payments: readonly PaymentRow[]): void {
    const paid = new Map<string, string>()
    for (const { id, description, status, transfer_type } of payments) {
      if (transfer_type !== 'debit' || !description?.startsWith('Order ') || failed.has(status)) continue
      const other = paid.get(description)
      if (other !== undefined) broken('paid once', `${description} is paid twice: ${other} and ${id}`)
      paid.set(description, id)
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

  #journal(name: string): Database | undefined {
    const known = this.#journals.get(name)
    if (known?.open) return known
    const file = join(this.#options.callers.folderOf(name), 'journal.db')
    if (!existsSync(file)) return undefined
    const database = watch(file)
    if (database.pragma('user_version', { simple: true }) === 0) {
      database.close()
      return undefined
    }
    this.#journals.set(name, database)
    return database
  }

  #inJournal<Row>(name: string, sql: string): Row[] {
    const journal = this.#journal(name)
    return journal ? this.#rows(journal, sql) : []
  }

  #intents = (name: string): IntentRow[] =>
    this.#inJournal(name, 'SELECT id, status, idempotency_key, payment_id, body FROM intents')

  /** What a journal says at any moment is true of the service. */
  #checkJournal(name: string, payments: readonly PaymentRow[]): void {
    const place = Object.values(places).find(({ journal }) => journal === name)
    if (!place) return
    const own = payments.filter((one) => one.owner === userIds[place.user] && one.transfer_type === 'debit')
    const byKey = new Map(own.map((payment) => [payment.idempotency_key, payment]))
    const intents = this.#intents(name)
    for (const { id, status, idempotency_key, payment_id, body } of intents) {
      const made = byKey.get(idempotency_key)
      if (status === 'rejected' && made) {
        broken('rejected moves nothing', `${id} is rejected, and its payment ${made.id} is ${made.status}`)
      }
      if (status === 'prepared' && made)
        broken('written before sent', `${id} never left, and its payment is ${made.id}`)
      if (status === 'settled' && made?.id !== payment_id) {
        broken('settled is one', `${id} is settled as ${payment_id}, and the service has ${made?.id}`)
      }
      if (status === 'settled' && made?.amount !== JSON.parse(body).amount) {
        broken('settled is one', `${id} asked for ${JSON.parse(body).amount}, and ${made?.amount} was paid`)
      }
    }
    const written = new Set(intents.map(({ idempotency_key }) => idempotency_key))
    const stray = own.find(({ idempotency_key: key }) => key.startsWith(`${name}-`) && !written.has(key))
    if (stray) broken('written before sent', `payment ${stray.id} of ${name} is in no journal`)
    if (place.perDay !== undefined) this.#checkLimits(name, place.perDay, byKey)
  }

  /** Everything that was paid was counted, and no day has more than its limit. */
  #checkLimits(name: string, perDay: number, byKey: ReadonlyMap<string, PaymentRow>): void {
    const counted = this.#inJournal<{ readonly idempotency_key: string; readonly day: string }>(
      name,
      'SELECT idempotency_key, day FROM counted_payments WHERE counts = 1',
    )
    const dayOf = new Map(counted.map((one) => [one.idempotency_key, one.day]))
    const days = new Map<string, number>()
    for (const { idempotency_key: key } of this.#intents(name)) {
      const made = byKey.get(key)
      if (!made) continue
      const day = dayOf.get(key)
      if (day === undefined) throw new Broken('limits', `payment ${made.id} of ${name} was not counted`)
      const sum = (days.get(day) ?? 0) + made.amount
      days.set(day, sum)
      if (sum > perDay) broken('limits', `${name} has paid ${sum} on ${day}, of ${perDay}`)
    }
  }

  #checkPages({ user, ids }: Extract<Told, { what: 'pages' }>, payments: readonly PaymentRow[]): void {
    const own = payments.filter(({ owner }) => owner === userIds[user]).map(({ id }) => id)
    const twice = ids.find((id, at) => ids.indexOf(id) !== at)
    if (twice) broken('pages', `payment ${twice} came twice on a walk over a list that did not change`)
    const missing = own.find((id) => !ids.includes(id))
    if (missing) broken('pages', `payment ${missing} did not come on a walk over a list that did not change`)
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

  /** The first attempts at the events of one payment come in its order. */
  #checkOrderOfEvents(): void {
    const ranks = ['payment.created', 'payment.processing', 'payment.completed', 'payment.failed']
    const last = new Map<string, number>()
    const seen = new Set<string>()
    for (const { receiver, id, event, payment, attempt } of this.#options.receivers.received) {
      if (attempt > 1 || seen.has(`${receiver} ${id}`)) continue
      seen.add(`${receiver} ${id}`)
      const of = `${receiver} ${payment}`
      const rank = ranks.indexOf(event)
      if (rank < 0) continue
      if (rank < (last.get(of) ?? 0)) broken('events', `${event} of ${payment} came after a later event`)
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

function checkAccepted(one: Extract<Told, { what: 'accepted' }>, payments: readonly PaymentRow[]): void {
  const made = payments.find(({ id }) => id === one.payment)
  if (!made) throw new Broken('told true', `${one.order} was told payment ${one.payment}, which is not there`)
  if (made.amount !== one.amount) broken('told true', `${one.order} of ${one.amount} was paid as ${made.amount}`)
}
