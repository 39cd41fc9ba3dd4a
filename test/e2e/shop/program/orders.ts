import type { DatabaseSync } from 'node:sqlite'
import type { Bank, Money, Payment } from './bank.ts'
import { type Currency, inTransaction } from './database.ts'

export interface Order {
  readonly id: number
  readonly price: number
  readonly price_currency: Currency
  /** The amount to pay: the price in the currency of the customer's account. */
  readonly due: number
  readonly currency: Currency
  readonly payer_phone: string | null
  readonly payer_iban: string | null
  readonly status: 'open' | 'paid' | 'expired' | 'refunded'
  readonly expires_at: number
}

/** Money that arrived. A credit that paid no order waits for a person, who may refund it. */
export interface Credit {
  readonly id: string
  readonly amount: number
  readonly currency: Currency
  readonly payer_phone: string | null
  readonly payer_iban: string | null
  readonly payer_name: string
  readonly order_id: number | null
  readonly refund_id: string | null
}

/**
 * Source of the customer's payment: a phone (SINPE Móvil, in colones) or an account in the currency of the price.
 */
export type PayFrom = { readonly phone: string } | { readonly iban: string }

/** Milliseconds until an order expires: its price in colones may come from an exchange rate that changes. */
const quoteLife = 15 * 60_000

export class Orders {
  readonly #database: DatabaseSync
  readonly #bank: Bank
  readonly #now: () => number

  constructor(database: DatabaseSync, bank: Bank, now: () => number) {
    this.#database = database
    this.#bank = bank
    this.#now = now
  }

  async place(price: Money, from: PayFrom): Promise<Order> {
    const currency = 'phone' in from ? 'CRC' : price.currency
    const due = currency === price.currency ? price.value : await this.#inColones(price.value)
    const phone = 'phone' in from ? from.phone : null
    const iban = 'iban' in from ? from.iban : null
    const row = this.#database
      .prepare(
        `INSERT INTO orders (price, price_currency, due, currency, payer_phone, payer_iban, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      )
      .get(price.value, price.currency, due, currency, phone, iban, this.#now() + quoteLife)
    return row as unknown as Order
  }

  get(id: number): Order {
    return this.#database.prepare('SELECT * FROM orders WHERE id = ?').get(id) as unknown as Order
  }

  /** Records a credit once, however often the shop learns of it. */
  receive({ id, amount, payer }: Payment): void {
    inTransaction(this.#database, () => {
      this.#database
        .prepare(`UPDATE orders SET status = 'expired' WHERE status = 'open' AND expires_at < ?`)
        .run(this.#now())
      const { changes } = this.#database
        .prepare(
          `INSERT OR IGNORE INTO credits (id, amount, currency, payer_phone, payer_iban, payer_name)
           VALUES (?, ?, ?, ?, ?, ?)`,
        )
        .run(id, amount.value, amount.currency, payer.phone_number ?? null, payer.iban, payer.name)
      if (changes === 0) return
      const order = this.#paidBy(amount, payer)
      if (order === undefined) return
      this.#database.prepare(`UPDATE orders SET status = 'paid' WHERE id = ?`).run(order)
      this.#database.prepare('UPDATE credits SET order_id = ? WHERE id = ?').run(order, id)
    })
  }

  /** The credit that paid an order. */
  creditOf(order: number): Credit | undefined {
    return this.#database.prepare('SELECT * FROM credits WHERE order_id = ?').get(order) as unknown as Credit
  }

  /** Credits that paid no order and were not sent back. */
  unmatched(): Credit[] {
    const rows = this.#database.prepare('SELECT * FROM credits WHERE order_id IS NULL AND refund_id IS NULL').all()
    return rows as unknown as Credit[]
  }

  /**
   * The open order that a credit pays: the order has the same payer and exactly the same amount. The bank does not
   * always know the payer's phone.
   */
  #paidBy({ value, currency }: Money, { phone_number: phone, iban }: Payment['payer']): number | undefined {
    const open = this.#database
      .prepare(`SELECT * FROM orders WHERE status = 'open' AND due = ? AND currency = ? ORDER BY id`)
      .all(value, currency) as unknown as Order[]
    const known = open.find(({ payer_phone, payer_iban }) =>
      payer_phone === null ? payer_iban === iban : payer_phone === phone,
    )
    if (known || phone || iban) return known?.id
    const candidates = open.filter(({ payer_phone }) => payer_phone !== null)
    return candidates.length === 1 ? candidates[0]?.id : undefined
  }

  /** Converts US cents to the minor unit of CRC, rounded up. */
  async #inColones(cents: number): Promise<number> {
    const { ask } = await this.#bank.get<{ ask: number }>('/api/fx/rates')
    return Math.ceil((cents * Math.round(ask * 10_000)) / 10_000)
  }
}
