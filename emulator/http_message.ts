import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Channel, Endpoint } from '../src/contract/index.ts'
import { type AnswerFault, sendBroken } from './broken_answer.ts'
import type { Fault } from './faults.ts'

/** A request, as far as it has been read. */
export interface Request {
  readonly method: string
  /** Path and query, undecoded. */
  readonly url: string
  /** Name of the world that it is for. */
  readonly world: string
  /** Id of that world: from the request's own header, then of the world that let it in; undefined: any of this name. */
  worldId: string | undefined
  /** The path without the query, and without the prefix of a world. */
  readonly path: string
  /** That prefix: `/w/<name>`, or nothing. */
  readonly prefix: string
  readonly headers: IncomingMessage['headers']
  /** Address of the client. */
  readonly ip: string
  /** Null if no route matches. */
  readonly route: Route | null
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  /** The parsed body; undefined without one. */
  body: unknown
  /** Seq of the user whose token came with the request. */
  user: number | null
  /** What a rule has happen to it; null: nothing. */
  fault: Fault | null
  /** The rail that is out of order for it by chance. */
  offline: Channel | null
  /** Resolves when its handler has ended; null where that did not go on after its first turn. */
  work: Promise<unknown> | null
  readonly notes: RequestNotes
}

/** What is found out about a request while it is handled, for the request log. */
interface RequestNotes {
  /** Seq of the OAuth client of its token; null for a token of the dashboard. */
  client: number | null
  /** Id of the payment that it made, or was answered with. */
  payment: string | null
  /** Whether it was answered as the first request with its key, and the members in which it differs from that. */
  replayed: boolean
  differs: readonly string[]
  /** What a read was answered with. */
  answer: string | null
  /** What it was refused with. */
  error: Error | null
}

export const newNotes = (): RequestNotes => ({
  client: null,
  payment: null,
  replayed: false,
  differs: [],
  answer: null,
  error: null,
})

/** How requests with a method and path are handled. What it throws goes to its `onError`, else to the server's. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path template; `{name}` stands for a parameter. */
  readonly path: string
  /** Id of its row in the endpoint table. */
  readonly endpoint?: string
  /** Parsers of a body's text by media type; a body of another type is refused (415). */
  readonly parsers: Readonly<Record<string, (text: string) => unknown>>
  /** Takes a file of this media type and up to so many bytes as well: the body is then its bytes. */
  readonly upload?: Endpoint['upload']
  /** Runs before the body is read; throws a refusal to keep the request out. */
  readonly admit: (request: Request, reply: Reply) => void
  readonly handle: (request: Request, reply: Reply) => unknown
  readonly onError?: (error: Error, request: Request, reply: Reply) => void
}

/** The answer to a request: headers one by one, then status and text at once. */
export class Reply {
  readonly raw: ServerResponse
  /** Happens to the answer when it is sent; null: nothing. */
  fault: AnswerFault | null = null
  #isMade = false

  constructor(raw: ServerResponse) {
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

  /** The status of the answer, also of one that did not leave; null: there was none. */
  get status(): number | null {
    return this.#isMade ? this.raw.statusCode : null
  }

  /** Sends the whole answer, unless one was sent or the client has gone. */
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

  /** The same for an answer that is a file. */
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
