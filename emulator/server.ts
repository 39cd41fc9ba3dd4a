import { randomBytes } from 'node:crypto'
import {
  controlEndpoints,
  type Endpoint,
  type EndpointId,
  type ErrorStatus,
  endpoints,
  replayedHeader,
  worldHeader,
} from '../src/contract/index.ts'
import {
  admitControl,
  admitHost,
  authenticate,
  clientOf,
  limitRate,
  refuseDelivery,
  requireScope,
  unauthenticated,
} from './access.ts'
import type { Context } from './context.ts'
import type { ControlContext } from './control/context.ts'
import { controlHandlers } from './control/index.ts'
import { documentRoutes } from './documents.ts'
import { Refusal } from './domain/refusal.ts'
import { successEncoder } from './envelope.ts'
import { answerBadHttp, answerError, unroutedRefusal } from './failures.ts'
import { handlers } from './handlers/index.ts'
import { answeredBefore } from './handlers/payments.ts'
import { HttpServer, type Reply, type Request, type Route, type Timeouts } from './http_server.ts'
import { json, jsonType, parseJson } from './json_body.ts'
import { oauthRoutes } from './oauth/routes.ts'
import type { AnsweredRequest, EmulatorOptions } from './options.ts'
import { weakness } from './secret_strength.ts'
import { type Validator, validatorFor } from './validation.ts'
import type { World } from './world.ts'
import type { Worlds } from './worlds.ts'

interface ServerOptions {
  readonly worlds: Worlds
  readonly controlToken?: string | undefined
  readonly timeouts?: Timeouts
  /** A random one where nobody is told it. */
  readonly identitySecret?: string
  readonly onRequest?: EmulatorOptions['onRequest']
}

/** The emulator's HTTP face, not listening yet: routes, access and errors, all from the endpoint tables. */
export function buildServer(options: ServerOptions): HttpServer {
  const { worlds, timeouts, controlToken, onRequest, identitySecret = newIdentitySecret() } = options
  // The one place that knows which world a request is for. Asked whenever a request goes on: a reset may have come since.
  const worldOf = (_request: Request): World => worlds.current
  const refuseRebound = isOpenedBySecretsAlone(options) ? () => {} : admitHost()
  const service = Object.entries(endpoints).map(([id, row]) =>
    serviceRoute({ worldOf, id, row, handle: lookUp(handlers, id) }),
  )
  const control = Object.entries(controlEndpoints).map(([id, row]) => {
    const handle = lookUp<ControlContext>(controlHandlers, id)
    return controlRoute({ worlds, controlToken, worldOf, identitySecret, id, row, handle })
  })
  const server = new HttpServer({
    routes: [...service, ...control, ...oauthRoutes({ worldOf, controlToken }), ...documentRoutes],
    timeouts,
    admit(request, reply) {
      reply.header(worldHeader, worldOf(request).id)
      refuseRebound(request)
      refuseDelivery(request)
    },
    unrouted(request, reply, readable) {
      limitUnrouted(worldOf(request), request, reply)
      return readable ? unroutedRefusal(request) : new Refusal(400)
    },
    onError: answerError(worlds.options.onFault),
    onBadHttp: answerBadHttp,
    observe: onRequest && ((request) => reportTo(onRequest, request, worldOf(request).clock.stopwatch())),
  })
  worlds.ownAddress.serve(() => server.addresses())
  return server
}

export const newIdentitySecret = (): string => randomBytes(32).toString('base64url')

/** Whether its secrets alone would keep strangers out: then it does not matter under which name it is asked. */
const isOpenedBySecretsAlone = ({ worlds, controlToken }: ServerOptions): boolean =>
  weakness({ token: worlds.options.token, controlToken }) === null

function reportTo(report: (request: AnsweredRequest) => void, request: Request, elapsed: () => number) {
  const { method, url: path, route } = request
  return (status: number): void =>
    report({ method, path, endpoint: route?.endpoint ?? null, status, durationMs: elapsed() })
}

type Handle<C> = (input: unknown, context: C) => unknown

/** A table and its handlers have the same keys and agree on types row by row; a walk over both can't say so. */
const lookUp = <C>(table: Readonly<Record<string, unknown>>, id: string) => table[id] as Handle<C>

interface Row<C> {
  readonly worldOf: (request: Request) => World
  readonly id: string
  readonly row: Endpoint
  readonly handle: Handle<C>
}

