import type { Database } from 'better-sqlite3'
import { type AccountStatus, buildIban, type Currency } from '../../src/contract/index.ts'
import { emulatorEntity } from '../domain/references.ts'
import type { Ledger } from './ledger.ts'

/** An account with its owner's identity. `balance` is what can be spent, in minor units: holds are already off. */
export interface Account {
  readonly seq: number
  readonly id: string
  readonly user_id: string
  readonly iban: string
  readonly currency: Currency
  readonly status: AccountStatus
  readonly available_ledger: number
  readonly held_ledger: number
  readonly created_at: number
  readonly updated_at: number
  readonly balance: number
  readonly owner_name: string
  readonly document_number: string
  readonly document_type: number
}

export interface NewAccount {
  readonly id: string
  readonly user_id: string
  readonly currency: Currency
  readonly created_at: number
}

/** After the entity code, 1 marks an account in CRC and 2 one in USD. */
const currencyDigit: Readonly<Record<Currency, string>> = { CRC: '1', USD: '2' }

export type Accounts = ReturnType<typeof accountsIn>

export function accountsIn(db: Database, ledger: Ledger) {
  const whole = `SELECT accounts.*, ledger_accounts.balance, users.name AS owner_name, users.document_number,
      users.document_type
    FROM accounts JOIN ledger_accounts ON ledger_accounts.id = available_ledger JOIN users ON users.id = user_id`
  const byId = db.prepare<[string], Account>(`${whole} WHERE accounts.id = ?`)
  const byIban = db.prepare<[string], Account>(`${whole} WHERE iban = ?`)
  const byPhone = db.prepare<[string], Account>(
    `${whole} WHERE users.phone = ? AND accounts.currency = 'CRC' AND status = 'active' ORDER BY accounts.seq LIMIT 1`,
  )
  const page = db.prepare<[string, number, number], Account>(
    `${whole} WHERE user_id = ? ORDER BY accounts.seq DESC LIMIT ? OFFSET ?`,
  )
  const count = db.prepare<[string], number>('SELECT count(*) FROM accounts WHERE user_id = ?')
  count.pluck()
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM accounts')
  lastSeq.pluck()
  const insert = db.prepare<[Omit<Account, 'balance' | 'owner_name' | 'document_number' | 'document_type'>]>(
    `INSERT INTO accounts VALUES (@seq, @id, @user_id, @iban, @currency, @status, @available_ledger, @held_ledger,
       @created_at, @updated_at)`,
  )
  return {
    get: (id: string): Account | undefined => byId.get(id),
    byIban: (iban: string): Account | undefined => byIban.get(iban),
    /** The account that money sent to a user's phone arrives on: the oldest active one in CRC. */
    byPhone: (phone: string): Account | undefined => byPhone.get(phone),
    /** Newest first. */
    list: (userId: string, { limit, offset }: { limit: number; offset: number }) => ({
      items: page.all(userId, limit, offset),
      total: count.get(userId) ?? 0,
    }),
    /** Opens an account with a balance of 0 and an IBAN no bank has. */
    add({ id, user_id, currency, created_at }: NewAccount): { id: string; iban: string } {
      const seq = (lastSeq.get() ?? 0) + 1
      const iban = buildIban(emulatorEntity, `${currencyDigit[currency]}${String(seq).padStart(13, '0')}`)
      insert.run({
        seq,
        id,
        user_id,
        iban,
        currency,
        status: 'active',
        available_ledger: ledger.account(id, 'available', currency),
        held_ledger: ledger.account(id, 'held', currency),
        created_at,
        updated_at: created_at,
      })
      return { id, iban }
    },
  }
}
