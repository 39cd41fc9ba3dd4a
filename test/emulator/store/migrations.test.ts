import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../emulator/store/migrations.ts'

/** How many there were before the registry had statuses, and references came with completion. */
const before = 3

test('a world of before keeps what it has, and holds to the decisions of today', () => {
  const db = new Sqlite(':memory:')
  onTestFinished(() => void db.close())
  db.pragma('foreign_keys = OFF')
  for (const step of migrations.slice(0, before)) db.exec(step)
  const insert = (table: string, row: Readonly<Record<string, string | number | null>>) => {
    const names = Object.keys(row)
    db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(row)
  }
  for (const [at, state_code] of ['account_closed', 'account_blocked', 'rejected', null].entries()) {
    const holder = { name: 'Ana', document_number: '1', document_type: 0, currency: 'CRC', entity: '151' }
    insert('registry', { ...holder, address: `8700000${at}`, outcome: state_code ? 'failed' : 'completed', state_code })
  }
  for (const [at, status] of ['processing', 'failed', 'completed'].entries()) {
    const place = {
      seq: at,
      id: `p${at}`,
      position: at,
      kind_position: at,
      payee_position: at,
      idempotency_key: `k${at}`,
    }
    const party = { payer_document_number: '1', payer_name: 'Ana', payee_document_number: '2', payee_name: 'Luis' }
    const money = { amount: 1, fee: 0, currency: 'CRC', channel: 'pin', transfer_type: 'debit', outcome: 'completed' }
    const rest = { user: 1, account: 1, initial_status: 'pending', channel_reference: 'c', settle_ms: 0, created_at: 0 }
    insert('payments', { ...place, ...party, ...money, ...rest, status, sinpe_reference: 'given' })
  }
  const url = 'https://example.com/hook'
  insert('subscriptions', {
    ...{ seq: 1, id: 's1', user: 1, url, events: '[]', event_mask: 1, max_attempts: 3, timeout: 30 },
    ...{ created_at: 0, updated_at: 0 },
  })

  for (const step of migrations.slice(before)) db.exec(step)

  const column = (sql: string) => db.prepare(sql).pluck().all()
  expect(column('SELECT status FROM registry ORDER BY address')).toEqual(['closed', 'blocked', 'active', 'active'])
  expect(column('SELECT sinpe_reference FROM payments ORDER BY seq')).toEqual([null, null, 'given'])
  expect(column('SELECT url FROM subscriptions WHERE secret_hash IS NULL')).toEqual([url])
})
