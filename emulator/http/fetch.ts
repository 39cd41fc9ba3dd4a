import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { RealTimeout } from '../clock.ts'
import { errorBody, jsonType } from './envelope.ts'
import type { Incoming, Outgoing } from './message.ts'

/** Maximum number of redirects that a request follows, the same as in the built-in `fetch`. */
const mostRedirects = 20

interface Handling {
  /** Returns true after the emulator has closed. */
  readonly isClosed: () => boolean
  readonly serve: (raw: Incoming, response: UnsentResponse, scheme: 'http' | 'https') => void
  /** Base of relative URLs. */
  readonly base: string
  /** Starts the time limit for reading a body. */
  readonly bodyLimit: () => RealTimeout
}

/** Works like the built-in `fetch`, but `serve` answers the requests. */
export async function fetchFrom(
  handling: Handling,
  input: string | URL | Request,
  { signal: given, ...init }: RequestInit = {},
): Promise<Response> {
  const isRequest = typeof input === 'object' && 'url' in input
  const signal = given ?? (isRequest ? input.signal : null)
  signal?.throwIfAborted()
  // Leaves the signal out: making a Request with a signal takes many times as long.
  let request =
    isRequest && Object.keys(init).length === 0
      ? input
      : new Request(isRequest ? input : new URL(input, handling.base), init)
  if (request.bodyUsed) throw new TypeError('The body of the request has been read already.')
  for (let followed = 0; ; followed += 1) {
    const response = await answerTo(request, signal, handling)
    const location = isRedirect(response.status) ? response.headers.get('location') : null
    if (location === null || request.redirect === 'manual') {
      // The constructor of Response can't set these members.
      const members = { url: request.url, redirected: followed > 0, type: 'basic' }
      for (const [name, value] of Object.entries(members)) Object.defineProperty(response, name, { value })
      return response
    }
    if (request.redirect === 'error') throw failed('unexpected redirect')
    if (followed === mostRedirects) throw failed('redirect count exceeded')
    request = redirected(request, response.status, location)
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

function redirected(request: Request, status: number, location: string): Request {
  const url = new URL(location, request.url)
  if (url.origin !== new URL(request.url).origin) {
    throw failed(`the emulator redirects to ${url.origin}; to get the redirect itself, set redirect: 'manual'`)
  }
  const { method, headers, redirect } = request
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, redirect })
  if (status > 303) throw failed('the body of the request can’t be sent again')
  const kept = new Headers(headers)
  for (const name of ['content-type', 'content-length']) kept.delete(name)
  return new Request(url, { headers: kept, redirect })
}

