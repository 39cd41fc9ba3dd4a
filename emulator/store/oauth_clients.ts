import type { Scope } from '../../src/contract/index.ts'
import type { Statements } from './database.ts'
import { digest, digestOf, type SecretOrDigest } from './secret.ts'

/** An application that users can give access to. */
export interface OAuthClient {
  readonly seq: number
  /** `client_id` in requests. */
  readonly id: string
  /** Name on the consent page. */
  readonly name: string
  /** True if it has no secret, like a native app: anybody who installs the app could read a secret. */
  readonly isPublic: boolean
  readonly secret_hash: Buffer
  readonly redirect_uris: readonly string[]
  /** Scopes that it may ask for. */
  readonly scopes: readonly Scope[]
  readonly created_at: number
}

/** `secret` is null for a public client. */
export type NewOAuthClient = Omit<OAuthClient, 'seq' | 'secret_hash' | 'isPublic'> & {
  readonly secret: SecretOrDigest | null
}

/** The hash is empty for a public client. */
interface Row extends Omit<OAuthClient, 'isPublic' | 'redirect_uris' | 'scopes'> {
  readonly redirect_uris: string
  readonly scopes: string
}

export type OAuthClients = ReturnType<typeof oauthClientsIn>

export function oauthClientsIn(db: Statements) {
  const byId = db.prepare<[string], Row>('SELECT * FROM oauth_clients WHERE id = ?')
  const all = db.prepare<[], Row>('SELECT * FROM oauth_clients ORDER BY seq')
  const insert = db.prepare<[string, string, Buffer, string, string, number]>(
    `INSERT INTO oauth_clients (id, name, secret_hash, redirect_uris, scopes, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, secret_hash = excluded.secret_hash,
       redirect_uris = excluded.redirect_uris, scopes = excluded.scopes`,
  )
  const updateSecret = db.prepare<[Buffer, string]>('UPDATE oauth_clients SET secret_hash = ? WHERE id = ?')
  const authorizationsOf = 'SELECT seq FROM authorizations WHERE client = ?'
  const removal = [
    `DELETE FROM refresh_tokens WHERE authorization IN (${authorizationsOf})`,
    `DELETE FROM tokens WHERE authorization IN (${authorizationsOf})`,
    'DELETE FROM authorizations WHERE client = ?',
    'DELETE FROM oauth_clients WHERE seq = ?',
  ].map((sql) => db.prepare<[number]>(sql))
  return {
    get(id: string): OAuthClient | undefined {
      const row = byId.get(id)
      return row && parsed(row)
    },
    /** Oldest first. */
    all: (): OAuthClient[] => all.all().map(parsed),
    /** Adds a client, or changes the one with this id. */
    put({ id, name, secret, redirect_uris, scopes, created_at }: NewOAuthClient): void {
      const hash = secret === null ? Buffer.alloc(0) : digestOf(secret)
      insert.run(id, name, hash, JSON.stringify(redirect_uris), scopes.join(' '), created_at)
    },
    /** Removes a client with its authorizations and their tokens. */
    remove(seq: number): void {
      for (const step of removal) step.run(seq)
    },
    setSecret(id: string, secret: string): void {
      updateSecret.run(digest(secret), id)
    },
  }
}

const parsed = (row: Row): OAuthClient => ({
  ...row,
  isPublic: row.secret_hash.length === 0,
  redirect_uris: JSON.parse(row.redirect_uris),
  scopes: row.scopes.split(' ') as Scope[],
})
