import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import findMyWay from 'find-my-way'
import { Refusal } from './domain/refusal.ts'

/** Longest body that is read, in bytes. */
const bodyLimit = 1024 * 1024

/** How long a client may take, in milliseconds of real time; the connection of one that takes longer is closed. */
export interface Timeouts {
  /** From the first byte of a request, or the connection where none comes, to the end of its headers. */
  readonly headers: number
  /** To the end of its body. */
  readonly request: number
  /** How often connections are looked through. */
  readonly check: number
}

/** How long a connection may be idle between two requests, in milliseconds. */
const keepAliveTimeout = 72_000

const usualTimeouts: Timeouts = { headers: 15_000, request: 30_000, check: 5000 }

/** A request and what is known of it so far. */
export interface Request {
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  /** The path alone. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Whom it comes from. */
  readonly ip: string
  /** Null where no route takes it. */
  readonly route: Route | null
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  /** As its parser made it; undefined where there is none. */
  body: unknown
  /** The seq of the user whose token admitted the request. */
  user: number | null
}

/** What becomes of the requests with a method and path. Whatever is thrown is answered by the face's `onError`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path template; `{name}` stands for a parameter. */
  readonly path: string
  /** Id of the row it was made of. */
  readonly endpoint?: string
  /** Makes a body of its text, by media type. */
  readonly parsers: Readonly<Record<string, (text: string) => unknown>>
  /** Lets the request in, before its body is read. */
  readonly admit: (request: Request, reply: Reply) => void
  readonly handle: (request: Request, reply: Reply) => unknown
  readonly onError?: (error: Error, request: Request, reply: Reply) => void
}

/** What a server does with requests. */
export interface Face {
  readonly routes: readonly Route[]
  readonly timeouts?: Timeouts | undefined
  /** Sees every request first. */
  readonly admit: (request: Request, reply: Reply) => void
  /** What a request is refused with that no route takes; `readable` is false for a path that can't be decoded. */
  readonly unrouted: (request: Request, reply: Reply, readable: boolean) => Refusal
  readonly onError: (error: Error, request: Request, reply: Reply) => void
  /** What never became a request. */
  readonly onBadHttp: (error: Error & { code?: string }, socket: Socket) => void
  /** Called with each request; what it returns hears the status when the answer has left, or the client has. */
  readonly observe?: ((request: Request) => (status: number) => void) | undefined
}

/** The answer to a request: headers as they come up, then status and text at once. */
export class Reply {
  readonly raw: ServerResponse

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

  /** Sends the whole answer, unless it has been sent or its client has gone. */
  send(type: string, text: string): void {
    const { raw } = this
    if (raw.headersSent || raw.destroyed) return
    raw.setHeader('content-type', type)
    raw.setHeader('content-length', Buffer.byteLength(text))
    raw.end(text)
  }

  redirect(location: string, status: number): void {
    const { raw } = this
    raw.statusCode = status
    raw.setHeader('location', location)
    raw.setHeader('content-length', 0)
    raw.end()
  }
}

/** Longer than a request line can be: an id that is none is told so, however long it is. */
const maxParamLength = 16 * 1024

/** Answers HTTP/1.1 by a table of routes. */
export class HttpServer {
  readonly #face: Face
  readonly #router = findMyWay({ maxParamLength, onBadUrl: () => {} })
  readonly #servers: Server[]

  constructor(face: Face) {
    this.#face = face
    for (const route of face.routes) {
      this.#router.on(route.method, route.path.replace(/\{(\w+)\}/g, ':$1'), () => {}, route)
    }
    this.#servers = [this.#newServer()]
  }

