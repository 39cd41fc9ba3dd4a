import { Pool } from 'undici'
import manifest from '../../package.json' with { type: 'json' }
import { type BaseUrl, parseBaseUrl } from './base_url.ts'
import type { ClientOptions } from './client.ts'
import { InvalidRequestError } from './errors.ts'
import { maximumAnswer } from './exchange.ts'
import { checkHeaders, type Headers } from './header.ts'
import { sleep } from './retry.ts'

/** A client's options with their defaults, and its sockets. */
export interface Connection extends BaseUrl, Pick<ClientOptions, 'token' | 'renew' | 'trace' | 'onRetry'> {
  readonly pool: Pool
  readonly timeout: number
  readonly retries: number
  /** Sent with every request. */
  readonly headers: Headers
  /** Aborted by the caller's signal and by close. */
  readonly signal: AbortSignal
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  close(): Promise<void>
}

/** Node's timers fire at once beyond it. */
const longestTimer = 2 ** 31 - 1

/** Opens no socket yet. Throws InvalidRequestError. */
export function createConnection(options: ClientOptions): Connection {
  const { timeout = 30_000, retries = 3, delay = sleep, userAgent = `payctl/${manifest.version}` } = options
  const { token, renew, trace, onRetry } = options
  const headers = { Accept: 'application/json', 'User-Agent': userAgent }
  checkHeaders(headers)
  if (!(timeout > 0 && timeout <= longestTimer)) {
    throw new InvalidRequestError(`The timeout must be between 1 and ${longestTimer} milliseconds.`)
  }
  if (!Number.isInteger(retries) || retries < 0) {
    throw new InvalidRequestError('The number of retries must be a whole number, 0 or more.')
  }
  const baseUrl = parseBaseUrl(options.baseUrl)
  const closing = new AbortController()
  const pool = new Pool(baseUrl.origin, {
    // One request to a connection at a time: a connection that breaks then says which request it was about.
    allowH2: false,
    // exchange.ts times the attempt as a whole.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeout,
    maxResponseSize: maximumAnswer,
    // undici does not drop a socket that is still connecting when it is destroyed.
    connect: { signal: closing.signal },
  })
  return {
    ...baseUrl,
    ...(token !== undefined && { token }),
    ...(renew !== undefined && { renew }),
    ...(trace !== undefined && { trace }),
    ...(onRetry !== undefined && { onRetry }),
    pool,
    timeout,
    retries,
    headers,
    delay,
    signal: options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal,
    async close() {
      closing.abort(new DOMException('The client was closed.', 'AbortError'))
      await pool.destroy()
    },
  }
}
