import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { checkLedger } from '../../emulator/control/counts.ts'
import type { Account, Currency, Payment } from '../../src/contract/index.ts'
import { ibanOf, paid } from '../conformance/fixture.ts'
import { type InsideWorld, openWorld } from '../conformance/targets/inject.ts'
import { full } from '../support/full.ts'
import { demoRegistry } from './demo_registry.ts'
import { allPayments, apiOf } from './payments.ts'

type Move =
  | { readonly do: 'pay'; readonly from: number; readonly to: number; readonly amount: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'open'; readonly currency: Currency }
  | { readonly do: 'restart' }

/**
 * A payment. `to`: index in the list of recipients, which contains the demo's registry, then the user's own accounts.
 */
const pay = fc.record({
  do: fc.constant('pay' as const),
  from: fc.nat(5),
  to: fc.nat(demoRegistry.length + 5),
  amount: fc.oneof(
    fc.integer({ min: 1, max: 5000 }),
    fc.integer({ min: 1, max: 500_000_000 }),
    fc.constantFrom(1_000_000, 999_900, 249_999_900, 250_000_000),
  ),
})
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 400, 500, 1000, 20_000) })
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: pay },
  { weight: 3, arbitrary: wait },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('open' as const), currency: fc.constantFrom('CRC', 'USD') }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

const inTheBeginning: Readonly<Record<Currency, number>> = { CRC: 250_000_000, USD: 1_000_000 }
const fees = { pin: 100, sinpe_movil: 0 } as const

/** A world in a data file, and its expected balances. */
class Books {
  readonly #file: string
  #world: InsideWorld | undefined
  #keys = 0

  constructor(file: string) {
    this.#file = file
  }

  async open(): Promise<void> {
    this.#world = await openWorld({ data: this.#file, settle: 'manual', rateLimit: null })
  }

  async close(): Promise<void> {
    await this.#world?.close()
  }

  get world(): InsideWorld {
    if (!this.#world) throw new Error('Not open')
    return this.#world
  }

  async accounts(): Promise<Account[]> {
    return (await apiOf(this.world).get('/api/accounts', { query: { per_page: 1000 } })).body.data.data
  }

  async make(step: Move): Promise<void> {
    const api = apiOf(this.world)
    if (step.do === 'wait') await this.world.control?.advanceClock(step.ms)
    else if (step.do === 'open') await api.post('/api/accounts', { currency: step.currency })
    else if (step.do === 'restart') {
      await this.close()
      await this.open()
    } else await this.#pay(step)
  }

  async #pay({ from, to, amount }: Move & { do: 'pay' }): Promise<void> {
    const accounts = await this.accounts()
    const address = demoRegistry[to]?.address ?? accounts[(to - demoRegistry.length) % accounts.length]?.iban ?? ''
    const recipient = address.startsWith('CR') ? { recipient_iban: address } : { recipient_phone: address }
    const order = { source_account_id: accounts[from % accounts.length]?.id, amount, ...recipient }
    const { status } = await apiOf(this.world).pay(order, `key-${this.#keys++}`)
    expect([201, 422]).toContain(status)
  }

  /** Compares the service's answers with simple arithmetic. */
  async check(): Promise<void> {
    const accounts = await this.accounts()
    const payments = await allPayments(apiOf(this.world))
    const ibans = new Set(accounts.map(({ iban }) => iban))
    for (const { balance } of accounts) expect(balance.value).toBeGreaterThanOrEqual(0)
    for (const currency of ['CRC', 'USD'] as const) {
      const there = sum(
        accounts.filter(({ balance }) => balance.currency === currency).map(({ balance }) => balance.value),
      )
      const gone = sum(payments.filter(({ amount }) => amount.currency === currency).map((each) => cost(each, ibans)))
      expect(there + gone).toBe(inTheBeginning[currency])
    }
    const arrived = payments.filter(({ transfer_type }) => transfer_type === 'credit')
    const internal = payments.filter((each) => each.transfer_type === 'debit' && isInternal(each, ibans))
    expect(arrived.length).toBe(internal.filter(({ status }) => status === 'completed').length)
    expect((await this.world.control?.ledger())?.problems).toEqual([])
  }
}

