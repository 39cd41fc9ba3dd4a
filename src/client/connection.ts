import { type Dispatcher, Pool } from 'undici'
import manifest from '../../package.json' with { type: 'json' }
import { InvalidRequestError } from '../errors/service_errors.ts'
import { type BaseUrl, parseBaseUrl, parseProxy, requireConfidential } from './base_url.ts'
import type { ClientOptions } from './client.ts'
import { maximumAnswer } from './exchange.ts'
import { checkHeaders, type Headers } from './header.ts'
import { lookupFor } from './loopback.ts'
import { sleep } from './retry.ts'

/** A client's options with their defaults, and its sockets. */
export interface Connection
  extends BaseUrl,
    Pick<ClientOptions, 'renew' | 'trace' | 'onRetry' | 'onAnswer' | 'beforeChange' | 'onChange'> {
  /** Undefined where there is none. Rejects with InvalidRequestError where it would leave in the clear. */
  readonly token: () => Promise<string | undefined>
  /** The sockets. Loading what a proxy needs takes time, so it comes with the first request. */
  readonly dispatcher: () => Promise<Dispatcher>
  /** Where requests go, for people: the origin and, if there is one, the proxy, without its password. */
  readonly route: string
  readonly timeout: number
  readonly retries: number
  readonly strict: boolean
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
  const {
    timeout = 30_000,
    retries = 3,
    strict = false,
    delay = sleep,
    userAgent = `payctl/${manifest.version}`,
  } = options
  const { token, renew, trace, onRetry, onAnswer, beforeChange, onChange } = options
  const headers = { Accept: 'application/json', 'User-Agent': userAgent }
  checkHeaders(headers)
  if (!(timeout > 0 && timeout <= longestTimer)) {
    throw new InvalidRequestError(`The timeout must be between 1 and ${longestTimer} milliseconds.`)
  }
  if (!Number.isInteger(retries) || retries < 0) {
    throw new InvalidRequestError('The number of retries must be a whole number, 0 or more.')
  }
  const baseUrl = parseBaseUrl(options.baseUrl)
  if (typeof token === 'string') requireConfidential(baseUrl.origin, options.proxy)
  const closing = new AbortController()
  const settings: Pool.Options = {
    // One request to a connection at a time: a connection that breaks then says which request it was about.
    allowH2: false,
    // exchange.ts times the attempt as a whole.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeout,
    maxResponseSize: maximumAnswer,
  }
  const sockets = openSockets({ ...baseUrl, proxy: options.proxy, settings, closing: closing.signal })
  return {
    ...baseUrl,
    async token() {
      if (token !== undefined) requireConfidential(baseUrl.origin, options.proxy)
      return typeof token === 'function' ? await token() : token
    },
    ...(renew !== undefined && { renew }),
    ...(trace !== undefined && { trace }),
    ...(onRetry !== undefined && { onRetry }),
    ...(onAnswer !== undefined && { onAnswer }),
    ...(beforeChange !== undefined && { beforeChange }),
    ...(onChange !== undefined && { onChange }),
    ...sockets,
    timeout,
    retries,
    strict,
    headers,
    delay,
    signal: options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal,
    async close() {
      closing.abort(new DOMException('The client was closed.', 'AbortError'))
      await (await sockets.dispatcher()).destroy()
    },
  }
}

interface Sockets {
  readonly origin: string
  readonly proxy: string | undefined
  readonly settings: Pool.Options
  readonly closing: AbortSignal
}

function openSockets({ origin, proxy, settings, closing }: Sockets): Pick<Connection, 'dispatcher' | 'route'> {
  if (proxy === undefined) {
    // undici does not drop a socket that is still connecting when it is destroyed.
    const pool = new Pool(origin, { ...settings, connect: { ...lookupFor(origin), signal: closing } })
    return { dispatcher: async () => pool, route: origin }
  }
  const via = parseProxy(proxy)
  let opening: Promise<Dispatcher> | undefined
  const open = async () => (await import('./proxy.ts')).throughProxy(proxy, settings, closing)
  return { dispatcher: () => (opening ??= open()), route: `${origin} through the proxy ${via}` }
}
