import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/journal/journal.ts'
import { migrations } from '../../src/journal/migrations.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const totals = (source: string, where = '') =>
  `SELECT day, profile, service, user, coalesce(world, '') AS world, coalesce(currency, '') AS currency,
     sum(amount) AS amount
   FROM ${source} ${where} GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(amount) <> 0 ORDER BY 1, 2, 3, 4, 5, 6`

/** The saved sums, and the same sums calculated from the payments. */
function sumsIn(file: string) {
  const database = new Sqlite(file, { readonly: true })
  try {
    const kept = database.prepare(totals('counted_sums')).all()
    return { kept, added: database.prepare(totals('counted_payments', 'WHERE counts = 1')).all() }
  } finally {
    database.close()
  }
}

const payment = fc.record({
  profile: fc.constantFrom('prod', 'test'),
  base_url: fc.constantFrom('https://api.example.com', 'http://127.0.0.1:4010'),
  user: fc.constantFrom('ana', 'luis'),
  world: fc.constantFrom(null, 'world-1'),
  currency: fc.constantFrom(null, 'CRC', 'USD'),
  day: fc.constantFrom('2026-11-22', '2026-11-23'),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
  idempotency_key: fc.constantFrom('a', 'b', 'c'),
})

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('count' as const), payment }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), payment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), payment }) },
)

test('the sums of a day follow every payment that is counted, released or counted again', async () => {
  const folder = await temporaryDirectory()
  let run = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const home = join(folder, `${run++}`)
      const journal = openJournal(home)
      for (const { kind, payment } of steps) {
        const { counted } = journal
        const whole = { ...payment, service: payment.base_url, payee: '87000001', rules: '', counted_at: payment.day }
        if (kind === 'count') counted.count(whole)
        else if (kind === 'release') counted.release(payment)
        else counted.clear()
      }
      journal.close()
      const { kept, added } = sumsIn(join(home, 'journal.db'))
      expect(kept).toEqual(added)
    }),
    { numRuns: 40 },
  )
})

test('a journal of an earlier version gets the sums of the payments it has counted', async () => {
  const folder = await temporaryDirectory()
  const journal = openJournal(folder)
  const common = { profile: 'prod', base_url: 'https://api.example.com', user: 'ana', world: null, currency: 'CRC' }
  const at = { counted_at: '2026-11-22T12:00:00Z', day: '2026-11-22', service: common.base_url, payee: '87000001' }
  for (const [key, amount] of Object.entries({ a: 5, b: 70, c: 900 })) {
    journal.counted.count({ ...common, ...at, idempotency_key: key, amount, rules: '' })
  }
  journal.counted.release({ ...common, idempotency_key: 'b' })
  const file = join(folder, 'journal.db')
  journal.close()
  const earlier = new Sqlite(file)
  earlier.exec(`DROP TRIGGER counted_sums_insert; DROP TRIGGER counted_sums_update; DROP TRIGGER counted_sums_delete;
    DROP TABLE counted_sums; DROP TABLE batches; ALTER TABLE intents DROP COLUMN expected_document`)
  earlier.pragma(`user_version = ${migrations.findIndex((step) => step.includes('CREATE TABLE counted_sums'))}`)
  earlier.close()

  openJournal(folder).close()

  expect(sumsIn(file).kept).toMatchObject([{ amount: 905 }])
})