function serviceRoute({ id, row, handle, worldOf }: Row<Context>): Route {
  const encode = successEncoder(row)
  const validate = lazily(() => validatorFor(row))
  return {
    method: row.method,
    path: row.path,
    endpoint: id,
    parsers: { [jsonType]: parseJson },
    admit(request, reply) {
      const world = worldOf(request)
      admit(world, row, { request, reply })
      failOnPurpose(world, id as EndpointId)
    },
    handle(request, reply) {
      const world = worldOf(request)
      const { database, clock } = world
      const headers: Record<string, string> = { [worldHeader]: world.id }
      const { user } = request
      const context: Context = { world, now: clock.now(), user, url: () => urlOf(request), headers }
      const work = () => replay(validate(), request, { row, context }) ?? handle(validate().input(request), context)
      const data = row.method === 'GET' ? work() : database.write(work)
      reply.code(row.success.status).headers(headers)
      const answer = encode(data, request.params)
      const send = () => reply.send(json, answer)
      // Together with the other answers of this turn: a caller is woken once for all of them, not for each.
      if (database.settled) return database.settled.then(send)
      return void setImmediate(send)
    },
  }
}

interface Exchange {
  readonly request: Request
  readonly reply: Reply
}

/** Who is asking, not too often, and may they. Whoever is refused is counted too. */
function admit(world: World, row: Endpoint, { request, reply }: Exchange): void {
  const { access } = row
  const { store, clock } = world
  const found = typeof access === 'object' ? authenticate(request, store.tokens, clock.now()) : null
  const token = found instanceof Refusal ? null : found
  limitRate(world, `${clientOf(request, token)} ${row.method} ${row.path}`, reply)
  if (found instanceof Refusal) throw found
  if (token === null || typeof access !== 'object') return
  requireScope(token, access.scopes)
  request.user = token.user
}

/** Answers by the next rule of the endpoint's, if it has any; nothing else of the request happens. */
function failOnPurpose(world: World, endpoint: EndpointId): void {
  const status = world.faults.next(endpoint)
  if (status === undefined) return
  if (status === 401) throw unauthenticated('The emulator was told to refuse it.')
  throw new Refusal(status as ErrorStatus, status === 429 ? { headers: { 'Retry-After': '1' } } : {})
}

/** What no route takes is counted as one endpoint. */
const limitUnrouted = (world: World, request: Request, reply: Reply): void =>
  limitRate(world, `${clientOf(request, null)} elsewhere`, reply)

interface ControlRow extends Row<ControlContext> {
  readonly worlds: Worlds
  readonly controlToken?: string | undefined
  readonly identitySecret: string
}

function controlRoute({ id, row, handle, worldOf, worlds, controlToken, identitySecret }: ControlRow): Route {
  const encode = successEncoder(row)
  const validate = lazily(() => validatorFor(row))
  const reset = () => worlds.reset()
  return {
    method: row.method,
    path: row.path,
    endpoint: id,
    parsers: { [jsonType]: parseJson },
    admit(request) {
      if (row.access === 'control') admitControl(request, controlToken)
    },
    async handle(request, reply) {
      const context = { world: worldOf(request), reset, identitySecret, url: () => urlOf(request) }
      const data = await handle(validate().input(request), context)
      const world = worldOf(request)
      await world.database.settled
      reply.header(worldHeader, world.id).code(row.success.status).send(json, encode(data, request.params))
    },
  }
}

/**
 * Where the row is idempotent and the request's key was sent before: the answer of then, whatever else comes with it now.
 * Runs in the transaction that the handler would run in.
 */
function replay(validator: Validator, request: Request, { row, context }: Replay): unknown {
  if (row.idempotentBy === undefined) return undefined
  const key = validator.headers(request)[row.idempotentBy]
  const answer = typeof key === 'string' ? answeredBefore(key, context) : undefined
  if (answer !== undefined) context.headers[replayedHeader] = 'true'
  return answer
}

interface Replay {
  readonly row: Endpoint
  readonly context: Context
}

function lazily(make: () => Validator): () => Validator {
  let made: Validator | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Links lead back to where the request came in, unless its Host is no host at all. */
function urlOf({ headers: { host = '' }, path }: Request): string {
  const origin = /^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : ''
  return `${origin}${path}`
}
