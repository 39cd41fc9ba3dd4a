import { clearTimeout, setTimeout } from '../real_time.ts'
import type { Headers } from './header.ts'

/** Maximum sizes in bytes: of an answer without a file, and of a file. */
const maximum = { answer: 32 * 1024 * 1024, file: 1024 * 1024 * 1024 }

/** Maximum length of an answer, in bytes. */
export const maximumAnswer = ({ file }: Pick<Outgoing, 'file'>): number => (file ? maximum.file : maximum.answer)

export interface Reply {
  readonly status: number
  /** Names in lower case; multiple values of one name are joined by a comma. */
  readonly headers: Headers
  /** Text of the body; empty if there are `bytes`. */
  readonly text: string
  /** Content of the requested file. */
  readonly bytes?: Uint8Array
}

/** An attempt without a complete answer. */
export interface Loss {
  readonly cause: unknown
  /** Reason as a short phrase. */
  readonly reason: string
  /** False only if it is certain that no byte of the request was sent. */
  readonly sent: boolean
  readonly tooBig: boolean
}

export interface Outgoing {
  /** Scheme, host and port. */
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** Text, or the bytes of a file. */
  readonly body: string | Uint8Array | undefined
  /** Media type of the requested file. */
  readonly file?: string | undefined
}

/** Sends requests to one origin. */
export interface Transport {
  /** Resolves with a whole answer. */
  reply(outgoing: Outgoing, attempt: Attempt): Promise<Reply>
  /** Resolves with an answer whose body has not been read. */
  stream(outgoing: Outgoing, signal: AbortSignal): Promise<Streamed>
}

export interface Attempt {
  readonly stop: AbortSignal
  readonly progress: { sent: boolean }
}

export interface Streamed {
  readonly status: number
  readonly type: string
  /** The body in pieces, as they arrive. */
  readonly text: () => AsyncIterable<string>
  /** Reads the body to its end. */
  readonly whole: () => Promise<Reply>
  readonly close: () => void
}

export interface Limits {
  /** Milliseconds from connecting to the last byte of the answer. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/** Sends a request once. Never rejects. */
export async function exchange(transport: Transport, outgoing: Outgoing, limits: Limits): Promise<Reply | Loss> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error('timeout')), limits.timeout)
  const onAbort = () => stop.abort(new Error('aborted'))
  limits.signal.addEventListener('abort', onAbort)
  if (limits.signal.aborted) onAbort()
  const progress = { sent: outgoing.body === undefined }
  try {
    return await transport.reply(outgoing, { stop: stop.signal, progress })
  } catch (cause) {
    const timedOut = stop.signal.aborted && !limits.signal.aborted
    const missing = progress.sent ? 'answer' : 'connection'
    const reason = timedOut ? `no ${missing} within ${limits.timeout} ms` : lossReason(cause)
    const code = codeOf(cause)
    return {
      cause,
      reason,
      sent: progress.sent && !connectFailures.has(code),
      tooBig: cause instanceof TooBig,
    }
  } finally {
    clearTimeout(timer)
    limits.signal.removeEventListener('abort', onAbort)
  }
}

/** Error for an answer larger than the maximum. */
export class TooBig extends Error {}

export const contentOf = (bytes: Uint8Array, isFile: boolean): Pick<Reply, 'text' | 'bytes'> =>
  isFile ? { text: '', bytes } : { text: new TextDecoder().decode(bytes) }

/** Error codes that occur only before a connection exists. */
const connectFailures = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ERR_PROXY_TUNNEL'])

const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks http, not https',
  ERR_SECOND_ANSWER: 'one request got two answers',
  ERR_UPGRADE: 'the answer is not HTTP',
}

/** Says as a short phrase why no answer came. */
export function lossReason(cause: unknown): string {
  if (cause instanceof ProxyError) return cause.message
  if (isCut(cause)) return 'the connection was closed'
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) return 'the answer is not HTTP'
  return phrases[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`)
}

/**
 * True if the other side has closed the connection. Node's error has the same code as the error of a reset, but names
 * no system call.
 */
export const isCut = (cause: unknown): boolean =>
  codeOf(cause) === 'ECONNRESET' && !Object.hasOwn(cause as Error, 'syscall')

/** Error of a connection through the proxy; the message is a short phrase with the reason. */
export class ProxyError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL'
}

/** The string `code` by which Node identifies an error; empty if there is none. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : ''
}