  /** Calls a request listener as a connection would; for tests. */
  readonly listener = (raw: IncomingMessage, response: ServerResponse): void => {
    const reply = new Reply(response)
    const found = this.#find(raw)
    const { url = '/', method = 'GET', headers, socket } = raw
    const request: Request = {
      method,
      url,
      path: url.split('?', 1)[0] as string,
      headers,
      ip: socket.remoteAddress ?? '',
      route: found?.store ?? null,
      params: (found?.params ?? {}) as Readonly<Record<string, string>>,
      query: found?.searchParams,
      body: undefined,
      user: null,
    }
    const { observe, admit, unrouted } = this.#face
    const answered = observe?.(request)
    if (answered) response.once('close', () => answered(response.statusCode))
    try {
      admit(request, reply)
      if (!request.route) throw unrouted(request, reply, found === null)
      request.route.admit(request, reply)
      if (method === 'GET' || method === 'HEAD' || !hasBody(raw)) this.#handle(request, reply)
      else this.#readBody(raw, request, reply)
    } catch (error) {
      this.#fail(error as Error, request, reply)
    }
  }

  /** Resolves when it listens; rejects with the error of `listen`, EADDRINUSE among them. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
    const [first] = this.#servers as [Server]
    await listening(first, host, port)
    if (host !== 'localhost') return
    const { address: bound, port: given } = first.address() as AddressInfo
    // The name has an address of either family: clients may try both.
    for (const { address } of await lookup(host, { all: true }).catch(() => [])) {
      if (address === bound) continue
      const server = this.#newServer()
      await listening(server, address, given).then(
        () => this.#servers.push(server),
        () => {}, // a machine without IPv6 has the name all the same
      )
    }
  }

  /** Where it listens; the first is that of the host that was asked for. */
  addresses(): readonly AddressInfo[] {
    return this.#servers
      .map((server) => server.address())
      .filter((address) => typeof address === 'object' && address !== null)
  }

  /** Stops listening, answers what is under way in this turn of the event loop, and ends all connections. */
  async close(): Promise<void> {
    const closed = this.#servers
      .filter(({ listening }) => listening)
      .map((server) => new Promise((resolve) => server.close(resolve)))
    // Requests of this turn are answered after its commit; a connection that dawdles must not hold up the end.
    setImmediate(() => {
      for (const server of this.#servers) server.closeAllConnections()
    })
    await Promise.all(closed)
  }

  get server(): Server {
    return this.#servers[0] as Server
  }

  #newServer(): Server {
    const { timeouts = usualTimeouts, onBadHttp } = this.#face
    const server = createServer(
      {
        headersTimeout: timeouts.headers,
        requestTimeout: timeouts.request,
        connectionsCheckingInterval: timeouts.check,
        keepAliveTimeout,
      },
      this.listener,
    )
    server.on('clientError', onBadHttp)
    return server
  }

  #find({ method = 'GET', url = '/' }: IncomingMessage) {
    return this.#router.find((method === 'HEAD' ? 'GET' : method) as 'GET', url)
  }

  #handle(request: Request, reply: Reply): void {
    try {
      const done = (request.route as Route).handle(request, reply)
      if (done instanceof Promise) done.catch((error) => this.#fail(error, request, reply))
    } catch (error) {
      this.#fail(error as Error, request, reply)
    }
  }

  #readBody(raw: IncomingMessage, request: Request, reply: Reply): void {
    const refuse = (error: Error): void => {
      raw.removeAllListeners('data').removeAllListeners('end')
      // Else the rest of the body would be read as the next request.
      reply.header('Connection', 'close')
      this.#fail(error, request, reply)
    }
    const { 'content-type': type, 'content-length': length } = request.headers
    const parse = request.route?.parsers[mediaType(type)]
    if (!parse) throw new Refusal(415)
    if (Number(length) > bodyLimit) {
      refuse(new Refusal(413))
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyLimit) refuse(new Refusal(413))
      else chunks.push(chunk)
    })
    raw.on('end', () => {
      try {
        request.body = parse(Buffer.concat(chunks).toString())
        this.#handle(request, reply)
      } catch (error) {
        refuse(error as Error)
      }
    })
    raw.on('error', () => refuse(new Refusal(400))) // its client has gone
  }

  #fail(error: Error, request: Request, reply: Reply): void {
    const { onError } = this.#face
    try {
      if (request.route?.onError) request.route.onError(error, request, reply)
      else onError(error, request, reply)
    } catch (other) {
      onError(other as Error, request, reply)
    }
  }
}

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** A request without a body need not say of what type it is. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] !== undefined ||
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] ?? '0') !== '0'

const mediaType = (contentType = ''): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase()