async function answerTo(request: Request, signal: AbortSignal | null, handling: Handling): Promise<Response> {
  if (handling.isClosed()) {
    throw failed('', coded('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }))
  }
  const { protocol, host, pathname, search } = new URL(request.url)
  const { method, body } = request
  const headers: IncomingHttpHeaders = { ...Object.fromEntries(request.headers), host }
  const { 'content-length': length = '' } = headers
  if (!/^\d*$/.test(length)) throw failed('', coded('invalid content-length header', { code: 'UND_ERR_INVALID_ARG' }))
  if (body === null) {
    // The built-in `fetch` also sends this header.
    if (method !== 'GET' && method !== 'HEAD') headers['content-length'] = '0'
  } else if (length === '') headers['transfer-encoding'] = 'chunked'
  return new Promise((resolve, reject) => {
    const response = new UnsentResponse(method, { resolve, reject })
    if (signal) {
      const abort = () => response.fail(signal.reason)
      signal.addEventListener('abort', abort)
      response.once('close', () => signal.removeEventListener('abort', abort))
    }
    const url = `${pathname}${search}`
    if (sizeOf(url, headers) > maxHeaderSize) return response.refuse(431)
    const raw = Object.assign(new EventEmitter(), { method, url, headers, httpVersion: '1.1', socket: ownAddress })
    handling.serve(raw, response, protocol === 'https:' ? 'https' : 'http')
    if (body === null) raw.emit('end')
    else void sendBody(body, raw, response, { length, limit: handling.bodyLimit() })
  })
}

/** The rate limit counts clients without a token by their address. */
const ownAddress = { remoteAddress: '127.0.0.1' }

const sizeOf = (url: string, headers: IncomingHttpHeaders): number =>
  Object.entries(headers).reduce((size, [name, value]) => size + name.length + (value?.length ?? 0), url.length)

/** Passes a body to the server piece by piece, as the server reads it. */
async function sendBody(
  body: NonNullable<Request['body']>,
  raw: Incoming,
  response: UnsentResponse,
  { length, limit }: { readonly length: string; readonly limit: RealTimeout },
): Promise<void> {
  limit.signal.addEventListener('abort', () => response.refuse(408))
  const reader = body.getReader()
  response.once('close', () => void reader.cancel().catch(() => {}))
  let size = 0
  try {
    while (raw.listenerCount('data') > 0) {
      const { done, value } = await reader.read()
      if (response.isClosed) return
      if (!done) {
        size += value.length
        raw.emit('data', Buffer.from(value.buffer, value.byteOffset, value.byteLength))
        continue
      }
      if (length !== '' && Number(length) !== size) {
        throw coded('Request body length does not match content-length header', {
          code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
        })
      }
      // The request log saves only bodies of known length.
      raw.headers['content-length'] = String(size)
      raw.emit('end')
      return
    }
  } catch (error) {
    response.fail(failed('the body of the request could not be read', error))
    raw.emit('error', error)
  } finally {
    limit.clear()
    void reader.cancel().catch(() => {})
  }
}

/** Error of `fetch` for a request without an answer. */
const failed = (reason: string, cause: unknown = new Error(reason)): TypeError =>
  new TypeError('fetch failed', { cause })

const coded = (message: string, members: object): Error => Object.assign(new Error(message), members)

/** Error causes that Node's `fetch` uses. */
const cut = () => coded('other side closed', { code: 'UND_ERR_SOCKET' })
const reset = () => coded('read ECONNRESET', { code: 'ECONNRESET', errno: -104, syscall: 'read' })

interface Settle {
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
}

/** Statuses whose responses can't have a body. */
const withoutBody = [204, 205, 304]

/**
 * A response of the server. A response that is sent whole becomes a `Response` at its end; a response whose body comes in
 * pieces becomes a `Response` when its headers are sent.
 */
export class UnsentResponse extends EventEmitter implements Outgoing {
  statusCode = 200
  headersSent = false
  destroyed = false
  /** True once `close` has been emitted: the answer gets no more pieces, and the request's body is no longer read. */
  isClosed = false
  readonly #method: string
  readonly #settle: Settle
  readonly #headers: [string, string][] = []
  /** Pieces that the client has not read. */
  readonly #unread: Uint8Array[] = []
  #hasEnded = false
  /** Error that the client gets instead of the rest of the body. */
  #failure: { readonly error: unknown } | undefined
  /** Continues a read that waits for a piece. */
  #resume = (): void => {}

  constructor(method: string, settle: Settle) {
    super()
    this.#method = method
    this.#settle = settle
  }

  get writableLength(): number {
    return this.#unread.reduce((sum, { length }) => sum + length, 0)
  }

  get socket() {
    return { resetAndDestroy: () => this.#break(reset()) }
  }

  setHeader(name: string, value: string | number): void {
    // Without a connection the response has no `connection` header.
    if (name === 'connection') return
    const at = this.#headers.findIndex(([known]) => known === name)
    this.#headers[at === -1 ? this.#headers.length : at] = [name, String(value)]
  }

  flushHeaders(): void {
    if (!this.headersSent) this.#answer(this.#method === 'HEAD' ? null : this.#stream())
  }

  write(chunk: string | Uint8Array, written?: () => void): boolean {
    if (this.isClosed) return false
    this.flushHeaders()
    this.#unread.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    this.#resume()
    written?.()
    return true
  }

  end(chunk?: string | Uint8Array): void {
    if (this.isClosed) return
    if (!this.headersSent && !this.#failure) {
      this.#close({ isWhole: true })
      this.#answer(chunk === undefined || this.#method === 'HEAD' ? null : (chunk as string | Uint8Array<ArrayBuffer>))
      return
    }
    if (chunk !== undefined) this.write(chunk)
    this.#hasEnded = true
    this.#resume()
    this.#close({ isWhole: true })
  }

  /** Closes the connection. */
  destroy(): void {
    this.#break(cut())
  }

  /** Ends the exchange with an error: the answer is lost, or the rest of its body. */
  fail(error: unknown): void {
    if (this.isClosed && (this.#unread.length === 0 || this.#hasEnded)) return
    this.destroyed = true
    this.#failure ??= { error }
    this.#close({ isWhole: false })
    if (!this.headersSent) this.#settle.reject(error)
    this.#resume()
  }

  /** Answers input that can't be served as a request. */
  refuse(status: 408 | 431): void {
    if (this.headersSent) {
      this.destroy()
      return
    }
    this.statusCode = status
    const body = errorBody(`${STATUS_CODES[status]}.`)
    this.setHeader('content-type', jsonType)
    this.setHeader('content-length', body.length)
    this.end(body)
  }

  #break(cause: Error): void {
    this.fail(this.headersSent ? new TypeError('terminated', { cause }) : failed('', cause))
  }

  #answer(body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null): void {
    this.headersSent = true
    const { statusCode: status } = this
    const init = { status, statusText: STATUS_CODES[status] ?? '', headers: this.#headers }
    this.#settle.resolve(new Response(withoutBody.includes(status) ? null : body, init))
  }

  /**
   * Stream of the body. It holds pieces until the client reads them. An error comes after all pieces, as over a
   * connection.
   */
  #stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const pull = (controller: ReadableStreamDefaultController): Promise<void> | void => {
      const next = this.#unread.shift()
      if (next) {
        controller.enqueue(next)
        if (this.#unread.length === 0) this.emit('drain')
      } else if (this.#failure) controller.error(this.#failure.error)
      else if (this.#hasEnded) controller.close()
      else {
        return new Promise<void>((resolve) => {
          this.#resume = resolve
        }).then(() => pull(controller))
      }
    }
    const cancel = () => {
      this.destroyed = true
      this.#close({ isWhole: false })
    }
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  }

  #close({ isWhole }: { readonly isWhole: boolean }): void {
    if (this.isClosed) return
    this.isClosed = true
    if (isWhole) this.emit('finish')
    this.emit('close')
  }
}
