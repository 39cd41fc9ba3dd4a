import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { ControlRefusal, type Emulator, EmulatorRefusal, startEmulator } from '../../../src/testing/index.ts'
import { newFolder } from '../store/folder.ts'

let emulator: Emulator
/** The file of a world with payments in several states, a subscription and its deliveries. */
let whole: Buffer
const faults: unknown[] = []

beforeAll(async () => {
  emulator = await startEmulator({ settle: 'manual', onFault: (fault) => faults.push(fault) })
  const { baseUrl, token, control } = emulator
  const client = createClient({ baseUrl, token, retries: 0, strict: true })
  await client.call('webhooks.create', {
    body: { url: 'http://127.0.0.1:9/hook', events: ['payment.completed'], headers: { 'X-Own': 'a' } },
  })
  for (const key of ['a', 'b', 'c']) {
    const body = { source_account_id: emulator.accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 1000 }
    await client.call('payments.create', { headers: { 'X-Idempotency-Key': key }, body })
    if (key === 'b') await control.clock.runUntilIdle({ ms: 60_000 })
  }
  await control.clock.freeze()
  whole = Buffer.from(await control.export())
  await client.close()
  return () => emulator.close()
})

/** Imports a file and returns the refusal. Checks that no world is created and the file stays unchanged. */
async function refused(file: Buffer): Promise<string> {
  const before = Buffer.from(file)
  const error = await emulator.world({ from: { file } }).catch((refusal: unknown) => refusal)
  if (!(error instanceof ControlRefusal)) throw error
  expect(error.status).toBe(422)
  expect(file.equals(before)).toBe(true)
  const { data: worlds } = await emulator.control.worlds.list()
  expect(worlds.map(({ name }) => name)).toEqual(['default'])
  return error.message
}

/** The content of the file after a change with SQLite. */
function changed(change: string): Buffer {
  const connection = new Sqlite(whole)
  connection.unsafeMode()
  connection.pragma('foreign_keys = OFF')
  connection.pragma('ignore_check_constraints = ON')
  if (change.includes('sqlite_schema')) connection.pragma('writable_schema = ON')
  connection.exec(change)
  return connection.serialize()
}

/** Starts an emulator on the file as its data file, and returns the refusal. */
async function refusedAsData(file: Buffer): Promise<string> {
  const data = join(newFolder(), 'world.db')
  writeFileSync(data, file)
  const error = await startEmulator({ data }).catch((refusal: unknown) => refusal)
  if (!(error instanceof EmulatorRefusal)) throw error
  expect(readFileSync(data).equals(file)).toBe(true)
  expect(error.hint).toMatch(/another file/)
  return error.message.replace(data, 'The file')
}

const overwritten = (at: number, bytes: readonly number[]): Buffer => {
  const copy = Buffer.from(whole)
  copy.set(bytes, at)
  return copy
}

/** SQL that adds a scheduled credit to the account of a payment; the values are SQL too. */
function scheduledCredit(values: Readonly<Record<string, string>>): string {
  const row: Readonly<Record<string, string>> = {
    ...{ seq: '1', id: "'c1'", account: 'account', channel: "'pin'", amount: '5', payer_document_number: "'1'" },
    ...{ payer_name: "'Ana'", status: "'scheduled'", due_at: '0', created_at: '0', ...values },
  }
  return `INSERT INTO scheduled_credits (${Object.keys(row)}) SELECT ${Object.values(row)} FROM payments LIMIT 1`
}

