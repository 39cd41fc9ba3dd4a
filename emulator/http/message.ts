import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Channel, Endpoint, KillMoment, RequestFault } from '../../src/contract/index.ts'
import type { Fault } from '../faults.ts'
import type { Cause } from '../store/database.ts'

/** The members of a request of node:http that the server reads; a request of `fetch` has them too. */
export interface Incoming extends EventEmitter, Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'httpVersion'> {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** The members of a response of node:http that the server uses; a response to `fetch` has them too. */
export interface Outgoing
  extends EventEmitter,
    Pick<ServerResponse, 'statusCode' | 'headersSent' | 'destroyed' | 'writableLength' | 'flushHeaders'> {
  readonly socket: { resetAndDestroy(): unknown } | null
  setHeader(name: string, value: string | number): unknown
  write(chunk: string | Uint8Array, written?: () => void): unknown
  end(chunk?: string | Uint8Array): unknown
  destroy(): unknown
}

/** A request whose body may not have been read yet. */
export interface Request {
  readonly method: string
  /** Path and query, undecoded. */
  readonly url: string
  /** Name of the addressed world; if the emulator has teams, the decoy for a request without access to that world. */
  world: string
  /**
   * Id of that world: at first the id in the request's header, later the id of the world that admitted the request;
   * undefined: any world of this name.
   */
  worldId: string | undefined
  /** The path without the query, and without the prefix of a world. */
  readonly path: string
  /** Prefix of the world: `/w/<name>`, or empty. */
  readonly prefix: string
  readonly headers: IncomingMessage['headers']
  /** IP address of the client. */
  readonly ip: string
  readonly scheme: 'http' | 'https'
  /** True for a request of `fetch`, which comes from this process. */
  readonly isInProcess: boolean
  /** The matching route; null if no route matches. */
  readonly route: Route | null
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  /** The parsed body; undefined if there is none. */
  body: unknown
  /** Seq of the user whose token the request has. */
  user: number | null
  /** Fault from a rule or from chaos; null: none. */
  fault: Fault | null
  /** Moment of the request at which the emulator kills the program that sent it; null: never. */
  kill: KillMoment | null
  /** Rail that chaos takes offline for this request. */
  offline: Channel | null
  /** Resolves when the request's handler has ended; null if the handler ended synchronously. */
  work: Promise<unknown> | null
  readonly notes: RequestNotes
}

/** Notes for the request log, made while a request is handled. */
interface RequestNotes {
  /** Seq of the OAuth client that the request's token belongs to; null for a dashboard token. */
  client: number | null
  /**
   * Id of the payment that the request created; if the request repeated a key, id of the payment that the first request
   * with this key created.
   */
  payment: string | null
  /**
   * True if the request got the answer of the first request with the same key. `differs` lists the members that differ
   * from those of the first request.
   */
  replayed: boolean
  differs: readonly string[]
  /** Body of the answer, if the request is a read. */
  answer: string | null
  /** The error with which the request was refused. */
  error: Error | null
  /** Number of the request in the log; null: not logged yet. */
  number: number | null
  /** Number of the moment whose state the request read, or that the request made; null if moments are off. */
  moment: number | null
  /** The request as the cause of a moment; null if moments are off. */
  cause: Cause | null
}

/**
 * Route for the requests with one method and path template. Errors go to the route's `onError`, or to the server's
 * `onError` if the route has none.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path template; `{name}` is a parameter. */
  readonly path: string
  /** Id of the route's row in the endpoint table. */
  readonly endpoint?: string
  /** Parsers of the body by media type; a body of another type is refused (415). */
  readonly parsers: Readonly<Record<string, (text: string) => unknown>>
  /** Also accepts a file of this media type, up to a size in bytes. The body is then the content of the file. */
  readonly upload?: Endpoint['upload']
  /** Runs before the body is read; may throw a refusal. */
  readonly admit: (request: Request, reply: Reply) => void
  readonly handle: (request: Request, reply: Reply) => unknown
  readonly onError?: (error: Error, request: Request, reply: Reply) => void
}

/** The answer to a request: callers set headers one by one, then send status and body together. */
export class Reply {
  readonly raw: Outgoing
  /** Fault applied when the answer is sent; null: none. */
  fault: AnswerFault | null = null
  #isMade = false

