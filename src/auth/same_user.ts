import type { Client } from '../client/client.ts'
import { createClient } from '../client/create_client.ts'
import { reasonOf } from '../errors/cli_error.ts'
import { say } from '../words/text.ts'
import type { Credentials } from './credentials.ts'
import { AnotherLogin } from './refusals.ts'
import type { TokenEndpoint } from './token_endpoint.ts'

// A run stays with its first user. A service scopes idempotency keys by user: if another user repeats a key, the
// payment is made again.

interface Asking extends Pick<TokenEndpoint, 'trace' | 'proxyFor'> {
  readonly profile: string
  readonly signal: AbortSignal
  /** Time limit for an attempt, in milliseconds. */
  readonly timeout: number | undefined
  readonly retries: number
}

/**
 * Throws unless the new credentials belong to the same login, or the service says that they belong to the same user.
 * Until this check has passed, the new credentials are not used for any other request.
 */
export async function requireSameUser(seen: Credentials, next: Credentials, options: Asking): Promise<void> {
  if (seen.login_id !== undefined && seen.login_id === next.login_id) return
  const { user } = seen
  if (!user?.id) throw new AnotherLogin(options.profile, 'the user of the previous login is not known')
  const id = await askUser(next, options)
  if (id !== user.id) throw new AnotherLogin(options.profile, say`the run began as ${user.email || user.id}`)
}

async function askUser({ base_url, access_token }: Credentials, options: Asking): Promise<string | null | undefined> {
  const { profile, proxyFor, signal, timeout, retries, trace } = options
  const proxy = await proxyFor?.(base_url)
  const client: Client = createClient({
    baseUrl: base_url,
    token: access_token,
    proxy,
    signal,
    timeout,
    retries,
    trace,
  })
  try {
    return (await client.call('user.get')).id
  } catch (error) {
    if (signal.aborted) throw error
    throw new AnotherLogin(profile, say`the service does not say whose login it is (${reasonOf(error)})`)
  } finally {
    await client.close()
  }
}
