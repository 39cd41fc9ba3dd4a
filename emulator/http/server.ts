import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { parse } from 'node:querystring'
import { defaultWorld, worldHeader, worldPath } from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import type { RealTimeout } from '../clock.ts'
import { Refusal } from '../domain/refusal.ts'
import { drain } from './drain.ts'
import type { fetchFrom, UnsentResponse } from './fetch.ts'
import { listening, listeningAt } from './listening.ts'
import { type Incoming, type Outgoing, Reply, type Request, type Route } from './message.ts'
import { Router } from './router.ts'

/** Size limit of a body, in bytes. */
const bodyLimit = 1024 * 1024

/** Time limits for clients, in milliseconds of real time; a slower client is disconnected. */
export interface Timeouts {
  /** Limit from the first byte of a request (or from the connection, if no byte comes) to the end of its headers. */
  readonly headers: number
  /** Limit from the same start to the end of the body. */
  readonly request: number
  /** Interval at which all connections are checked. */
  readonly check: number
}

/** Time that a connection may be idle between two requests, in milliseconds. */
const keepAliveTimeout = 72_000

const defaultTimeouts: Timeouts = { headers: 15_000, request: 30_000, check: 5000 }

/** Routes, time limits and callbacks of a server. */
interface HttpServerOptions {
  readonly routes: readonly Route[]
  readonly timeouts?: Timeouts | undefined
  /** Returns the name of a world for its name in URLs; the two differ only for the default world of a shard. */
  readonly worldNamed: (nameInUrl: string) => string
  /** Begins a time limit in milliseconds of real time. */
  readonly limit: (ms: number) => RealTimeout
  /** Runs first for every request; may throw a refusal. */
  readonly admit: (request: Request, reply: Reply) => void
  /**
   * Answers or refuses a request without a route. `allowed` lists the methods that the path has; null: the path can't
   * be decoded.
   */
  readonly unrouted: (request: Request, reply: Reply, allowed: readonly string[] | null) => Refusal
  readonly onError: (error: Error, request: Request, reply: Reply) => void
  /**
   * Resolves once all data that a refusal may depend on is committed; null: nothing is pending. If the promise rejects,
   * the client gets the error of the rejection instead.
   */
  readonly settled: (request: Request) => Promise<void> | null
  /** Answers input that can't be parsed as a request. */
  readonly onBadHttp: (error: Error & { code?: string }, socket: Socket) => void
  /** Called with each request. The returned function is called when both the handler and the response have ended. */
  readonly observe: (request: Request) => Answered | undefined
}

/** `status` null: no answer. `whole` false: the connection closed before the whole answer was sent. */
export type Answered = (status: number | null, whole: boolean) => void

/** The world that a request without a prefix addresses. */
interface Addressee {
  readonly world: string
  /** Id of that world, for a request without the header that contains the id; undefined: any world of this name. */
  readonly worldId?: string | undefined
  /** Set for a request of `fetch`. */
  readonly scheme?: Request['scheme']
}