describe('a file is refused that', () => {
  it.each([
    ['is empty', () => Buffer.alloc(0), 'was not made by payctl'],
    ['is text', () => Buffer.from('dear diary'), 'was not made by payctl'],
    ['is of zeros', () => Buffer.alloc(8192), 'was not made by payctl'],
    ['ends within its header', () => whole.subarray(0, 60), 'was not made by payctl'],
    ['is of another program', () => overwritten(68, [1, 2, 3, 4]), 'was not made by payctl'],
    ['is of a newer payctl', () => overwritten(60, [0, 0, 0, 99]), 'newer payctl'],
    ['is of no version', () => overwritten(60, [0, 0, 0, 0]), 'damaged'],
    ['has text in UTF-16', () => overwritten(56, [0, 0, 0, 2]), 'damaged'],
    ['has pages of another size', () => overwritten(16, [0x10, 0x00]), 'damaged'],
    ['is cut after a page', () => whole.subarray(0, 2048), 'damaged'],
    ['is cut in two', () => whole.subarray(0, whole.length / 2), 'damaged'],
    ['is cut by a byte', () => whole.subarray(0, -1), 'damaged'],
    [
      'has garbage for a page',
      () =>
        overwritten(
          3 * 2048,
          [...Array(2048).keys()].map((n) => n % 251),
        ),
      'damaged',
    ],
  ] as const)('%s', async (_, file, why) => {
    expect(await refused(file())).toContain(why)
  })

  it.each([
    ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON payments BEGIN DELETE FROM users; END', 'a trigger "t"'],
    ['a view', 'CREATE VIEW v AS SELECT * FROM tokens', 'a view "v"'],
    ['a table', 'CREATE TABLE more (a)', 'a table "more"'],
    ['a virtual table', 'CREATE VIRTUAL TABLE v USING fts5(a)', 'a table "v"'],
    ['an index of an expression', 'CREATE INDEX i ON users (lower(name))', 'has a index "i"'],
    ['statistics', 'ANALYZE', 'a table "sqlite_stat'],
    ['a generated column', 'ALTER TABLE users ADD COLUMN more TEXT AS (name)', 'a table "users" that differs'],
    ['a column', 'ALTER TABLE users ADD COLUMN more TEXT', 'a table "users" that differs'],
    [
      'no check any more',
      `UPDATE sqlite_schema SET sql = replace(sql, 'amount > 0', '1')`,
      'a table "payments" that differs',
    ],
    ['a trigger of its own', 'DROP TRIGGER ledger_entries_are_final', 'lacks the trigger'],
    ['an index less', 'DROP INDEX payments_due', 'lacks the index'],
    ['a name of control characters', 'CREATE TABLE "a\u001b[2J" (a)', '"a\\u001b[2J"'],
  ])('has %s', async (_, change, why) => {
    const file = changed(change)
    expect(await refused(file)).toContain(why)
    expect(await refusedAsData(file)).toContain(why)
  })

  it.each([
    ['no JSON', `UPDATE settings SET value = '{' WHERE name = 'clock'`, 'setting "clock"'],
    [
      'a clock of words',
      `UPDATE settings SET value = '{"offset_ms":"x","frozen_at":null}' WHERE name = 'clock'`,
      'clock',
    ],
    [
      'a time that is none',
      `UPDATE settings SET value = '{"offset_ms":0,"frozen_at":1e300}' WHERE name = 'clock'`,
      'clock',
    ],
    ['a time before all', `INSERT OR REPLACE INTO settings VALUES ('exported_at', '-5')`, 'exported_at'],
    [
      'fees below zero',
      `INSERT INTO settings VALUES ('fees', '{"pin":-1,"pin_usd":0,"sinpe_movil":0,"own_accounts":"same"}')`,
      'fees',
    ],
    ['a seed that is none', `UPDATE settings SET value = '"x"' WHERE name = 'seed'`, 'seed'],
  ])('has a setting of %s', async (_, change, why) => {
    const file = changed(change)
    expect(await refused(file)).toContain(why)
    expect(await refusedAsData(file)).toContain(why)
  })

  it.each([
    [
      'an amount that its entries do not have',
      'UPDATE payments SET amount = amount + 1',
      'ledger that does not balance',
    ],
    ['money from nowhere', 'UPDATE ledger_accounts SET balance = balance + 1', 'ledger that does not balance'],
    ['an entry less', 'DELETE FROM ledger_entries WHERE id = 1', 'ledger that does not balance'],
    ['less than nothing', `UPDATE ledger_accounts SET balance = -1 WHERE purpose = 'available'`, 'damaged'],
    [
      'more than can be counted',
      'UPDATE ledger_accounts SET balance = 9223372036854775807',
      'row in the table ledger_accounts',
    ],
    ['an account with the book of another', 'UPDATE accounts SET available_ledger = 1', 'row in the table accounts'],
    ['a status that is none', `UPDATE payments SET status = 'gone'`, 'row in the table payments'],
    [
      'a step of what has ended',
      `UPDATE payments SET due_at = 5 WHERE status = 'completed'`,
      'row in the table payments',
    ],
    ['a time that is none', 'UPDATE payments SET created_at = 9000000000000000000', 'row in the table payments'],
    ['payments of nobody', 'UPDATE payments SET user = 99', 'refer to missing rows'],
    ['no user', 'DELETE FROM tokens; UPDATE users SET seq = 99 WHERE seq = 1', 'refer to missing rows'],
    ['nobody at all', 'PRAGMA foreign_keys = OFF; DELETE FROM users', 'refer to missing rows'],
    ['a URL that is none', `UPDATE subscriptions SET url = 'http://['`, 'row in the table subscriptions'],
    ['a file for a URL', `UPDATE subscriptions SET url = 'file:///etc/passwd'`, 'row in the table subscriptions'],
    [
      'a header that splits',
      `UPDATE subscriptions SET headers = '{"A":"b\\r\\nC: d"}'`,
      'row in the table subscriptions',
    ],
    ['an event that is none', `UPDATE subscriptions SET events = '["x"]'`, 'row in the table subscriptions'],
    ['events that are not its mask’s', 'UPDATE subscriptions SET event_mask = 2', 'row in the table subscriptions'],
    ['a digest that is none', `UPDATE tokens SET hash = x'00'`, 'row in the table tokens'],
    ['a scheduled credit in no status', scheduledCredit({ status: "'gone'" }), 'row in the table scheduled_credits'],
    [
      'a scheduled credit that was returned for no reason',
      scheduledCredit({ status: "'returned'" }),
      'row in the table scheduled',
    ],
    [
      'a scheduled credit with the id of a payment',
      scheduledCredit({ id: 'id' }),
      'row in the table scheduled_credits',
    ],
    [
      'a scheduled credit with half a reference',
      scheduledCredit({ sinpe_reference: "'123'" }),
      'row in the table scheduled',
    ],
    ['a scheduled credit to no account', scheduledCredit({ account: '99' }), 'refer to missing rows'],
    ['redirects that are none', `UPDATE oauth_clients SET redirect_uris = '[5]'`, 'row in the table oauth_clients'],
  ])('has %s', async (_, change, why) => {
    expect(await refused(changed(change))).toContain(why)
  })
})

it('what was refused has left nothing behind', () => {
  expect(faults).toEqual([])
})