/** Amount that a payment takes from all accounts of the user together. */
function cost(payment: Payment, ibans: ReadonlySet<string>): number {
  const { transfer_type, status, amount, channel } = payment
  if (transfer_type === 'credit') return 0
  if (status === 'pending' || status === 'processing') return amount.value + fees[channel]
  if (status !== 'completed') return 0
  return (isInternal(payment, ibans) ? 0 : amount.value) + fees[channel]
}

const isInternal = ({ payee }: Payment, ibans: ReadonlySet<string>): boolean => ibans.has(payee.iban ?? '')

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

test('no order of payments, waits and restarts loses, makes or doubles money', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
      const folder = await mkdtemp(join(tmpdir(), 'payctl-ledger-'))
      const books = new Books(join(folder, 'world.db'))
      await books.open()
      try {
        for (const step of moves) {
          await books.make(step)
          await books.check()
        }
        await books.world.control?.advanceClock(86_400_000)
        await books.check()
        const left = (await allPayments(apiOf(books.world))).filter(({ status }) => status === 'pending')
        expect(left).toEqual([])
      } finally {
        await books.close()
        rmSync(folder, { recursive: true })
      }
    }),
    { numRuns: full ? 100 : 8 },
  )
}, 60_000)

test.each([
  ['01900000-0000-7000-8000-0000000000c1', 'Carlos Jiménez Mora'],
  ['01900000-0000-7000-8000-0000000000d1', 'Pacific Imports LLC'],
])('a payment from %s balances in its currency, its fee included', async (source_account_id, payee) => {
  const opened = await openWorld({ settle: 'instant', rateLimit: null })
  onTestFinished(() => opened.close())
  await paid(apiOf(opened), { source_account_id, amount: 1000, recipient_iban: ibanOf(payee) })
  expect(await allPayments(apiOf(opened))).toMatchObject([{ status: 'completed', fee: { value: 100 } }])
  expect(checkLedger(opened.world)).toMatchObject({ balanced: true, problems: [] })
})

test.each([
  [
    'a balance',
    'UPDATE ledger_accounts SET balance = balance + 1 WHERE id = (SELECT max(id) FROM ledger_accounts)',
    / is -?\d+, but its entries sum to /,
  ],
  [
    'a movement',
    'DELETE FROM ledger_entries WHERE id = (SELECT max(id) FROM ledger_entries)',
    / of payment \d+ sums to /,
  ],
  [
    'a currency',
    `DROP TRIGGER ledger_entries_are_final;
     UPDATE ledger_entries SET ledger_account = (SELECT id FROM ledger_accounts WHERE purpose = 'held' AND currency = 'USD')
     WHERE id = (SELECT max(id) FROM ledger_entries)`,
    /^hold of payment \d+ sums to 200 in USD$/,
  ],
  ['a hold', 'UPDATE payments SET amount = amount + 1', / holds 200, but its unfinished payments need 201/],
  ['an end', "UPDATE payments SET status = 'completed'", /^payment .+ is completed, but its entries say otherwise/],
])('books in which %s is wrong are told', async (_, sql, problem) => {
  const opened = await openWorld({ settle: 'manual', rateLimit: null })
  onTestFinished(() => opened.close())
  const { world } = opened
  const source_account_id = '01900000-0000-7000-8000-0000000000c1'
  await paid(apiOf(opened), { source_account_id, amount: 100, recipient_iban: ibanOf('Carlos Jiménez Mora') })
  expect(checkLedger(world)).toMatchObject({ balanced: true, problems: [] })

  world.database.connection.exec(sql)

  expect(checkLedger(world).balanced).toBe(false)
  expect(checkLedger(world).problems).toContainEqual(expect.stringMatching(problem))
})
