import { DatabaseSync } from 'node:sqlite'

export type Currency = 'CRC' | 'USD'

/** Amounts are in minor units and times in epoch milliseconds, everywhere in the shop. */
const schema = `
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    price INTEGER NOT NULL, price_currency TEXT NOT NULL,
    due INTEGER NOT NULL, currency TEXT NOT NULL,
    payer_phone TEXT, payer_iban TEXT,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'expired', 'refunded')),
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS credits (
    id TEXT PRIMARY KEY,
    amount INTEGER NOT NULL, currency TEXT NOT NULL,
    payer_phone TEXT, payer_iban TEXT, payer_name TEXT NOT NULL,
    order_id INTEGER UNIQUE REFERENCES orders,
    refund_id TEXT UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS payouts (
    id TEXT PRIMARY KEY,
    iban TEXT, phone TEXT, amount INTEGER NOT NULL, currency TEXT NOT NULL, description TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'completed', 'held')),
    attempt INTEGER NOT NULL DEFAULT 1,
    in_doubt INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    payment_id TEXT, reason TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    access_token TEXT, refresh_token TEXT, renewal_since INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS books (
    account_id TEXT PRIMARY KEY, iban TEXT NOT NULL, currency TEXT NOT NULL UNIQUE, opening_balance INTEGER NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO session (id) VALUES (1);
`

/**
 * Opens the shop's database, which several processes may use at the same time. Without a path, the database is in
 * memory.
 */
export function openDatabase(path = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; ${schema}`)
  return database
}

/** Does all of `work`, or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
