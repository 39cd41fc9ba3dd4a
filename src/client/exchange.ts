import type { Agent, ClientRequest, IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { clearTimeout, setTimeout } from '../real_time.ts'
import type { Headers } from './header.ts'

/** Maximum bytes to read of an answer, and of a file. */
const maximum = { answer: 32 * 1024 * 1024, file: 1024 * 1024 * 1024 }

/** Maximum number of bytes. */
export const maximumAnswer = ({ file }: Pick<Outgoing, 'file'>): number => (file ? maximum.file : maximum.answer)

export interface Reply {
  readonly status: number
  /** Names in lower case; multiple values of one name are joined by a comma. */
  readonly headers: Headers
  /** Empty if there are `bytes`. */
  readonly text: string
  /** Content of the requested file. */
  readonly bytes?: Uint8Array
}

/** An attempt without a complete answer. */
export interface Loss {
  readonly cause: unknown
  /** Reason as a short phrase. */
  readonly reason: string
  /** False if certainly no byte of the request was sent. */
  readonly sent: boolean
  readonly tooBig: boolean
}

/** Sockets, and the function of node:http or node:https that sends requests. */
export interface Transport {
  readonly request: typeof request
  readonly agent: Agent
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
    return await transfer(transport, outgoing, { stop: stop.signal, progress })
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

interface Attempt {
  readonly stop: AbortSignal
  readonly progress: { sent: boolean }
}

function transfer(
  { request: open, agent }: Transport,
  { origin, body, file, ...outgoing }: Outgoing,
  { stop, progress }: Attempt,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const content = typeof body === 'string' ? Buffer.from(body) : body
    const headers = content ? { ...outgoing.headers, 'Content-Length': content.length } : outgoing.headers
    const request = open(origin, { ...outgoing, headers, agent, signal: stop })
    let answer: IncomingMessage | undefined
    request
      .on('error', reject)
      .on('upgrade', () => request.destroy(new Error('an upgrade that was not requested')))
      .on('response', (response) => {
        answer = response
        // Not `resolve(read(…))`: an error of the request still counts if it occurs with the end of the answer.
        readReply(response, file).then(resolve, reject)
      })
      .on('socket', (socket) =>
        // Node drops the connection if another answer follows in the same bytes, and reports no error.
        socket.on('data', () => {
          if (answer?.complete && socket.destroyed) reject(new SecondAnswer())
        }),
      )
    whenConnected(request, () => {
      progress.sent = true
      request.end(content)
    })
  })
}

/** Calls `send` once connected. Nothing is sent before, so the service can't know the request. */
function whenConnected(request: ClientRequest, send: () => void): void {
  request.once('socket', (socket: Socket | TLSSocket) => {
    // The handshake is done for a reused connection and for a proxy's open tunnel.
    if ('encrypted' in socket && socket.getFinished() === undefined) socket.once('secureConnect', send)
    else if (socket.connecting) socket.once('connect', send)
    else send()
  })
}

class TooBig extends Error {}

/** One request got two answers: it is unknown which one belongs to it. */
class SecondAnswer extends Error {
  readonly code = 'ERR_SECOND_ANSWER'
}

/** Reads a whole answer; as bytes if it is a file of the media type `file`. */
export function readReply(response: IncomingMessage, file: string | undefined): Promise<Reply> {
  const isFile = file !== undefined && response.headers['content-type'] === file
  const largest = maximumAnswer({ file: isFile ? file : undefined })
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response
      .on('error', reject)
      .on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > largest) response.destroy(new TooBig())
        else chunks.push(chunk)
      })
      .on('end', () => {
        const values = Object.entries(response.headersDistinct)
        const headers = Object.fromEntries(values.map(([name, all]) => [name, String(all)]))
        const bytes = Buffer.concat(chunks)
        const content = isFile ? { text: '', bytes } : { text: new TextDecoder().decode(bytes) }
        resolve({ status: Number(response.statusCode), headers, ...content })
      })
  })
}

/** Error codes that occur only before a connection exists. */
const connectFailures = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ERR_PROXY_TUNNEL'])

const phrases: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks http, not https',
  ERR_SECOND_ANSWER: 'two answers came to one request',
}

/** Says as a short phrase why there is no answer. */
export function lossReason(cause: unknown): string {
  if (cause instanceof ProxyError) return cause.message
  if (isCut(cause)) return 'the connection was closed'
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) return 'the answer is not HTTP'
  return phrases[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`)
}

/** True if the other side has closed the connection. Node reports this like a reset, but without a system call. */
export const isCut = (cause: unknown): boolean =>
  codeOf(cause) === 'ECONNRESET' && !Object.hasOwn(cause as Error, 'syscall')

/** No connection through the proxy; the message is a short phrase with the reason. */
export class ProxyError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL'
}

/** Node identifies errors by a string `code`. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : ''
}
