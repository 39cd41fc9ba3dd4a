import { type AccountStatus, buildIban, type Currency } from '../../src/contract/index.ts'
import type { SourceBooks } from '../domain/entries.ts'
import { emulatorEntity } from '../domain/sinpe.ts'
import type { Ledger } from './ledger.ts'
import type { Statements } from './statements.ts'
import type { Users } from './users.ts'

interface Row {
  readonly seq: number
  readonly id: string
  readonly user: number
  readonly iban: string
  readonly currency: Currency
  readonly status: AccountStatus
  readonly available_ledger: number
  readonly held_ledger: number
  readonly created_at: number
  readonly updated_at: number
}

/** An account with its owner's identity. `balance` is what can be spent, in minor units, without what is held. */
export interface Account extends Row {
  readonly balance: number
  readonly owner_name: string
  readonly document_number: string
  readonly document_type: number
}

export interface NewAccount {
  readonly id: string
  readonly user: number
  readonly currency: Currency
  readonly created_at: number
  /** Made up where it is not given. */
  readonly iban?: string
  /** `active` where it is not given. */
  readonly status?: AccountStatus
  /** That of creation where it is not given. */
  readonly updated_at?: number
}

/** The ledger accounts of an account: what can be spent, and what is held for unfinished payments. */
export const booksOf = ({ available_ledger, held_ledger }: Account): SourceBooks => ({
  available: available_ledger,
  held: held_ledger,
})

/** After the entity code, 1 marks an account in CRC and 2 one in USD. */
const currencyDigit: Readonly<Record<Currency, string>> = { CRC: '1', USD: '2' }

/** An IBAN that no bank has, and none of those that are taken: that of the account with this number, or after it. */
export function ibanOf(currency: Currency, number: number, isTaken: (iban: string) => boolean): string {
  for (let next = number; ; next++) {
    const iban = buildIban(emulatorEntity, `${currencyDigit[currency]}${String(next).padStart(13, '0')}`)
    if (!isTaken(iban)) return iban
  }
}

export type Accounts = ReturnType<typeof accountsIn>

export function accountsIn(db: Statements, { users, ledger }: { users: Users; ledger: Ledger }) {
  // Account, owner and balance are three look-ups by key: as a join SQLite takes several times as long.
  const byId = db.prepare<[string], Row>('SELECT * FROM accounts WHERE id = ?')
  const bySeq = db.prepare<[number], Row>('SELECT * FROM accounts WHERE seq = ?')
  const byIban = db.prepare<[string], Row>('SELECT * FROM accounts WHERE iban = ?')
  const oldestInColones = db.prepare<[number], Row>(
    `SELECT * FROM accounts WHERE user = ? AND currency = 'CRC' AND status = 'active' ORDER BY seq LIMIT 1`,
  )
  const page = db.prepare<[number, number, number], Row>(
    'SELECT * FROM accounts WHERE user = ? ORDER BY seq LIMIT ? OFFSET ?',
  )
  const all = db.prepare<[], Row>('SELECT * FROM accounts ORDER BY seq')
  const count = db.prepare<[number], number>('SELECT count(*) FROM accounts WHERE user = ?').pluck()
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM accounts').pluck()
  const insert = db.prepare<[Row]>(
    `INSERT INTO accounts VALUES (@seq, @id, @user, @iban, @currency, @status, @available_ledger, @held_ledger,
       @created_at, @updated_at)`,
  )
  const setStatus = db.prepare<[AccountStatus, number, number]>(
    'UPDATE accounts SET status = ?, updated_at = ? WHERE seq = ?',
  )
  const withOwner = (row: Row): Account => {
    const { name, document_number, document_type } = users.get(row.user)
    return { ...row, balance: ledger.balance(row.available_ledger), owner_name: name, document_number, document_type }
  }
  const found = (row: Row | undefined): Account | undefined => row && withOwner(row)
  return {
    get: (id: string): Account | undefined => found(byId.get(id)),
    bySeq(seq: number): Account {
      const row = bySeq.get(seq)
      if (!row) throw new Error(`There is no account ${seq}`)
      return withOwner(row)
    },
    byIban: (iban: string): Account | undefined => found(byIban.get(iban)),
    /** The account that a user's phone stands for: the oldest active one in CRC. */
    byPhone(phone: string): Account | undefined {
      const user = users.byPhone(phone)
      return user && found(oldestInColones.get(user.seq))
    },
    /** Oldest first. */
    list: (user: number, { limit, offset }: { limit: number; offset: number }) => ({
      items: page.all(user, limit, offset).map(withOwner),
      total: count.get(user) ?? 0,
    }),
    /** Those of all users, oldest first. */
    all: (): Account[] => all.all().map(withOwner),
    setStatus(seq: number, status: AccountStatus, at: number): void {
      setStatus.run(status, at, seq)
    },
    /** Opens an account with balance 0. */
    add({ id, user, currency, created_at, status = 'active', updated_at = created_at, ...given }: NewAccount) {
      const seq = (lastSeq.get() ?? 0) + 1
      const iban = given.iban ?? ibanOf(currency, seq, (made) => byIban.get(made) !== undefined)
      insert.run({
        seq,
        id,
        user,
        iban,
        currency,
        status,
        available_ledger: ledger.account(id, 'available', currency),
        held_ledger: ledger.account(id, 'held', currency),
        created_at,
        updated_at,
      })
      return { id, iban }
    },
  }
}
