import type { Database } from 'better-sqlite3'
import { expect, test } from 'vitest'
import { Statements, withFixedPlan } from '../../emulator/store/database.ts'
import { storeIn } from '../../emulator/store/store.ts'
import { Worlds } from '../../emulator/worlds/worlds.ts'

/** Statements that scan a whole table on purpose, because a request checks or counts everything. */
const wholesale = [
  /FROM ledger_entries JOIN ledger_accounts ON .* GROUP BY/,
  /FROM ledger_accounts\s+LEFT JOIN/,
  /FROM ledger_accounts WHERE purpose = 'held'/,
  /^SELECT id, status FROM payments WHERE transfer_type/,
  /^SELECT count\(\*\) FROM (ledger_entries|deliveries|users|accounts|subscriptions|registry|returns|scheduled_credits)$/,
  /^SELECT (status, )?count\(\*\)( AS \w+)? FROM (payments|deliveries)/,
  // Search in the payments of all users: an index for each condition would slow down every payment.
  /^SELECT .* FROM payments WHERE \(@statuses IS NULL/,
  // Timeline of one payment: an index would slow down every event.
  /^SELECT seq, name, created_at FROM events WHERE payment = \?$/,
  // Start of the emulator.
  /^UPDATE tokens SET revoked_at = \? WHERE created_at = \?/,
  // Return of a rail that was offline.
  /^UPDATE payments SET due_at = \? WHERE channel = \?/,
  // Comparison of two worlds.
  /FROM ledger_entries JOIN ledger_accounts ON .* WHERE payment_seq IS (NOT )?NULL ORDER BY ledger_entries.id$/,
  /^SELECT payment, (deliveries\.)?seq, .* FROM (events|deliveries) .*ORDER BY (deliveries\.)?seq$/,
  /FROM (attempts ORDER BY delivery, number|ledger_accounts ORDER BY id)$/,
  // Export of a seed.
  /FROM (tokens|payments|scheduled_credits) ORDER BY (id|seq)$/,
  /FROM payments WHERE key_forgotten = 1$/,
  // Removal of an OAuth client.
  /^DELETE .*FROM (authorizations WHERE client = \?\)?|oauth_clients WHERE seq = \?)$/,
  // Lists in the order of the table: the scan ends with the page, or the list contains all rows.
  /FROM (tokens|deliveries) JOIN .* ORDER BY (tokens\.id|deliveries\.seq)( DESC)?( LIMIT .*)?$/,
  /FROM scheduled_credits ORDER BY seq DESC LIMIT \? OFFSET \?$/,
  // The newest row: the scan ends with the first row.
  /FROM payments ORDER BY seq DESC LIMIT 1$/,
]

/** Tables that stay small because people fill them, and lists passed as JSON. */
const small = ['users', 'accounts', 'subscriptions', 'registry', 'oauth_clients', 'settings', 'json_each']

/** Every statement that the stores prepare, with SQLite's plan. */
function plans(db: Database): { sql: string; steps: string[] }[] {
  const statements: string[] = []
  class Recording extends Statements {
    override prepare<Values extends unknown[], Row>(sql: string) {
      statements.push(sql.replace(/\s+/g, ' ').trim())
      return super.prepare<Values, Row>(sql)
    }
  }
  storeIn(new Recording(db))
  return statements.map((sql) => {
    const steps = db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${withFixedPlan(sql)}`)
      .all(...blanks(sql))
    return { sql, steps: steps.map(({ detail }) => detail) }
  })
}

/** A null for every parameter: the plan does not depend on the values. */
function blanks(sql: string): unknown[] {
  const named = [...sql.matchAll(/[@:](\w+)/g)].map(([, name]) => [name, null] as const)
  if (named.length > 0) return [Object.fromEntries(named)]
  const numbered = new Set(sql.match(/\?\d+/g) ?? []).size
  return Array.from({ length: (sql.match(/\?(?!\d)/g) ?? []).length + Math.max(0, numbered - 1) }, () => null)
}

test('no statement goes through a growing table without an index, and no list is sorted', async () => {
  const worlds = new Worlds({ settle: 'manual' })
  try {
    const all = plans(worlds.current.database.connection)
    expect(all.length).toBeGreaterThan(30)
    const slow = all
      .filter(({ sql }) => !wholesale.some((pattern) => pattern.test(sql)) && !/FROM registry ORDER BY/.test(sql))
      .flatMap(({ sql, steps }) => steps.filter(isSlow).map((step) => `${step}: ${sql}`))
    expect(slow).toEqual([])
  } finally {
    await worlds.close()
  }
})

function isSlow(step: string): boolean {
  if (step.includes('USE TEMP B-TREE')) return true
  // a SELECT without a table
  if (step === 'SCAN CONSTANT ROW') return false
  const scanned = /^SCAN (\w+)(?! USING)/.exec(step)?.[1]
  return scanned !== undefined && !step.includes('USING') && !small.includes(scanned)
}
