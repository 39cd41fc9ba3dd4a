import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Headers } from './header.ts'

/** Largest answer read, in bytes. */
export const maximumAnswer = 32 * 1024 * 1024

export interface Reply {
  readonly status: number
  /** Names in lower case; several values of one name are joined by a comma. */
  readonly headers: Headers
  readonly text: string
}

/** An attempt that got no whole answer. */
export interface Loss {
  readonly cause: unknown
  /** A short phrase. */
  readonly reason: string
  /** False when certainly no byte of the request left the machine. */
  readonly sent: boolean
  readonly tooBig: boolean
}

export interface Outgoing {
  /** Scheme, host and port. */
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string | undefined
}

export interface Limits {
  /** Milliseconds from connecting to the last byte of the answer. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/** Sends a request once. Never rejects. */
export async function exchange(dispatcher: Dispatcher, outgoing: Outgoing, limits: Limits): Promise<Reply | Loss> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error('timeout')), limits.timeout)
  const onAbort = () => stop.abort(new Error('aborted'))
  limits.signal.addEventListener('abort', onAbort)
  if (limits.signal.aborted) onAbort()
  const progress = { sent: outgoing.body === undefined }
  try {
    return await transfer(dispatcher, outgoing, { stop: stop.signal, progress })
  } catch (cause) {
    const timedOut = stop.signal.aborted && !limits.signal.aborted
    const reason = timedOut ? lateness(limits.timeout, progress.sent) : describe(cause)
    const code = codeOf(cause)
    return {
      cause,
      reason,
      sent: progress.sent && !connectFailures.has(code),
      tooBig: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    }
  } finally {
    clearTimeout(timer)
    limits.signal.removeEventListener('abort', onAbort)
  }
}

interface Attempt {
  readonly stop: AbortSignal
  readonly progress: { sent: boolean }
}

async function transfer(
  dispatcher: Dispatcher,
  { body, ...head }: Outgoing,
  { stop, progress }: Attempt,
): Promise<Reply> {
  const sending = dispatcher.request({
    ...head,
    // undici asks for the body when it has a connection and starts to write: only then can the service know of it.
    body: body === undefined ? null : readOnce(body, () => (progress.sent = true)),
    signal: stop,
  })
  // undici heeds the signal only once it is connected.
  const response = await Promise.race([sending, rejection(stop)])
  const text = await response.body.text()
  // undici reuses a connection from the next turn of the event loop on; a call made before that would open another.
  await new Promise(setImmediate)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value)
  return { status: response.statusCode, headers, text }
}

const readOnce = (text: string, onRead: () => void): Readable =>
  new Readable({
    read() {
      onRead()
      this.push(text)
      this.push(null)
    },
  })

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Codes of errors that can only come up before there is a connection. */
const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
])

const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
  UND_ERR_PRX_TLS: 'the proxy has a certificate that is not its own',
}

function describe(cause: unknown): string {
  const code = codeOf(cause)
  const phrase = phrases[code]
  if (phrase !== undefined) return phrase
  const refusal = cause instanceof Error ? /^Proxy response \((\d+)\)/.exec(cause.message)?.[1] : undefined
  if (refusal === '407') return 'the proxy wants a user name and password (407)'
  if (refusal !== undefined) return `the proxy refused the connection (${refusal})`
  if (cause instanceof Error && cause.name === 'HTTPParserError') return 'the answer is not HTTP'
  return code === '' ? 'the connection failed' : `the connection failed (${code})`
}

const lateness = (timeout: number, sent: boolean): string => `no ${sent ? 'answer' : 'connection'} within ${timeout} ms`

/** undici and node name errors by a string `code`. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : ''
}