  constructor(raw: Outgoing) {
    this.raw = raw
  }

  header(name: string, value: string | number): this {
    this.raw.setHeader(name.toLowerCase(), value)
    return this
  }

  headers(all: Readonly<Record<string, string>>): this {
    for (const name in all) this.raw.setHeader(name.toLowerCase(), all[name] as string)
    return this
  }

  code(status: number): this {
    this.raw.statusCode = status
    return this
  }

  /** Status of the answer, sent or lost; null: there was none. */
  get status(): number | null {
    return this.#isMade ? this.raw.statusCode : null
  }

  /**
   * Sends the headers of an answer of unknown length; returns the response to write to, or null if `send` would send
   * nothing.
   */
  begin(type: string): Outgoing | null {
    const { raw } = this
    this.#isMade = true
    if (raw.headersSent || raw.destroyed) return null
    raw.setHeader('content-type', type)
    raw.flushHeaders()
    return raw
  }

  /** Sends the whole answer, unless an answer was sent already or the client has disconnected. */
  send(type: string, text: string): void {
    const { raw } = this
    this.#isMade = true
    if (raw.headersSent || raw.destroyed) return
    if (this.fault !== null) {
      sendBroken(raw, this.fault, { type, text })
      return
    }
    raw.setHeader('content-type', type)
    raw.setHeader('content-length', Buffer.byteLength(text))
    raw.end(text)
  }

  /** Sends an answer that is a file, under the conditions of `send`. */
  sendFile(type: string, bytes: Uint8Array): void {
    const { raw } = this
    this.#isMade = true
    if (raw.headersSent || raw.destroyed) return
    raw.setHeader('content-type', type)
    raw.setHeader('content-length', bytes.length)
    raw.end(bytes)
  }

  redirect(location: string, status: number): void {
    const { raw } = this
    this.#isMade = true
    raw.statusCode = status
    raw.setHeader('location', location)
    if (this.fault !== null) {
      sendBroken(raw, this.fault, { type: 'text/plain', text: '' })
      return
    }
    raw.setHeader('content-length', 0)
    raw.end()
  }
}

/** Fault that is applied to an answer. */
interface AnswerFault {
  readonly kind: Exclude<RequestFault, 'reset'>
  /** Milliseconds for which `hold_answer` holds the answer back. */
  readonly delay: number
  /** Waits `ms` milliseconds of real time; resolves with true if the world still exists. */
  readonly wait: (ms: number) => Promise<boolean>
}

/** A dripping answer is sent in pieces of `bytes`, with pauses of `pause` milliseconds. */
const drip = { bytes: 16, pause: 50 }

/** Sends an answer to which a fault is applied. The headers that do not describe the body are already set. */
function sendBroken(raw: Outgoing, fault: AnswerFault, { type, text }: Answer): void {
  if (fault.kind === 'lose_answer') {
    raw.destroy()
    return
  }
  const whole = Buffer.from(fault.kind === 'malformed' ? text.slice(0, Math.ceil(text.length / 2)) : text)
  raw.setHeader('content-type', fault.kind === 'content_type' ? 'text/html; charset=utf-8' : type)
  raw.setHeader('content-length', whole.length)
  if (fault.kind === 'truncate') raw.write(whole.subarray(0, whole.length / 2), () => raw.destroy())
  else if (fault.kind === 'hold_answer') void sendLate(raw, whole, fault)
  else if (fault.kind === 'drip') void sendSlowly(raw, whole, fault.wait)
  else raw.end(whole)
}

interface Answer {
  readonly type: string
  readonly text: string
}

async function sendLate(raw: Outgoing, whole: Buffer, { delay, wait }: AnswerFault): Promise<void> {
  if (await wait(delay)) raw.end(whole)
  else raw.destroy()
}

async function sendSlowly(raw: Outgoing, whole: Buffer, wait: AnswerFault['wait']): Promise<void> {
  for (let at = 0; at < whole.length && !raw.destroyed; at += drip.bytes) {
    raw.write(whole.subarray(at, at + drip.bytes))
    if (await wait(drip.pause)) continue
    raw.destroy()
    return
  }
  raw.end()
}
