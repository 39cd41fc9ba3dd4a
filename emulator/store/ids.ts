import { mostIds } from '../../src/contract/index.ts'
import type { Statements } from './database.ts'

/** A payment or a credit. `amount` is in minor units, `created_at` in milliseconds of Unix time. */
export interface MoneyId {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly created_at: number
}

/** Searches for ids by a part of them, which has hexadecimal digits and dashes only. */
export function idsIn(db: Statements) {
  const newest = db.prepare<[], MoneyId>(
    'SELECT id, amount, currency, status, created_at FROM payments ORDER BY seq DESC LIMIT 1',
  )
  const payments = db.prepare<[string], MoneyId>(
    `SELECT id, amount, currency, status, created_at FROM payments WHERE id LIKE ? ORDER BY id DESC LIMIT ${mostIds}`,
  )
  const credits = db.prepare<[string], MoneyId>(
    `SELECT scheduled_credits.id, amount, currency, scheduled_credits.status, scheduled_credits.created_at
     FROM scheduled_credits JOIN accounts ON accounts.seq = account
     WHERE scheduled_credits.id LIKE ? ORDER BY scheduled_credits.id DESC LIMIT ${mostIds}`,
  )
  const accounts = db.prepare<
    [string, string],
    { readonly id: string; readonly iban: string; readonly currency: string }
  >(`SELECT id, iban, currency FROM accounts WHERE id LIKE ? OR iban LIKE ? ORDER BY seq LIMIT ${mostIds}`)
  const subscriptions = db.prepare<[string], { readonly id: string; readonly url: string }>(
    `SELECT id, url FROM subscriptions WHERE id LIKE ? ORDER BY seq LIMIT ${mostIds}`,
  )
  const users = db.prepare<[string], { readonly id: string; readonly name: string }>(
    `SELECT id, name FROM users WHERE id LIKE ? ORDER BY seq LIMIT ${mostIds}`,
  )
  return {
    newestPayment: () => newest.get(),
    payments: (part: string) => payments.all(`%${part}%`),
    scheduledCredits: (part: string) => credits.all(`%${part}%`),
    /** By a part of the id, or the end of the IBAN. */
    accounts: (part: string) => accounts.all(`%${part}%`, `%${part}`),
    subscriptions: (part: string) => subscriptions.all(`%${part}%`),
    users: (part: string) => users.all(`%${part}%`),
  }
}
