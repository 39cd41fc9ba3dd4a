import type { Scope } from '../../src/contract/index.ts'
import { numbersAfter, type Statements } from './database.ts'
import { digest, digestOf, type SecretOrDigest } from './secret.ts'

/** A bearer token; only its hash is stored. `expires_at` in epoch milliseconds; null: never. */
export interface Token {
  readonly id: number
  readonly user: number
  /** Seq of the OAuth client to which the token was issued; null for a dashboard token. */
  readonly client: number | null
  readonly scopes: ReadonlySet<string>
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

/** False for a revoked dashboard token: many people may know it, for example if the world is a copy. */
export const isOwn = ({ client, revoked_at }: Pick<Token, 'client' | 'revoked_at'>): boolean =>
  client !== null || revoked_at === null

interface Row {
  readonly id: number
  readonly user: number
  readonly authorization: number | null
  readonly scopes: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

export interface NewToken {
  readonly secret: SecretOrDigest
  readonly user: number
  readonly scopes: readonly Scope[]
  readonly expires_at: number | null
  readonly created_at: number
  /** Seq of the authorization for which the token was issued; a dashboard token has none. */
  readonly authorization?: number
}

/** Highest id that a token ever had, even if that token was deleted with its OAuth client. */
const lastToken = `SELECT max(coalesce((SELECT max(id) FROM tokens), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'last_token'), 0))`

/** Stores the highest id; run it before tokens are deleted. */
export const keepLastToken = `INSERT OR REPLACE INTO settings (name, value) VALUES ('last_token', (${lastToken}))`

export type Tokens = ReturnType<typeof tokensIn>

export function tokensIn(db: Statements) {
  const byHash = db.prepare<[Buffer], Row>(
    'SELECT id, user, authorization, scopes, expires_at, revoked_at FROM tokens WHERE hash = ?',
  )
  // No join: most tokens are dashboard tokens, which have no authorization to look up.
  const clientOf = db.prepare<[number], number>('SELECT client FROM authorizations WHERE seq = ?').pluck()
  const upsert = db.prepare<[number, Buffer, number, string, number | null, number, number | null]>(
    `INSERT INTO tokens (id, hash, user, scopes, expires_at, created_at, authorization) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET user = excluded.user, scopes = excluded.scopes,
       expires_at = excluded.expires_at, authorization = excluded.authorization, revoked_at = NULL`,
  )
  const lastId = db.prepare<[], number>(lastToken).pluck()
  // payctl counts ids itself: SQLite would give the id of a deleted token to a new token, and callers name the token to
  // revoke by its id.
  const nextId = numbersAfter(() => lastId.get())
  const revokeIssued = db.prepare<[number, number]>(
    'UPDATE tokens SET revoked_at = ? WHERE authorization = ? AND revoked_at IS NULL',
  )
  const expire = db.prepare<[number, number]>('UPDATE tokens SET expires_at = ? WHERE id = ?')
  const revokeMade = db.prepare<[number, number]>(
    'UPDATE tokens SET revoked_at = ? WHERE created_at = ? AND authorization IS NULL AND revoked_at IS NULL',
  )
  // Caches the hashes of tokens, because most requests use one of a few tokens, and a hash never changes.
  const hashOf = remembered(digest)
  const setOf = remembered((scopes): ReadonlySet<string> => new Set(scopes.split(' ')))
  return {
    find(secret: string): Token | undefined {
      const row = byHash.get(hashOf(secret))
      if (!row) return undefined
      const { authorization, ...token } = row
      const client = authorization === null ? null : (clientOf.get(authorization) ?? null)
      return { ...token, client, scopes: setOf(row.scopes) }
    },
    put({ secret, user, scopes, expires_at, created_at, authorization }: NewToken): void {
      upsert.run(nextId(), digestOf(secret), user, scopes.join(' '), expires_at, created_at, authorization ?? null)
    },
    expire: (id: number, at: number): void => {
      expire.run(at, id)
    },
    /** Revokes the dashboard tokens that were created at exactly this time. */
    revokeMade: (made: number, at: number): void => {
      revokeMade.run(at, made)
    },
    /** Revokes the tokens of an authorization. */
    revokeIssued: (authorization: number, at: number): void => {
      revokeIssued.run(at, authorization)
    },
  }
}

/** Caches at most 1000 results of a function. */
function remembered<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    if (results.size >= 1000) results.clear()
    const result = compute(text)
    results.set(text, result)
    return result
  }
}

/** A token as lists show it, without the secret. Times in epoch milliseconds; `user` is a UUID. */
export interface TokenRecord {
  readonly id: number
  readonly user: string
  readonly scopes: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

/** `hash` is the digest of the token itself; `user` and `authorization` are seqs. */
export interface StoredToken {
  readonly hash: Buffer
  readonly user: number
  readonly authorization: number | null
  readonly scopes: Scope[]
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

export function tokenRecordsIn(db: Statements) {
  const select = `SELECT tokens.id, users.id AS user, scopes, expires_at, revoked_at, tokens.created_at
    FROM tokens JOIN users ON users.seq = user`
  const byId = db.prepare<[number], TokenRecord>(`${select} WHERE tokens.id = ?`)
  const all = db.prepare<[], TokenRecord>(`${select} ORDER BY tokens.id`)
  const last = db.prepare<[], TokenRecord>(`${select} ORDER BY tokens.id DESC LIMIT 1`)
  const secrets = db.prepare<[], Omit<StoredToken, 'scopes'> & { readonly scopes: string }>(
    'SELECT hash, user, authorization, scopes, expires_at, revoked_at, created_at FROM tokens ORDER BY id',
  )
  const revoke = db.prepare<[number, number]>('UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  return {
    get: (id: number): TokenRecord | undefined => byId.get(id),
    /** The newest token. */
    last: (): TokenRecord | undefined => last.get(),
    /** Oldest first. */
    all: (): TokenRecord[] => all.all(),
    /** The stored columns of all tokens, oldest first. */
    secrets: (): StoredToken[] => secrets.all().map((row) => ({ ...row, scopes: row.scopes.split(' ') as Scope[] })),
    revoke: (id: number, at: number): void => {
      revoke.run(at, id)
    },
  }
}