/** Serves HTTP/1.1 from a list of routes. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #router: Router
  #servers: Server[]
  /** Servers for worlds that have their own port. */
  readonly #serversOfWorlds = new Map<string, Server>()
  /** Responses to `fetch` that are under way. */
  readonly #unsent = new Set<UnsentResponse>()
  /** Responses to all requests that are under way. */
  readonly #underWay = new Set<Outgoing>()
  #isDraining = false
  #isClosed = false
  #fetchFrom: typeof fetchFrom | undefined

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#router = new Router(options.routes)
    this.#servers = [this.#newServer()]
  }

  /** Handles one request; public so that tests can call it without a port. */
  readonly listener = (raw: IncomingMessage, response: ServerResponse): void =>
    this.#handleRaw(raw, response, { world: defaultWorld })

  /**
   * Answers a request without a socket, whatever the origin of its URL; a relative URL is resolved against `base`.
   * Rejects, or ends the body with an error, wherever `fetch` over a connection would.
   */
  async fetch(
    input: string | URL | globalThis.Request,
    init: RequestInit | undefined,
    { base, ...to }: Omit<Addressee, 'scheme'> & { readonly base: string },
  ): Promise<Response> {
    // Loaded at its first use: an emulator started from the command line gets all its requests over sockets.
    this.#fetchFrom ??= (await import('./fetch.ts')).fetchFrom
    const serve = (raw: Incoming, response: UnsentResponse, scheme: Request['scheme']) => {
      this.#unsent.add(response)
      response.once('close', () => this.#unsent.delete(response))
      this.#handleRaw(raw, response, { ...to, scheme })
    }
    const bodyLimit = () => this.#options.limit(this.#timeouts.request)
    return this.#fetchFrom({ serve, base, bodyLimit, isClosed: () => this.#isClosed }, input, init)
  }

  #handleRaw(raw: Incoming, response: Outgoing, { world: own, worldId, scheme }: Addressee): void {
    const reply = new Reply(response)
    const { url: target = '/', method = 'GET', headers, socket } = raw
    // The URL is absolute here if the client takes the emulator for a proxy.
    const url = target.replace(/^https?:\/\/[^/?]*/i, '')
    const [prefix = '', world = own] = url.startsWith(`${worldPath}/`) ? (/^\/[^/]+\/([^/?]*)/.exec(url) ?? []) : []
    const rest = url.slice(prefix.length)
    const mark = rest.indexOf('?')
    const path = (mark === -1 ? rest : rest.slice(0, mark)) || '/'
    const found = this.#router.find(method === 'HEAD' ? 'GET' : method, path)
    const request: Request = {
      method,
      url,
      world: this.#options.worldNamed(world),
      worldId: headers[worldIdHeader]?.toString().toLowerCase() ?? (world === own ? worldId : undefined),
      path,
      prefix,
      headers,
      ip: socket.remoteAddress ?? '',
      scheme: scheme ?? 'http',
      isInProcess: scheme !== undefined,
      route: found?.route ?? null,
      params: found?.params ?? {},
      query: parse(mark === -1 ? '' : rest.slice(mark + 1), '&', '=', { maxKeys: 0 }),
      body: undefined,
      user: null,
      fault: null,
      kill: null,
      offline: null,
      work: null,
      notes: {
        client: null,
        payment: null,
        replayed: false,
        differs: [],
        answer: null,
        error: null,
        number: null,
        moment: null,
        cause: null,
      },
    }
    const { observe, admit, unrouted } = this.#options
    const answered = observe(request)
    this.#underWay.add(response)
    reportEnd(reply, request, (status, whole) => {
      this.#underWay.delete(response)
      answered?.(status, whole)
    })
    if (this.#isDraining) reply.header('Connection', 'close')
    try {
      if (raw.httpVersion === '1.1' && headers.host === undefined) {
        throw new Refusal(400, { errors: { host: ['The Host header is required.'] } })
      }
      admit(request, reply)
      if (!request.route) throw unrouted(request, reply, this.#router.methods(path))
      request.route.admit(request, reply)
      if (found?.isReadable === false) throw new Refusal(400)
      // Only a request with a body needs a media type. Some clients name the type of an empty body.
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
      const hasBody = encoding !== undefined || Number(length) > 0
      if (method === 'GET' || method === 'HEAD' || !hasBody) this.#handle(request, reply)
      else this.#readBody(raw, request, reply)
    } catch (error) {
      this.#fail(error as Error, request, reply)
    }
  }

  /** Listens on a socket that another process has bound; rejects with the error of `listen`. */
  async listenOn(socket: number): Promise<void> {
    await listening(this.server, { fd: socket })
  }

  /** Resolves when the server listens; rejects with the error of `listen`, such as EADDRINUSE. */
  async listen(at: { readonly host: string; readonly port: number }): Promise<void> {
    this.#servers = await listeningAt(at, () => this.#newServer())
  }

  /** The addresses that the server listens on; the first belongs to the given host. */
  addresses(): readonly AddressInfo[] {
    return this.#servers
      .map((server) => server.address())
      .filter((address) => typeof address === 'object' && address !== null)
  }

  /** Stops listening, and closes each connection after its next answer. Resolves when all connections are closed. */
  async drain(): Promise<void> {
    this.#isDraining = true
    for (const response of this.#underWay) if (!response.headersSent) response.setHeader('connection', 'close')
    await drain(
      this.#servers.filter(({ listening }) => listening),
      this.#options.limit,
    )
  }

  /** Stops listening, answers the requests of this turn of the event loop, and closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closed = this.#servers
      .filter(({ listening }) => listening)
      .map((server) => new Promise((resolve) => server.close(resolve)))
    // Requests of this turn are answered after the turn's writes are committed; slow connections are cut.
    setImmediate(() => {
      for (const server of this.#servers) server.closeAllConnections()
      for (const response of this.#unsent) response.destroy()
    })
    await Promise.all(closed)
  }

  get #timeouts(): Timeouts {
    return this.#options.timeouts ?? defaultTimeouts
  }

  get server(): Server {
    return this.#servers[0] as Server
  }

  /**
   * Listens on another port, where requests without a prefix address this world; resolves with the address of the port.
   */
  async listenFor(world: string, port: number): Promise<AddressInfo> {
    const [own] = this.addresses()
    if (!own) throw new Refusal(409, { message: 'This emulator has no port, and so its worlds have none.' })
    const server = this.#newServer(world)
    await listening(server, { host: own.address, port })
    this.#servers.push(server)
    this.#serversOfWorlds.set(world, server)
    return server.address() as AddressInfo
  }

  /** Closes the port of a world, and its connections. */
  stopListeningFor(world: string): void {
    const server = this.#serversOfWorlds.get(world)
    if (!server) return
    this.#serversOfWorlds.delete(world)
    this.#servers = this.#servers.filter((other) => other !== server)
    server.close()
    // The answers of this turn of the event loop are still sent.
    setImmediate(() => server.closeAllConnections())
  }

  #newServer(world = defaultWorld): Server {
    const { onBadHttp } = this.#options
    const timeouts = this.#timeouts
    const server = createServer(
      {
        headersTimeout: timeouts.headers,
        requestTimeout: timeouts.request,
        connectionsCheckingInterval: timeouts.check,
        keepAliveTimeout,
        // The emulator itself refuses a request without a Host, because Node's own refusal has no body.
        requireHostHeader: false,
      },
      (raw, response) => this.#handleRaw(raw, response, { world }),
    )
    server.on('clientError', onBadHttp)
    // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1); Node's own refusal of it has no body.
    server.on('checkExpectation', (raw, response) => this.#handleRaw(raw, response, { world }))
    return server
  }

  #handle(request: Request, reply: Reply): void {
    try {
      const done = (request.route as Route).handle(request, reply)
      if (done instanceof Promise) request.work = done.catch((error) => this.#fail(error, request, reply))
    } catch (error) {
      this.#fail(error as Error, request, reply)
    }
  }

  #readBody(raw: Incoming, request: Request, reply: Reply): void {
    const refuse = (error: Error): void => {
      // Node reads and drops the rest. If the connection closed now, a client that is still sending could lose the answer.
      raw.removeAllListeners('data').removeAllListeners('end')
      this.#fail(error, request, reply)
    }
    const { 'content-type': type = '', 'content-length': length } = request.headers
    const { upload, parsers = {} } = request.route ?? {}
    const media = (type.split(';', 1)[0] as string).trim().toLowerCase()
    const isFile = upload?.type === media
    const parse = Object.hasOwn(parsers, media) ? parsers[media] : undefined
    const isUnknown = !parse && !isFile
    if (isUnknown && Number(length) > 0) throw new Refusal(415)
    const limit = isFile ? upload.limit : bodyLimit
    if (Number(length) > limit) {
      refuse(new Refusal(413))
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (isUnknown && size > 0) refuse(new Refusal(415))
      else if (size > limit) refuse(new Refusal(413))
      else chunks.push(chunk)
    })
    raw.on('end', () => {
      try {
        const body = Buffer.concat(chunks)
        if (!request.isInProcess) for (const chunk of chunks.splice(0)) free(chunk)
        if (!isUnknown) request.body = parse ? parse(textOf(body)) : body
        this.#handle(request, reply)
      } catch (error) {
        refuse(error as Error)
      }
    })
    raw.on('error', () => refuse(new Refusal(400))) // the client has disconnected
  }

  #fail(error: Error, request: Request, reply: Reply): void {
    const settled = this.#options.settled(request)
    if (settled === null) this.#refuse(error, request, reply)
    else {
      request.work = settled.then(
        () => this.#refuse(error, request, reply),
        (failure) => this.#refuse(failure, request, reply),
      )
    }
  }

  #refuse(error: Error, request: Request, reply: Reply): void {
    const { onError } = this.#options
    request.notes.error = error
    try {
      if (request.route?.onError) request.route.onError(error, request, reply)
      else onError(error, request, reply)
    } catch (other) {
      onError(other as Error, request, reply)
    }
  }
}

/** Buffers below this size, in bytes, are left to the garbage collector. */
const large = 16 * 1024

/**
 * Frees the memory of a large buffer that nothing else uses. Otherwise such buffers count as used memory until the next
 * garbage collection, which would stop all requests for several milliseconds after every few bodies of 1 MiB.
 */
function free({ buffer, byteLength }: Buffer): void {
  if (byteLength >= large && buffer.byteLength === byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

function textOf(body: Buffer): string {
  const text = body.toString()
  free(body)
  return text
}

const worldIdHeader = worldHeader.toLowerCase()

function reportEnd(reply: Reply, request: Request, answered: Answered): void {
  const { raw: response } = reply
  let whole = false
  response.on('finish', () => {
    whole = true
  })
  const report = () => answered(reply.status, whole)
  response.on('close', () => {
    if (whole || request.work === null) report()
    else void request.work.then(report) // a disconnected client does not stop the handler
  })
}
