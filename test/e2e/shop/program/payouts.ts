import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Bank, Money, Payment } from './bank.ts'
import { type Currency, inTransaction } from './database.ts'
import { NoAnswer, Refused } from './failures.ts'
import { forgetsKeys, has } from './mistakes.ts'
import type { Credit } from './orders.ts'

/** An outgoing payment: a refund, or money for a supplier. A held payout waits for a person's decision; `reason` says why. */
export interface Payout {
  readonly id: string
  readonly iban: string | null
  readonly phone: string | null
  readonly amount: number
  readonly currency: Currency
  readonly description: string
  readonly status: 'queued' | 'sent' | 'completed' | 'held'
  /**
   * Number of the attempt; each attempt has a separate idempotency key. The next attempt begins only when this attempt
   * has certainly moved no money.
   */
  readonly attempt: number
  /** True if the attempt may have reached the bank. */
  readonly in_doubt: 0 | 1
  readonly payment_id: string | null
  readonly reason: string | null
}

export type Payee = { readonly phone: string } | { readonly iban: string }

export interface Invoice {
  readonly payee: Payee
  /** Name of the payee on the invoice: the payee's account must belong to this holder. */
  readonly holder: string
  readonly amount: Money
  readonly description: string
}

/** Milliseconds that a worker has for a payout before another worker may take it. */
const lease = 60_000

/** Milliseconds after which a payout is tried again if its rail was offline. */
const railPause = 10 * 60_000

export class Payouts {
  readonly #database: DatabaseSync
  readonly #bank: Bank
  readonly #now: () => number

  constructor(database: DatabaseSync, bank: Bank, now: () => number) {
    this.#database = database
    this.#bank = bank
    this.#now = now
  }

