import type { Statements } from './statements.ts'

/** What can be told of a token without its secret. Times in epoch milliseconds; `user` is a UUID. */
export interface TokenRecord {
  readonly id: number
  readonly user: string
  readonly scopes: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

export type TokenRecords = ReturnType<typeof tokenRecordsIn>

export function tokenRecordsIn(db: Statements) {
  const select = `SELECT tokens.id, users.id AS user, scopes, expires_at, revoked_at, tokens.created_at
    FROM tokens JOIN users ON users.seq = user`
  const byId = db.prepare<[number], TokenRecord>(`${select} WHERE tokens.id = ?`)
  const all = db.prepare<[], TokenRecord>(`${select} ORDER BY tokens.id`)
  const last = db.prepare<[], TokenRecord>(`${select} ORDER BY tokens.id DESC LIMIT 1`)
  const revoke = db.prepare<[number, number]>('UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  return {
    get: (id: number): TokenRecord | undefined => byId.get(id),
    /** The one made last. */
    last: (): TokenRecord | undefined => last.get(),
    /** Oldest first. */
    all: (): TokenRecord[] => all.all(),
    revoke: (id: number, at: number): void => {
      revoke.run(at, id)
    },
  }
}
