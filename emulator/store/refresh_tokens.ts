import { digest } from './digest.ts'
import type { Statements } from './statements.ts'

/** A refresh token; what is kept of it is its hash. Used ones stay, so that they are known when they come again. */
export interface RefreshToken {
  readonly id: number
  /** Seq of the authorization it belongs to. */
  readonly authorization: number
  readonly used_at: number | null
}

export interface NewRefreshToken {
  readonly secret: string
  readonly authorization: number
  readonly created_at: number
}

export type RefreshTokens = ReturnType<typeof refreshTokensIn>

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
