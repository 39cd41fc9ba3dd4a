import type { Scope } from '../../src/contract/index.ts'
import type { Statements } from './database.ts'
import { digest } from './secret.ts'

/** Access that a user granted to a client. Its code and all its tokens are one family, revoked together. */
export interface Authorization {
  readonly seq: number
  readonly client: number
  readonly user: number
  readonly scopes: readonly Scope[]
  /** The redirect URI that the code was sent to. */
  readonly redirect_uri: string
  readonly code_challenge: string | null
  readonly code_expires_at: number
  readonly redeemed_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

type NewAuthorization = Omit<Authorization, 'seq' | 'redeemed_at' | 'revoked_at'> & { readonly code: string }

type Row = Omit<Authorization, 'scopes'> & { readonly scopes: string }

export function authorizationsIn(db: Statements) {
  const columns =
    'seq, client, user, scopes, redirect_uri, code_challenge, code_expires_at, redeemed_at, revoked_at, created_at'
  const byCode = db.prepare<[Buffer], Row>(`SELECT ${columns} FROM authorizations WHERE code_hash = ?`)
  const bySeq = db.prepare<[number], Row>(`SELECT ${columns} FROM authorizations WHERE seq = ?`)
  const insert = db.prepare(
    `INSERT INTO authorizations
       (client, user, scopes, redirect_uri, code_hash, code_challenge, code_expires_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const redeem = db.prepare<[number, number]>('UPDATE authorizations SET redeemed_at = ? WHERE seq = ?')
  const revoke = db.prepare<[number, number]>(
    'UPDATE authorizations SET revoked_at = ? WHERE seq = ? AND revoked_at IS NULL',
  )
  return {
    byCode: (code: string): Authorization | undefined => parsed(byCode.get(digest(code))),
    bySeq: (seq: number): Authorization | undefined => parsed(bySeq.get(seq)),
    add(row: NewAuthorization): void {
      const { client, user, scopes, redirect_uri, code, code_challenge, code_expires_at, created_at } = row
      const granted = scopes.join(' ')
      insert.run(client, user, granted, redirect_uri, digest(code), code_challenge, code_expires_at, created_at)
    },
    redeem: (seq: number, at: number): void => {
      redeem.run(at, seq)
    },
    revoke: (seq: number, at: number): void => {
      revoke.run(at, seq)
    },
  }
}

const parsed = (row: Row | undefined): Authorization | undefined =>
  row && { ...row, scopes: row.scopes.split(' ') as Scope[] }

/** A refresh token; only its hash is stored. Used ones stay, so that a second use is detected. */
export interface RefreshToken {
  readonly id: number
  /** Seq of the authorization it belongs to. */
  readonly authorization: number
  readonly used_at: number | null
}

interface NewRefreshToken {
  readonly secret: string
  readonly authorization: number
  readonly created_at: number
}

export function refreshTokensIn(db: Statements) {
  const byHash = db.prepare<[Buffer], RefreshToken>(
    'SELECT id, authorization, used_at FROM refresh_tokens WHERE hash = ?',
  )
  const insert = db.prepare<[Buffer, number, number]>(
    'INSERT INTO refresh_tokens (hash, authorization, created_at) VALUES (?, ?, ?)',
  )
  const use = db.prepare<[number, number]>('UPDATE refresh_tokens SET used_at = ? WHERE id = ?')
  return {
    find: (secret: string): RefreshToken | undefined => byHash.get(digest(secret)),
    add: ({ secret, authorization, created_at }: NewRefreshToken): void => {
      insert.run(digest(secret), authorization, created_at)
    },
    use: (id: number, at: number): void => {
      use.run(at, id)
    },
  }
}
