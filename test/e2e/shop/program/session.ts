import type { DatabaseSync } from 'node:sqlite'
import { NoAnswer, SignedOut } from './failures.ts'

export interface SessionOptions {
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** The bank's redirect address for the owner's browser. */
  readonly redirectUri: string
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
}

interface Row {
  readonly access_token: string | null
  readonly refresh_token: string | null
}

/** Milliseconds after which a process that renews a token counts as dead. */
const longestRenewal = 30_000

/** The owner's permission to use the accounts, shared by all processes of the shop. */
export class Session {
  readonly #database: DatabaseSync
  readonly #options: SessionOptions

  constructor(database: DatabaseSync, options: SessionOptions) {
    this.#database = database
    this.#options = options
  }

  /** Address of the owner's sign-in. */
  signInUrl(state: string): string {
    const { authUrl, clientId, redirectUri } = this.#options
    const scope = 'read-user read-accounts send-payments manage-webhooks'
    const query = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope, state }
    return `${authUrl}/oauth/authorize?${new URLSearchParams(query)}`
  }

  async signIn(code: string): Promise<void> {
    const { redirectUri } = this.#options
    await this.#ask({ grant_type: 'authorization_code', redirect_uri: redirectUri, code })
  }

  token(): string {
    const { access_token } = this.#row()
    if (access_token === null) throw new SignedOut()
    return access_token
  }

  /**
   * Replaces a token that was refused. A refresh token works once: of all callers with the stale token, one renews it,
   * and the others wait for the new token.
   */
  async renew(stale: string): Promise<void> {
    const { now, pause } = this.#options
    const claim = this.#database.prepare(
      'UPDATE session SET renewal_since = ? WHERE access_token = ? AND renewal_since < ?',
    )
    while (this.token() === stale) {
      if (claim.run(now(), stale, now() - longestRenewal).changes === 0) {
        await pause(100)
        continue
      }
      const { refresh_token } = this.#row()
      if (refresh_token === null) throw new SignedOut()
      await this.#ask({ grant_type: 'refresh_token', refresh_token })
    }
  }

  async #ask(grant: Record<string, string>): Promise<void> {
    const { authUrl, clientId: client_id, clientSecret: client_secret } = this.#options
    const store = this.#database.prepare('UPDATE session SET access_token = ?, refresh_token = ?, renewal_since = 0')
    let answer: Response
    try {
      answer = await fetch(`${authUrl}/oauth/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_id, client_secret, ...grant }),
        signal: AbortSignal.timeout(10_000),
      })
    } catch (cause) {
      this.#database.exec('UPDATE session SET renewal_since = 0')
      throw new NoAnswer('The bank did not answer a sign-in', { cause })
    }
    if (answer.ok) {
      const { access_token, refresh_token } = (await answer.json()) as Row
      store.run(access_token, refresh_token)
    } else if (answer.status < 500) {
      store.run(null, null)
      throw new SignedOut()
    } else {
      this.#database.exec('UPDATE session SET renewal_since = 0')
      throw new NoAnswer(`The bank answered a sign-in with ${answer.status}`)
    }
  }

  #row(): Row {
    return this.#database.prepare('SELECT * FROM session').get() as unknown as Row
  }
}
