import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { openDataFile } from '../../../emulator/store/data_file.ts'
import { migrations } from '../../../emulator/store/migrations.ts'
import { createClient } from '../../../src/client/index.ts'
import { newFolder } from './folder.ts'

/**
 * Number of migrations of an old schema, which has no statuses in the registry, and in which completing a payment sets
 * no references.
 */
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

test('an earlier fee applies to both currencies', () => {
  const db = new Sqlite(':memory:')
  onTestFinished(() => void db.close())
  db.pragma('foreign_keys = OFF')
  for (const step of migrations.slice(0, 7)) db.exec(step)
  db.exec(`INSERT INTO settings VALUES ('fees', '{"pin":250,"sinpe_movil":7}'), ('seed', '"demo"')`)

  for (const step of migrations.slice(7)) db.exec(step)

  const fees = db.prepare<[], string>("SELECT value FROM settings WHERE name = 'fees'").pluck().get()
  expect(JSON.parse(fees ?? '')).toEqual({ pin: 250, pin_usd: 250, sinpe_movil: 7, own_accounts: 'same' })
})

test('a data file of before keeps its payments and all that refers to them, and takes the key of a credit', async () => {
  const data = join(newFolder(), 'world.db')
  const old = new Sqlite(data)
  old.pragma('foreign_keys = OFF')
  old.pragma(`application_id = ${0x7063746c}`)
  for (const step of migrations.slice(0, 5)) old.exec(step)
  old.pragma('user_version = 5')
  copyRows(old, await worldOfToday())
  old.close()

  const emulator = await startEmulator({ data, settle: 'manual' })
  onTestFinished(() => emulator.close())
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
  onTestFinished(() => client.close())
  const [account] = emulator.accounts()
  const { data: payments } = await client.call('payments.history', {})
  expect(payments.map(({ transfer_type }) => transfer_type)).toEqual(['debit', 'credit'])
  expect(await emulator.control.ledger()).toMatchObject({ balanced: true, problems: [] })
  const headers = { 'X-Idempotency-Key': payments[1]?.idempotency_key ?? '' }
  const body = { source_account_id: account?.id ?? '', amount: 1, recipient_phone: '87000001' }
  expect(await client.call('payments.create', { headers, body })).toMatchObject({ status: 'pending' })
  await emulator.control.clock.runUntilIdle()
  expect(await emulator.control.ledger()).toMatchObject({ balanced: true, problems: [] })
})

test('files of every layout open at their first request, and keep their payments', async () => {
  const worlds = newFolder()
  const today = await worldOfToday()
  const layouts = migrations.map((_, at) => at + 1)
  for (const layout of layouts) {
    const old = new Sqlite(join(worlds, `v${layout}.sqlite`))
    old.pragma('foreign_keys = OFF')
    old.pragma(`application_id = ${0x7063746c}`)
    for (const step of migrations.slice(0, layout)) old.exec(step)
    old.pragma(`user_version = ${layout}`)
    copyRows(old, today)
    old.close()
  }

  const emulator = await startEmulator({ worlds, settle: 'manual' })
  onTestFinished(() => emulator.close())
  for (const layout of layouts) {
    const control = emulator.controlOf(`v${layout}`)
    expect(await control.ledger(), `layout ${layout}`).toMatchObject({ balanced: true, payments: 2 })
  }
})

/** Data file with a credit and a payment under way. */
async function worldOfToday(): Promise<string> {
  const data = join(newFolder(), 'today.db')
  const emulator = await startEmulator({ data, settle: 'manual' })
  const [account] = emulator.accounts()
  await emulator.control.credits.create({ to: account?.id ?? '', amount: 5000 })
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
  await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'before' },
    body: { source_account_id: account?.id ?? '', amount: 100, recipient_phone: '87000001' },
  })
  client.close()
  await emulator.close()
  return data
}

/** Fills the tables of another version with the rows of a data file. */
function copyRows(into: Database, data: string): void {
  into.prepare('ATTACH ? AS today').run(data)
  const tables = into.prepare<[], string>(`SELECT name FROM main.sqlite_schema WHERE type = 'table'`).pluck().all()
  into.exec('DROP TRIGGER ledger_entries_keep_balance')
  const columnsOf = into.prepare<[string], string>(`SELECT name FROM pragma_table_info(?, 'main')`).pluck()
  for (const table of tables) {
    const columns = columnsOf.all(table).join(', ')
    into.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM today.${table}`)
  }
  into.exec(migrations[0]?.match(/CREATE TRIGGER ledger_entries_keep_balance.*?END;/s)?.[0] ?? '')
  into.exec('DETACH today')
}

test('every new database has the tables, indexes and triggers of the migrations', () => {
  const schemaOf = (db: Database) =>
    db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  const migrated = new Sqlite(':memory:')
  const made = [1, 2, 3].map(() => openDataFile(null, () => {}))
  onTestFinished(() => {
    for (const db of [migrated, ...made]) db.close()
  })
  for (const step of migrations) migrated.exec(step)

  for (const db of made) {
    expect(schemaOf(db)).toEqual(schemaOf(migrated))
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length)
  }
})
