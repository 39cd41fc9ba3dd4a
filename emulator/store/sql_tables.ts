import { type SqlTable, sqlTables } from '../../src/contract/index.ts'

const time = (column: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%S', ${column} / 1000, 'unixepoch') || printf('.%03d000Z', ${column} % 1000)`

const balance = (ledger: string): string => `(SELECT balance FROM ledger_accounts WHERE id = ${ledger})`

/** SQL expression for a delivery id as receivers see it; `@series` is the series of the world. */
const deliveryId = (seq: string): string =>
  `'whd_' || iif(@series = 0, '', CAST(@series AS INTEGER)) || printf('%012d', ${seq})`

/** Query that fills each table, with the columns in the contract's order. `requests` has no rows on disk. */
const sources: Readonly<Record<Exclude<SqlTable, 'requests'>, string>> = {
  users: `SELECT id, name, email, phone, document_number, document_type, ${time('created_at')} FROM users`,
  accounts: `SELECT accounts.id, users.id, iban, currency, status, ${balance('available_ledger')}, ${balance('held_ledger')},
      ${time('accounts.created_at')}, ${time('accounts.updated_at')}
    FROM accounts JOIN users ON users.seq = user`,
  payments: `SELECT payments.id, users.id, accounts.id, idempotency_key, channel, transfer_type, payments.status, amount, fee,
      payments.currency, payer_name, payer_iban, payer_phone, payee_name, payee_iban, payee_phone, payee_document_number,
      description, error_message, state_code, channel_reference, sinpe_reference, ${time('due_at')},
      ${time('payments.created_at')}, ${time('submitted_at')}, ${time('completed_at')}
    FROM payments JOIN users ON users.seq = payments.user JOIN accounts ON accounts.seq = account`,
  scheduled_credits: `SELECT scheduled_credits.id, accounts.id, channel, scheduled_credits.status, state_code, amount, currency,
      payer_name, payer_iban, payer_phone, description, sinpe_reference, ${time('due_at')},
      ${time('scheduled_credits.created_at')}
    FROM scheduled_credits JOIN accounts ON accounts.seq = account`,
  ledger_entries: `SELECT ledger_entries.id, payments.id, movement, owner, purpose, ledger_accounts.currency,
      ledger_entries.amount, ${time('ledger_entries.created_at')}
    FROM ledger_entries JOIN ledger_accounts ON ledger_accounts.id = ledger_account LEFT JOIN payments ON seq = payment_seq`,
  subscriptions: `SELECT subscriptions.id, users.id, url, events, max_attempts, timeout, ${time('last_sent_at')},
      ${time('suspended_at')}, suspended_reason, ${time('subscriptions.created_at')}
    FROM subscriptions JOIN users ON users.seq = user`,
  events: `SELECT events.seq, name, payments.id, body, ${time('events.created_at')}
    FROM events JOIN payments ON payments.seq = payment`,
  deliveries: `SELECT ${deliveryId('deliveries.seq')}, event, name, payments.id, subscriptions.id, url, deliveries.status,
      attempts, ${time('deliveries.due_at')}
    FROM deliveries JOIN events ON events.seq = event JOIN payments ON payments.seq = payment
      JOIN subscriptions ON subscriptions.seq = subscription`,
  attempts: `SELECT ${deliveryId('delivery')}, number, ${time('started_at')}, duration_ms, status, error, answer
    FROM attempts`,
  registry: `SELECT address, name, document_number, currency, entity, status, outcome, state_code, failure_text
    FROM registry`,
}

/** A table that a query can read, filled by a query of the world's tables or from given rows. */
export interface SqlSource {
  readonly name: string
  readonly columns: readonly string[]
  readonly from: string | readonly (readonly unknown[])[]
}

/** The tables of the contract; `requests` gets the given rows. */
export const sqlSources = (requests: readonly (readonly unknown[])[]): readonly SqlSource[] =>
  Object.entries(sqlTables).map(([name, columns]) => ({
    name,
    columns,
    from: name === 'requests' ? requests : sources[name as keyof typeof sources],
  }))
