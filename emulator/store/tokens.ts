import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { Scope } from '../../src/contract/index.ts'

/** A bearer token; what is kept of it is its hash. `expires_at` in epoch milliseconds, null for never. */
export interface Token {
  readonly id: number
  readonly user: number
  readonly scopes: ReadonlySet<string>
  readonly expires_at: number | null
}

interface Row {
  readonly id: number
  readonly user: number
  readonly scopes: string
  readonly expires_at: number | null
}

export interface NewToken {
  readonly secret: string
  readonly user: number
  readonly scopes: readonly Scope[]
  readonly expires_at: number | null
  readonly created_at: number
}

export type Tokens = ReturnType<typeof tokensIn>

export function tokensIn(db: Database) {
  const byHash = db.prepare<[Buffer], Row>('SELECT id, user, scopes, expires_at FROM tokens WHERE hash = ?')
  const upsert = db.prepare<[Buffer, number, string, number | null, number]>(
    `INSERT INTO tokens (hash, user, scopes, expires_at, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET user = excluded.user, scopes = excluded.scopes,
       expires_at = excluded.expires_at`,
  )
  return {
    find(secret: string): Token | undefined {
      const row = byHash.get(digest(secret))
      return row && { ...row, scopes: new Set(row.scopes.split(' ')) }
    },
    put({ secret, user, scopes, expires_at, created_at }: NewToken): void {
      upsert.run(digest(secret), user, scopes.join(' '), expires_at, created_at)
    },
  }
}

const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')
