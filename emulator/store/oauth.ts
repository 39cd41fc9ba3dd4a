import type { Scope } from '../../src/contract/index.ts'
import { numbersAfter, type Statements } from './database.ts'
import { digest, digestOf, type SecretOrDigest } from './secret.ts'
import { keepLastToken } from './tokens.ts'

/** An application that users can give access to. */
export interface OAuthClient {
  readonly seq: number
  /** `client_id` in requests. */
  readonly id: string
  /** Name on the consent page. */
  readonly name: string
  /** True if the client has no secret, like a native app: anybody who installs the app could read the secret. */
  readonly isPublic: boolean
  readonly secret_hash: Buffer
  readonly redirect_uris: readonly string[]
  /** Scopes that the client is allowed to ask for. */
  readonly scopes: readonly Scope[]
  readonly created_at: number
}

/** `secret` is null for a public client. */
export type NewOAuthClient = Omit<OAuthClient, 'seq' | 'secret_hash' | 'isPublic'> & {
  readonly secret: SecretOrDigest | null
}

/** The hash is empty for a public client. */
interface ClientRow extends Omit<OAuthClient, 'isPublic' | 'redirect_uris' | 'scopes'> {
  readonly redirect_uris: string
  readonly scopes: string
}

export type OAuthClients = ReturnType<typeof oauthClientsIn>

export function oauthClientsIn(db: Statements) {
  const byId = db.prepare<[string], ClientRow>('SELECT * FROM oauth_clients WHERE id = ?')
  const all = db.prepare<[], ClientRow>('SELECT * FROM oauth_clients ORDER BY seq')
  const insert = db.prepare<[number, string, string, Buffer, string, string, number]>(
    `INSERT INTO oauth_clients (seq, id, name, secret_hash, redirect_uris, scopes, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, secret_hash = excluded.secret_hash,
       redirect_uris = excluded.redirect_uris, scopes = excluded.scopes`,
  )
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM oauth_clients').pluck()
  // payctl counts seqs itself: SQLite would reuse the seq of a removed client, which the request log still has.
  const nextSeq = numbersAfter(() => lastSeq.get())
  const updateSecret = db.prepare<[Buffer, string]>('UPDATE oauth_clients SET secret_hash = ? WHERE id = ?')
  const authorizationsOf = 'SELECT seq FROM authorizations WHERE client = ?'
  const removal = [
    `DELETE FROM refresh_tokens WHERE authorization IN (${authorizationsOf})`,
    `DELETE FROM tokens WHERE authorization IN (${authorizationsOf})`,
    'DELETE FROM authorizations WHERE client = ?',
    'DELETE FROM oauth_clients WHERE seq = ?',
  ].map((sql) => db.prepare<[number]>(sql))
  // Callers name the token to revoke by its id, so the id of a deleted token must not be reused.
  const keepLast = db.prepare<[]>(keepLastToken)
  return {
    get(id: string): OAuthClient | undefined {
      const row = byId.get(id)
      return row && clientOf(row)
    },
    /** Oldest first. */
    all: (): OAuthClient[] => all.all().map(clientOf),
    /** Adds a client, or changes the client with this id. */
    put({ id, name, secret, redirect_uris, scopes, created_at }: NewOAuthClient): void {
      const hash = secret === null ? Buffer.alloc(0) : digestOf(secret)
      insert.run(nextSeq(), id, name, hash, JSON.stringify(redirect_uris), scopes.join(' '), created_at)
    },
    /** Removes a client with its authorizations and their tokens. */
    remove(seq: number): void {
      keepLast.run()
      for (const step of removal) step.run(seq)
    },
    setSecret(id: string, secret: string): void {
      updateSecret.run(digest(secret), id)
    },
  }
}

const clientOf = (row: ClientRow): OAuthClient => ({
  ...row,
  isPublic: row.secret_hash.length === 0,
  redirect_uris: JSON.parse(row.redirect_uris),
  scopes: row.scopes.split(' ') as Scope[],
})

/**
 * Access that a user granted to a client. The code and all tokens of an authorization are one family: they are revoked
 * together.
 */
export interface Authorization {
  readonly seq: number
  readonly client: number
  readonly user: number
  readonly scopes: readonly Scope[]
  /** The redirect URI to which the code was sent. */
  readonly redirect_uri: string
  readonly code_challenge: string | null
  readonly code_expires_at: number
  readonly redeemed_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

type AuthorizationRow = Omit<Authorization, 'scopes'> & { readonly scopes: string }

export function authorizationsIn(db: Statements) {
  const columns =
    'seq, client, user, scopes, redirect_uri, code_challenge, code_expires_at, redeemed_at, revoked_at, created_at'
  const byCode = db.prepare<[Buffer], AuthorizationRow>(`SELECT ${columns} FROM authorizations WHERE code_hash = ?`)
  const bySeq = db.prepare<[number], AuthorizationRow>(`SELECT ${columns} FROM authorizations WHERE seq = ?`)
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
    byCode: (code: string): Authorization | undefined => authorizationOf(byCode.get(digest(code))),
    bySeq: (seq: number): Authorization | undefined => authorizationOf(bySeq.get(seq)),
    add(row: Omit<Authorization, 'seq' | 'redeemed_at' | 'revoked_at'> & { readonly code: string }): void {
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

const authorizationOf = (row: AuthorizationRow | undefined): Authorization | undefined =>
  row && { ...row, scopes: row.scopes.split(' ') as Scope[] }

/** A refresh token; only its hash is stored. Used tokens are kept, so that a second use is detected. */
export interface RefreshToken {
  readonly id: number
  /** Seq of the authorization that the token belongs to. */
  readonly authorization: number
  readonly used_at: number | null
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
    add: (secret: string, { seq, created_at }: Pick<Authorization, 'seq' | 'created_at'>): void => {
      insert.run(digest(secret), seq, created_at)
    },
    use: (id: number, at: number): void => {
      use.run(at, id)
    },
  }
}
