import type { Database as Connection } from 'better-sqlite3'
import {
  AccountStatus,
  Channel,
  CreditStatus,
  Currency,
  type EventName,
  eventNames,
  IbanStatus,
  Outcome,
  PaymentStatus,
  TransferType,
} from '../../src/contract/index.ts'
import { Statements } from './database.ts'
import { takingErrorsForDamage, UnusableFile } from './file_checks.ts'
import { ledgerIn } from './ledger.ts'
import { WorldSettings } from './settings.ts'
import { maskOf } from './subscriptions.ts'

const oneOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`
const isTextOrNull = (column: string, longest: number): string =>
  `(${column} IS NULL OR length(${column}) BETWEEN 1 AND ${longest})`
const isDigest = (column: string): string => `${column} IS NULL OR length(${column}) = 32`
const bookOf = (column: string, purpose: string): string =>
  `EXISTS (SELECT 1 FROM ledger_accounts AS book WHERE book.id = ${column} AND book.owner = accounts.id
     AND book.purpose = '${purpose}' AND book.currency = accounts.currency)`

/** Conditions on each row of a table, besides SQLite's own constraints. */
const rules: Readonly<Record<string, readonly string[]>> = {
  tokens: [isDigest('hash')],
  refresh_tokens: [isDigest('hash')],
  authorizations: [isDigest('code_hash')],
  oauth_clients: [
    // The hash is empty for a public client, which has no secret.
    `length(secret_hash) = 0 OR ${isDigest('secret_hash')}`,
    `json_type(redirect_uris) = 'array' AND NOT EXISTS (SELECT 1 FROM json_each(redirect_uris) WHERE type <> 'text')`,
  ],
  ledger_accounts: [oneOf('currency', Currency.enum)],
  accounts: [
    oneOf('currency', Currency.enum),
    oneOf('status', AccountStatus.enum),
    bookOf('available_ledger', 'available'),
    bookOf('held_ledger', 'held'),
  ],
  registry: [
    oneOf('currency', Currency.enum),
    oneOf('outcome', Outcome.enum),
    oneOf('status', IbanStatus.enum),
    isTextOrNull('state_code', 64),
    isTextOrNull('failure_text', 255),
  ],
  payments: [
    oneOf('channel', Channel.enum),
    oneOf('transfer_type', TransferType.enum),
    oneOf('currency', Currency.enum),
    oneOf('status', PaymentStatus.enum),
    oneOf('initial_status', PaymentStatus.enum),
    oneOf('outcome', Outcome.enum),
    isTextOrNull('state_code', 64),
    isTextOrNull('failure_text', 255),
    'settle_ms >= 0',
    // Only these payments may have a next step: the scheduler would try the step of any other payment again for ever.
    `due_at IS NULL OR status = 'pending' OR (status = 'processing' AND outcome <> 'processing')`,
  ],
  scheduled_credits: [
    oneOf('channel', Channel.enum),
    oneOf('status', CreditStatus.enum),
    `(status = 'returned') = (state_code IS NOT NULL)`,
    isTextOrNull('state_code', 64),
    isTextOrNull('description', 255),
    `sinpe_reference IS NULL OR (length(sinpe_reference) = 25 AND sinpe_reference NOT GLOB '*[^0-9]*')`,
    // A credit with the id or reference of an existing payment could never become a payment, and would stay due for
    // ever.
    `status <> 'scheduled' OR NOT EXISTS (SELECT 1 FROM payments WHERE payments.id = scheduled_credits.id
       OR (payments.sinpe_reference = scheduled_credits.sinpe_reference AND transfer_type = 'credit'))`,
  ],
  events: [oneOf('name', eventNames), 'json_valid(body)'],
  subscriptions: ['max_attempts BETWEEN 1 AND 10', 'timeout BETWEEN 1 AND 120'],
}

/** The largest integer that JavaScript represents exactly, and the largest time of a Date. */
const largest = { integer: Number.MAX_SAFE_INTEGER, time: 8_640_000_000_000_000 }

/**
 * Checks that the emulator could have written each value, that references lead to rows, and that the ledger balances,
 * because the emulator trusts its tables. The schema must be current. Throws UnusableFile.
 */
export function checkValues(connection: Connection): void {
  takingErrorsForDamage(() => {
    for (const [table, columns] of integerColumns(connection)) {
      refuseRows(connection, table, columns.map(isInRange))
    }
    for (const [table, conditions] of Object.entries(rules)) refuseRows(connection, table, conditions)
    if (connection.prepare('PRAGMA foreign_key_check').get() !== undefined) {
      throw new UnusableFile('has rows that refer to missing rows')
    }
    if (connection.prepare('SELECT 1 FROM users WHERE seq = 1').get() === undefined) {
      throw new UnusableFile('lacks the user that every world has')
    }
    checkSettings(connection)
    checkSubscriptions(connection)
    const [problem] = ledgerIn(new Statements(connection)).problems()
    if (problem !== undefined) throw new UnusableFile(`has a ledger that does not balance: ${problem}`)
  })
}

/** Checks the stored settings of a world. Throws UnusableFile. */
export function checkSettings(connection: Connection): void {
  const fault = new WorldSettings(new Statements(connection)).fault()
  if (fault !== null) throw new UnusableFile(`has a setting "${fault}" with a value that payctl never writes`)
}

function integerColumns(connection: Connection): Map<string, string[]> {
  const columns = connection
    .prepare<[], { table: string; column: string }>(
      `SELECT t.name AS "table", c.name AS "column" FROM main.sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.type = 'INTEGER'`,
    )
    .all()
  const tables = new Map<string, string[]>()
  for (const { table, column } of columns) tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

const isInRange = (column: string): string =>
  column.endsWith('_at')
    ? `(${column} IS NULL OR ${column} BETWEEN 0 AND ${largest.time})`
    : `(${column} IS NULL OR ${column} BETWEEN -${largest.integer} AND ${largest.integer})`

function refuseRows(connection: Connection, table: string, conditions: readonly string[]): void {
  const wrong = connection.prepare(
    `SELECT 1 FROM ${table} WHERE NOT coalesce(${conditions.map((condition) => `(${condition})`).join(' AND ')}, 0) LIMIT 1`,
  )
  if (wrong.get() === undefined) return
  throw new UnusableFile(`has a row in the table ${table} that payctl would not write`)
}

function checkSubscriptions(connection: Connection): void {
  const rows = connection
    .prepare<[], { url: string; events: string; event_mask: number; headers: string | null }>(
      'SELECT url, events, event_mask, headers FROM subscriptions',
    )
    .all()
  for (const { url, events, event_mask, headers } of rows) {
    const named: unknown = parsed(events)
    const isKnown = (name: unknown): name is EventName => (eventNames as readonly unknown[]).includes(name)
    const right =
      /^https?:\/\//i.test(url) &&
      URL.canParse(url) &&
      Array.isArray(named) &&
      named.every(isKnown) &&
      maskOf(named) === event_mask &&
      (headers === null || areHeaders(parsed(headers)))
    if (!right) throw new UnusableFile('has a row in the table subscriptions that payctl would not write')
  }
}

const areHeaders = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, text]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && typeof text === 'string' && !/\p{Cc}/u.test(text),
  )

/** Undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
