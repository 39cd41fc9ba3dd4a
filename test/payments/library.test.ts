import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type BatchRow, createClient, openJournal, payBatch, resumePayment } from '../../src/index.ts'
import { account, iban, phone, startService } from '../commands/payments/service.ts'

/** A service, and the objects with which a program pays there. */
async function setUp() {
  const service = await startService()
  const folder = mkdtempSync(join(tmpdir(), 'payctl-library-'))
  const journal = openJournal(folder)
  const client = createClient({ baseUrl: service.url, token: 'token-of-the-test', retries: 0 })
  onTestFinished(async () => {
    await client.close()
    journal.close()
    rmSync(folder, { recursive: true })
  })
  return { service, settings: { client, journal } }
}

const row: BatchRow = { from: account, to: iban, amount: 100, description: 'Salary of November' }

/** Answers with an account in dollars. */
const dollars = (path: string) => {
  const balance = { value: 10_000_000, currency: 'USD', formatted: '100000.00 USD' }
  const usd = { id: account, iban: 'CR61010200100000000001', balance, owner_name: 'Ana Mora', status: 'active' }
  const page = { data: [usd], current_page: 1, last_page: 1, per_page: 100, total: 1, from: 1, to: 1 }
  return path === '/api/accounts' ? ([200, page] as const) : undefined
}

test('a batch with a row in another currency than its account’s is refused, and nothing is sent', async () => {
  const { service, settings } = await setUp()
  const rows = [
    { ...row, currency: 'crc' },
    { ...row, currency: 'USD' },
  ]

  await expect(payBatch(rows, settings)).rejects.toMatchObject({
    name: 'UsageError',
    message: '1 row is wrong. Nothing was sent.',
    errors: { 'line 2': ['currency is USD, but the account that pays is in CRC'] },
  })
  expect(service.count('/api/payments')).toBe(0)
  expect([...settings.journal.list()]).toEqual([])
})

test('so are rows to a phone from an account that is not in CRC, and rows of accounts that cannot pay', async () => {
  const { service, settings } = await setUp()
  service.before = ({ path }) => dollars(path)
  const stranger = '00000000-0000-4000-8000-000000000000'
  const rows = [
    { ...row, to: phone },
    { ...row, currency: 'USD' },
    { ...row, from: stranger },
    { ...row, from: 'savings' },
    { ...row, to: 'CR61010200100000000001' },
  ]

  const refusal = await payBatch(rows, settings).catch((error) => error)

  expect(refusal.errors).toMatchObject({
    'line 1': ['the payee is a phone: SINPE Móvil carries CRC only, and the account that pays is in USD'],
    'line 3': [`from ${stranger} is not one of your accounts`],
    'line 4': ['from "savings" does not name an account.'],
    'line 5': ['the payee is the account that pays'],
  })
  expect(Object.keys(refusal.errors)).not.toContain('line 2')
  expect(service.count('/api/payments')).toBe(0)
})

test('rows in the currency of their account are paid, each once whatever the letters of its id', async () => {
  const { service, settings } = await setUp()

  const first = await payBatch(
    [
      { ...row, currency: 'CRC' },
      { ...row, amount: 101 },
    ],
    settings,
  )
  const again = await payBatch(
    [
      { ...row, from: account.toUpperCase() },
      { ...row, amount: 101 },
    ],
    settings,
  )

  expect([first.sent, again.sent, service.payments.size]).toEqual([2, 2, 2])
})

test('a failure says what can be done as a fact, in no words of the command line', async () => {
  const { settings } = await setUp()

  const unknown = await resumePayment('int_000000000000', settings).catch((error) => error)
  const wrong = await payBatch([row], { ...settings, batchId: 'b_1' }).catch((error) => error)

  expect(unknown).toMatchObject({ exit: 'not_found', hint: undefined, next: { kind: 'list_intents' } })
  expect(wrong.message).toBe('batchId must not begin with b_: such names are generated.')
})

test('a service that fails while payees are looked up is the failure, whatever payees are left', async () => {
  const { service, settings } = await setUp()
  service.before = ({ path }) => (path.startsWith('/api/phone/') ? [500, 'Out of order'] : undefined)
  const rows = ['88881231', '88881232', '88881233'].map((to) => ({ ...row, to }))

  const failure = payBatch(rows, { ...settings, checkPayees: true, concurrency: 1 })

  await expect(failure).rejects.toMatchObject({ name: 'ApiError', status: 500 })
})
