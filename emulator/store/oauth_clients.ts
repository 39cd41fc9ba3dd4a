import type { Scope } from '../../src/contract/index.ts'
import { digest } from './secret.ts'
import type { Statements } from './statements.ts'

/** An application that users can give access to. */
export interface OAuthClient {
  readonly seq: number
  /** The `client_id` of its requests. */
  readonly id: string
  /** Its name on the consent page. */
  readonly name: string
  readonly secret_hash: Buffer
  readonly redirect_uris: readonly string[]
  /** The scopes it may ask for. */
  readonly scopes: readonly Scope[]
  readonly created_at: number
}

export type NewOAuthClient = Omit<OAuthClient, 'seq' | 'secret_hash'> & { readonly secret: string }

type Row = Omit<OAuthClient, 'redirect_uris' | 'scopes'> & { readonly redirect_uris: string; readonly scopes: string }

export type OAuthClients = ReturnType<typeof oauthClientsIn>

export function oauthClientsIn(db: Statements) {
  const byId = db.prepare<[string], Row>('SELECT * FROM oauth_clients WHERE id = ?')
  const all = db.prepare<[], Row>('SELECT * FROM oauth_clients ORDER BY seq')
  const insert = db.prepare<[string, string, Buffer, string, string, number]>(
    'INSERT INTO oauth_clients (id, name, secret_hash, redirect_uris, scopes, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const updateSecret = db.prepare<[Buffer, string]>('UPDATE oauth_clients SET secret_hash = ? WHERE id = ?')
  return {
    get(id: string): OAuthClient | undefined {
      const row = byId.get(id)
      return row && parsed(row)
    },
    /** Oldest first. */
    all: (): OAuthClient[] => all.all().map(parsed),
    add({ id, name, secret, redirect_uris, scopes, created_at }: NewOAuthClient): void {
      insert.run(id, name, digest(secret), JSON.stringify(redirect_uris), scopes.join(' '), created_at)
    },
    setSecret(id: string, secret: string): void {
      updateSecret.run(digest(secret), id)
    },
  }
}

const parsed = (row: Row): OAuthClient => ({
  ...row,
  redirect_uris: JSON.parse(row.redirect_uris),
  scopes: row.scopes.split(' ') as Scope[],
})
