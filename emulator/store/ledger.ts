import type { Currency } from '../../src/contract/index.ts'
import type { Entry } from '../domain/entries.ts'
import type { Movement } from '../domain/payment.ts'
import type { Statements } from './database.ts'

export type Purpose = 'available' | 'held' | 'rail' | 'fees' | 'funding'

interface Booking {
  /** Null for an entry that funds an account, because the entry does not belong to a payment. */
  readonly paymentSeq: number | null
  readonly movement: Movement | 'funding'
  readonly entries: readonly Entry[]
  readonly at: number
}

interface Funding {
  /** UUID of the account. */
  readonly owner: string
  readonly currency: string
  readonly amount: number
  readonly at: number
}

/** A ledger account by its name, with its balance in minor units. */
export interface LedgerBalance {
  readonly owner: string
  readonly purpose: Purpose
  readonly currency: Currency
  readonly balance: number
}

export type Ledger = ReturnType<typeof ledgerIn>

export function ledgerIn(db: Statements) {
  const find = db
    .prepare<[string, Purpose, string], number>(
      'SELECT id FROM ledger_accounts WHERE owner = ? AND purpose = ? AND currency = ?',
    )
    .pluck()
  const open = db.prepare<[string, Purpose, string]>(
    'INSERT INTO ledger_accounts (owner, purpose, currency) VALUES (?, ?, ?)',
  )
  const insert = db.prepare<[number | null, string, number, number, number]>(
    'INSERT INTO ledger_entries (payment_seq, movement, ledger_account, amount, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const unbalanced = db.prepare<[], { payment_seq: number | null; movement: string; currency: string; sum: number }>(
    `SELECT payment_seq, movement, currency, sum(amount) AS sum FROM ledger_entries
     JOIN ledger_accounts ON ledger_accounts.id = ledger_account
     GROUP BY payment_seq, movement, currency HAVING sum(amount) <> 0`,
  )
  const drifted = db.prepare<[], { owner: string; purpose: string; balance: number; sum: number }>(
    `SELECT owner, purpose, balance, coalesce(sum(amount), 0) AS sum FROM ledger_accounts
     LEFT JOIN ledger_entries ON ledger_account = ledger_accounts.id
     GROUP BY ledger_accounts.id HAVING balance <> coalesce(sum(amount), 0)`,
  )
  const wronglyHeld = db.prepare<[], { owner: string; held: number; due: number }>(
    `SELECT owner, balance AS held, (SELECT coalesce(sum(amount + fee), 0) FROM payments
       WHERE account = (SELECT seq FROM accounts WHERE id = owner) AND transfer_type = 'debit' AND status IN ('pending', 'processing')) AS due
     FROM ledger_accounts WHERE purpose = 'held' AND held <> due`,
  )
  const unsettled = db.prepare<[], { id: string; status: string }>(
    `SELECT id, status FROM payments WHERE transfer_type = 'debit' AND
       CASE status
         WHEN 'completed' THEN (SELECT group_concat(DISTINCT movement ORDER BY movement) FROM ledger_entries
           WHERE payment_seq = seq) IS NOT 'capture,hold'
         WHEN 'pending' THEN (SELECT group_concat(DISTINCT movement) FROM ledger_entries
           WHERE payment_seq = seq) IS NOT 'hold'
         WHEN 'processing' THEN (SELECT group_concat(DISTINCT movement) FROM ledger_entries
           WHERE payment_seq = seq) IS NOT 'hold'
         ELSE coalesce((SELECT group_concat(DISTINCT movement ORDER BY movement) FROM ledger_entries
           WHERE payment_seq = seq), 'none') NOT IN ('hold,release', 'none')
       END`,
  )
  const all = db.prepare<[], LedgerBalance>('SELECT owner, purpose, currency, balance FROM ledger_accounts ORDER BY id')
  const balance = db.prepare<[number], number>('SELECT balance FROM ledger_accounts WHERE id = ?').pluck()
  const entries = db.prepare<[], number>('SELECT count(*) FROM ledger_entries').pluck()

  const account = (owner: string, purpose: Purpose, currency: string): number =>
    find.get(owner, purpose, currency) ?? Number(open.run(owner, purpose, currency).lastInsertRowid)
  const book = ({ paymentSeq, movement, entries, at }: Booking): void => {
    for (const entry of entries) insert.run(paymentSeq, movement, entry.account, entry.amount, at)
  }

  return {
    /** Returns the id of a ledger account; opens the ledger account at its first use. */
    account,
    /** In minor units. */
    balance(account: number): number {
      const value = balance.get(account)
      if (value === undefined) throw new Error(`No ledger account ${account}`)
      return value
    },
    /** Balance in minor units; 0 for a ledger account that is not open yet. */
    balanceOf(owner: string, purpose: Purpose, currency: string): number {
      const id = find.get(owner, purpose, currency)
      return id === undefined ? 0 : (balance.get(id) ?? 0)
    },
    /** The balances of all ledger accounts, in the order in which the accounts were opened. */
    balances: (): LedgerBalance[] => all.all(),
    book,
    /**
     * Changes the available money of an account without a payment, in minor units; negative amounts take money away.
     */
    fund({ owner, currency, amount, at }: Funding): void {
      if (amount === 0) return
      const entries = [
        { account: account('emulator', 'funding', currency), amount: -amount },
        { account: account(owner, 'available', currency), amount },
      ]
      book({ paymentSeq: null, movement: 'funding', entries, at })
    },
    entries: (): number => entries.get() ?? 0,
    /**
     * Describes the errors in the ledger: movements that do not sum to zero, wrong balances, wrong holds, and payments
     * whose entries contradict their status.
     */
    problems: (): string[] => [
      ...unbalanced
        .all()
        .map((row) => `${row.movement} of payment ${row.payment_seq} sums to ${row.sum} in ${row.currency}`),
      ...drifted
        .all()
        .map((row) => `${row.purpose} of ${row.owner} is ${row.balance}, but its entries sum to ${row.sum}`),
      ...wronglyHeld.all().map((row) => `${row.owner} holds ${row.held}, but its unfinished payments need ${row.due}`),
      ...unsettled.all().map((row) => `payment ${row.id} is ${row.status}, but its entries say otherwise`),
    ],
  }
}