  /**
   * Queues the payment of an invoice. Holds the payout if the payee's account does not exist, is closed or blocked, or
   * belongs to another holder.
   */
  async paySupplier({ payee, holder, amount, description }: Invoice): Promise<Payout> {
    const path = 'iban' in payee ? `/api/iban/information/${payee.iban}` : `/api/phone/information/${payee.phone}`
    const found = await this.#bank.get<{ name: string; status: string }>(path).catch((error) => {
      if (error instanceof Refused && error.status === 404) return undefined
      throw error
    })
    const payout = this.#add(payee, amount, description)
    if (!found) return this.#hold(payout, 'There is no such account')
    if (['closed', 'blocked'].includes(found.status)) return this.#hold(payout, `The account is ${found.status}`)
    if (plain(found.name) !== plain(holder)) return this.#hold(payout, `The account is that of ${found.name}`)
    return payout
  }

  /** Queues the return of a credit to its payer. A repetition gives the same payout. */
  refund({ id, amount, currency, payer_phone: phone, payer_iban: iban }: Credit): Payout {
    return inTransaction(this.#database, () => {
      const { refund_id, order_id } = this.#database
        .prepare('SELECT * FROM credits WHERE id = ?')
        .get(id) as unknown as Credit
      if (refund_id !== null) return this.get(refund_id)
      if (phone === null && iban === null) throw new Error(`Nobody knows where the credit ${id} came from`)
      const payee = phone === null ? { iban: String(iban) } : { phone }
      const payout = this.#add(
        payee,
        { value: amount, currency },
        `Refund of ${order_id ? `order ${order_id}` : `payment ${id.slice(-12)}`}`,
      )
      this.#database.prepare('UPDATE credits SET refund_id = ? WHERE id = ?').run(payout.id, id)
      if (order_id !== null) {
        this.#database.prepare(`UPDATE orders SET status = 'refunded' WHERE id = ?`).run(order_id)
      }
      return payout
    })
  }

  /**
   * A planted mistake: refunds a credit that paid no order, even if the credit was already refunded.
   */
  async refundAtOnce({ id, amount, payer: { phone_number: phone, iban } }: Payment): Promise<void> {
    const credit = this.#database.prepare('SELECT * FROM credits WHERE id = ?').get(id) as unknown as Credit
    if (credit.order_id !== null || (!phone && !iban)) return
    const payout = this.#add(phone ? { phone } : { iban: String(iban) }, amount, `Refund of payment ${id.slice(-12)}`)
    this.#database.prepare('UPDATE credits SET refund_id = ? WHERE id = ?').run(payout.id, id)
    this.#database.prepare('UPDATE payouts SET not_before = ? WHERE id = ?').run(this.#now() + lease, payout.id)
    // The bank may be waiting for the answer to its webhook, so no time passes for another attempt.
    await this.#pay(payout, { attempts: 1 })
  }

  /** Sends queued payouts, one after another. Any number of workers may do this at the same time. */
  async run(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const payout = this.#take()
      if (!payout) return
      await this.#pay(payout)
    }
  }

  /** Asks the bank for the status of unfinished payments. */
  async follow(): Promise<void> {
    for (const { payment_id } of this.all().filter(({ status }) => status === 'sent')) {
      this.record(await this.#bank.get<Payment>(`/api/payments/${payment_id}`))
    }
  }

  /** Records a payment from the bank. Returns true if the shop sent the payment. */
  record({ id: payment, idempotency_key: key, status, error_message: error }: Payment): boolean {
    const [id = '', attempt = ''] = key.split('.')
    const known = this.#database.prepare('SELECT 1 FROM payouts WHERE id = ?').get(id) !== undefined
    const set = (from: string, columns: string, ...values: (string | number | null)[]) =>
      this.#database
        .prepare(`UPDATE payouts SET in_doubt = 0, ${columns} WHERE id = ? AND attempt = ? AND status IN (${from})`)
        .run(...values, id, Number(attempt))
    if (status === 'pending' || status === 'processing') {
      set(`'queued'`, `status = 'sent', payment_id = ?`, payment)
    } else if (status === 'completed') {
      set(`'queued', 'sent', 'held'`, `status = 'completed', payment_id = ?, reason = NULL`, payment)
    } else if (status === 'service_unavailable') {
      const retry = `status = 'queued', attempt = attempt + 1, not_before = ?, reason = ?`
      set(`'queued', 'sent'`, retry, this.#now() + railPause, 'The rail is out of order')
    } else {
      set(`'queued', 'sent'`, `status = 'held', payment_id = ?, reason = ?`, payment, error ?? status)
    }
    return known
  }

  /** Queues a held payout again after a person's decision: with the same key if its last attempt is in doubt. */
  release(id: string): void {
    this.#database
      .prepare(
        `UPDATE payouts SET status = 'queued', attempt = attempt + 1 - in_doubt, not_before = 0, payment_id = NULL
         WHERE id = ? AND status = 'held'`,
      )
      .run(id)
  }

  get(id: string): Payout {
    return this.#database.prepare('SELECT * FROM payouts WHERE id = ?').get(id) as unknown as Payout
  }

  all(): Payout[] {
    return this.#database.prepare('SELECT * FROM payouts ORDER BY rowid').all() as unknown as Payout[]
  }

  /** The doubt is on disk before the request is sent, so that it survives the end of the process. */
  async #pay(payout: Payout, options: { readonly attempts?: number } = {}): Promise<void> {
    const { id, attempt, in_doubt } = payout
    const key = `${id}.${attempt}`
    const attempted = this.#database.prepare(
      `UPDATE payouts SET in_doubt = 1, reason = ? WHERE id = ? AND attempt = ? AND status = 'queued'`,
    )
    try {
      if (in_doubt && has('retry-on-409')) return await this.#check(payout)
      const found = in_doubt && !forgetsKeys() ? await this.#find(key) : undefined
      attempted.run(null, id, attempt)
      this.record(found ?? (await this.#bank.pay(key, this.#request(payout), options)))
    } catch (error) {
      if (error instanceof NoAnswer) {
        attempted.run(error.message, id, attempt)
        if (has('wrong-status')) this.#nextAttempt(id)
      } else if (error instanceof Refused) this.#hold(payout, error.message)
      else throw error
    }
  }

  /** A mistake: after a refusal of its key, the payment gets another key. */
  async #check(payout: Payout): Promise<void> {
    const { id, attempt } = payout
    const isRefused = await this.#bank.check(`${id}.${attempt}`, this.#request(payout)).then(
      () => false,
      (error) => error instanceof Refused,
    )
    if (isRefused) this.#nextAttempt(id)
    await this.#pay({ ...this.get(id), in_doubt: 0 })
  }

  #nextAttempt(id: string): void {
    this.#database.prepare('UPDATE payouts SET attempt = attempt + 1, in_doubt = 0 WHERE id = ?').run(id)
  }

  /** The payment that an earlier request may have made. */
  async #find(key: string): Promise<Payment | undefined> {
    for await (const payment of this.#bank.history()) if (payment.idempotency_key === key) return payment
    return undefined
  }

  #request({ iban, phone, amount, currency, description }: Payout): object {
    const { account_id } = this.#database.prepare('SELECT * FROM books WHERE currency = ?').get(currency) as {
      account_id: string
    }
    const recipient = iban === null ? { recipient_phone: phone } : { recipient_iban: iban }
    return { source_account_id: account_id, amount, ...recipient, description }
  }

  #take(): Payout | undefined {
    const now = this.#now()
    return this.#database
      .prepare(
        `UPDATE payouts SET not_before = ? WHERE id =
           (SELECT id FROM payouts WHERE status = 'queued' AND not_before <= ? ORDER BY rowid LIMIT 1) RETURNING *`,
      )
      .get(now + lease, now) as unknown as Payout | undefined
  }

  #add(payee: Payee, { value, currency }: Money, description: string): Payout {
    const phone = 'phone' in payee ? payee.phone : null
    const iban = 'iban' in payee ? payee.iban : null
    return this.#database
      .prepare(
        'INSERT INTO payouts (id, iban, phone, amount, currency, description) VALUES (?, ?, ?, ?, ?, ?) RETURNING *',
      )
      .get(randomUUID(), iban, phone, value, currency, description) as unknown as Payout
  }

  /** An earlier doubt remains, even if this attempt certainly did nothing. */
  #hold({ id, attempt, in_doubt }: Payout, reason: string): Payout {
    this.#database
      .prepare(
        `UPDATE payouts SET status = 'held', in_doubt = ?, reason = ? WHERE id = ? AND attempt = ? AND status = 'queued'`,
      )
      .run(in_doubt, reason, id, attempt)
    return this.get(id)
  }
}

/** Removes accents, upper case and needless spaces from a name. */
const plain = (name: string): string =>
  name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().split(/\s+/).join(' ').trim()
