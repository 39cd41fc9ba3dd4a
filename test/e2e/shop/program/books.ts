import type { DatabaseSync } from 'node:sqlite'
import type { Bank, Payment } from './bank.ts'
import type { Currency } from './database.ts'
import type { Orders } from './orders.ts'
import type { Payouts } from './payouts.ts'

interface Account {
  readonly account_id: string
  readonly iban: string
  readonly currency: Currency
  readonly opening_balance: number
}

export interface Closing {
  /** Money in and out on the day, in minor units. */
  readonly received: Readonly<Record<Currency, number>>
  readonly paid: Readonly<Record<Currency, number>>
  readonly fees: Readonly<Record<Currency, number>>
  /** Ids of payments from the shop's accounts that are not the shop's payouts. */
  readonly strangers: readonly string[]
  /** Number of payments that have not ended: the bank holds their money. */
  readonly unfinished: number
  /** Balances at the bank minus balances in the books, in minor units; null while payments are unfinished. */
  readonly difference: Readonly<Record<Currency, number>> | null
}

const zero = (): Record<Currency, number> => ({ CRC: 0, USD: 0 })

/** The shop's accounts at the bank, and the shop's own records of them. */
export class Books {
  readonly #database: DatabaseSync
  readonly #bank: Bank

  constructor(database: DatabaseSync, bank: Bank) {
    this.#database = database
    this.#bank = bank
  }

  /** Records the opening balances of the books, once. */
  async open(): Promise<void> {
    const { data } = await this.#bank.get<{ data: AccountAtBank[] }>('/api/accounts?per_page=100')
    const add = this.#database.prepare('INSERT OR IGNORE INTO books VALUES (?, ?, ?, ?)')
    for (const { id, iban, balance } of data) add.run(id, iban, balance.currency, balance.value)
  }

  account(currency: Currency): Account {
    return this.#database.prepare('SELECT * FROM books WHERE currency = ?').get(currency) as unknown as Account
  }

  /** Compares a day (YYYY-MM-DD, local) with the bank. Also adds missed movements of other days. */
  async close(day: string, { orders, payouts }: { orders: Orders; payouts: Payouts }): Promise<Closing> {
    const [received, paid, fees, change] = [zero(), zero(), zero(), zero()]
    const strangers: string[] = []
    let unfinished = 0
    const history: Payment[] = []
    for await (const payment of this.#bank.history()) history.unshift(payment)
    for (const payment of history) {
      const { value, currency } = payment.amount
      const fee = payment.fee?.value ?? 0
      const isToday = payment.completed_at !== null && localDay(payment.completed_at) === day
      if (payment.transfer_type === 'credit') {
        orders.receive(payment)
        change[currency] += value
        if (isToday) received[currency] += value
        continue
      }
      if (!payouts.record(payment)) strangers.push(payment.id)
      if (payment.status === 'pending' || payment.status === 'processing') unfinished += 1
      if (payment.status !== 'completed') continue
      change[currency] -= value + fee
      if (!isToday) continue
      paid[currency] += value
      fees[currency] += fee
    }
    const difference = unfinished > 0 ? null : await this.#difference(change)
    return { received, paid, fees, strangers, unfinished, difference }
  }

  async #difference(change: Readonly<Record<Currency, number>>): Promise<Record<Currency, number>> {
    const difference = zero()
    for (const currency of ['CRC', 'USD'] as const) {
      const { account_id, opening_balance } = this.account(currency)
      const { balance } = await this.#bank.get<{ balance: number }>(`/api/accounts/${account_id}/balance`)
      difference[currency] = balance - opening_balance - change[currency]
    }
    return difference
  }
}

interface AccountAtBank {
  readonly id: string
  readonly iban: string
  readonly balance: { readonly value: number; readonly currency: Currency }
}

/** Costa Rica is six hours behind UTC all year. */
const localDay = (time: string): string => new Date(Date.parse(time) - 6 * 3_600_000).toISOString().slice(0, 10)
