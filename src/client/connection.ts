import http from 'node:http'
import manifest from '../../package.json' with { type: 'json' }
import { chaosHeader, worldHeader } from '../contract/headers.ts'
import { InvalidRequestError } from '../errors/service_errors.ts'
import { pause } from '../real_time.ts'
import { type BaseUrl, lookupFor, parseBaseUrl, parseProxy, requireConfidential } from './base_url.ts'
import type { ClientOptions } from './client.ts'
import type { Transport } from './exchange.ts'
import { checkHeaders, type Headers } from './header.ts'
import { defaultKeyLife } from './retry.ts'
import { socketTransport } from './socket_transport.ts'

/** A client's options, with defaults for the omitted options, and its sockets. */
export interface Connection
  extends BaseUrl,
    Pick<ClientOptions, 'renew' | 'trace' | 'onRetry' | 'onToken' | 'onAnswer' | 'beforeChange' | 'onChange'> {
  /** Returns the access token, if any. Rejects with InvalidRequestError if the token would be sent unencrypted. */
  readonly token: () => Promise<string | undefined>
  /**
   * Returns the sockets. The modules are loaded at the first request, because TLS and proxy support take time to load.
   */
  readonly transport: () => Promise<Transport>
  /** Target of requests, as messages name it: the origin and the proxy, if any, without the proxy's password. */
  readonly route: string
  readonly timeout: number
  readonly retries: number
  readonly keyLife: number
  readonly strict: boolean
  /** Headers sent with every request. */
  readonly headers: Headers
  /** Aborts with the caller's signal and on close. */
  readonly signal: AbortSignal
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  close(): Promise<void>
}

/** Longest delay of a timer, in milliseconds: with a longer delay, Node's timers fire at once. */
const longestTimer = 2 ** 31 - 1

/** Options of a client for use within payctl. */
export interface ConnectionOptions extends ClientOptions {
  /**
   * Agent whose sockets the client uses; other clients may use the agent too. Closing the client leaves the agent open.
   */
  readonly agent?: http.Agent | undefined
}

/** Creates a connection without opening a socket. Throws InvalidRequestError. */
export function createConnection(options: ConnectionOptions): Connection {
  const {
    timeout = 30_000,
    retries = 3,
    keyLife = defaultKeyLife,
    strict = false,
    delay = pause,
    userAgent = `payctl/${manifest.version}`,
    world,
    calm = false,
  } = options
  const { token, renew, trace, onRetry, onToken, onAnswer, beforeChange, onChange } = options
  const headers: Headers = {
    Accept: 'application/json',
    'User-Agent': userAgent,
    ...(world !== undefined && { [worldHeader]: world }),
    ...(calm && { [chaosHeader]: 'off' }),
  }
  checkHeaders(headers)
  checkNumbers({ timeout, retries, keyLife })
  const baseUrl = parseBaseUrl(options.baseUrl)
  if (typeof token === 'string') requireConfidential(baseUrl.origin, options.proxy)
  const closing = new AbortController()
  const sockets = openSockets({ ...options, origin: baseUrl.origin, timeout, closing: closing.signal })
  return {
    ...baseUrl,
    async token() {
      if (token !== undefined) requireConfidential(baseUrl.origin, options.proxy)
      return typeof token === 'function' ? await token() : token
    },
    ...(renew !== undefined && { renew }),
    ...(trace !== undefined && { trace }),
    ...(onRetry !== undefined && { onRetry }),
    ...(onToken !== undefined && { onToken }),
    ...(onAnswer !== undefined && { onAnswer }),
    ...(beforeChange !== undefined && { beforeChange }),
    ...(onChange !== undefined && { onChange }),
    ...sockets,
    timeout,
    retries,
    keyLife,
    strict,
    headers,
    delay,
    signal: options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal,
    async close() {
      closing.abort(new DOMException('The client was closed.', 'AbortError'))
      sockets.destroy()
    },
  }
}

/** `timeout` and `keyLife` in milliseconds. */
function checkNumbers({ timeout, retries, keyLife }: Pick<Connection, 'timeout' | 'retries' | 'keyLife'>): void {
  if (!(timeout > 0 && timeout <= longestTimer)) {
    throw new InvalidRequestError(`The timeout must be between 1 and ${longestTimer} milliseconds.`)
  }
  if (!(keyLife >= 0)) throw new InvalidRequestError('keyLife must be a number of milliseconds, 0 or more.')
  if (!Number.isInteger(retries) || retries < 0) {
    throw new InvalidRequestError('The number of retries must be a whole number, 0 or more.')
  }
}

/**
 * Milliseconds after which an unused connection of a shared agent closes: payctl closes it before the emulator does.
 */
const longestIdle = 10_000

/**
 * An agent that reuses its connections. Only control calls use this agent: the emulator never sends their answers late.
 */
export async function sharedAgent(origin: string): Promise<http.Agent> {
  const { Agent } = origin.startsWith('https:') ? (await import('node:https')).default : http
  return new Agent({ keepAlive: true, timeout: longestIdle, ...lookupFor(origin) })
}

interface Route extends Pick<ConnectionOptions, 'proxy' | 'fetch' | 'agent'> {
  readonly origin: string
  readonly timeout: number
  readonly closing: AbortSignal
}

interface Sockets extends Pick<Connection, 'transport' | 'route'> {
  destroy(): void
}

function openSockets({ origin, proxy, fetch, agent: shared, timeout, closing }: Route): Sockets {
  if (fetch) {
    const transport = async () => (await import('./fetch_transport.ts')).fetchTransport(fetch)
    return { transport, route: origin, destroy: () => {} }
  }
  const via = proxy === undefined ? undefined : parseProxy(proxy)
  // Each request has its own connection: on a reused connection, a late answer to one request would count as the answer
  // to the next request.
  const settings = { keepAlive: false, ...lookupFor(origin) }
  let opened: { readonly transport: Transport; readonly agent: http.Agent } | undefined
  const open = async () => {
    const { Agent, request } = origin.startsWith('https:') ? (await import('node:https')).default : http
    const agent = shared ?? new Agent(settings)
    if (proxy !== undefined) (await import('./proxy.ts')).connectThrough(agent, { proxy, closing, timeout })
    opened ??= { transport: socketTransport({ request, agent }), agent }
    return opened
  }
  return {
    transport: async () => (opened ?? (await open())).transport,
    route: via === undefined ? origin : `${origin} through the proxy ${via}`,
    destroy: () => (shared ? undefined : opened?.agent.destroy()),
  }
}
