import { randomBytes } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
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
import { answerBadHttp, answerError, refuseUnrouted } from './failures.ts'
import { handlers } from './handlers/index.ts'
import { answeredBefore } from './handlers/payments.ts'
import { json, parseJson } from './json_body.ts'
import { oauthRoutes } from './oauth/routes.ts'
import type { AnsweredRequest, EmulatorOptions } from './options.ts'
import { paramsOf, pathOf, routePath } from './route_path.ts'
import { weakness } from './secrets.ts'
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

/** How long a client may take, in milliseconds of real time; the connection of one that takes longer is closed. */
interface Timeouts {
  /** From the first byte of a request, or the connection where none comes, to the end of its headers. */
  readonly headers: number
  /** To the end of its body. */
  readonly request: number
  /** How often connections are looked through. */
  readonly check: number
}

const usualTimeouts: Timeouts = { headers: 15_000, request: 30_000, check: 5000 }

const bodyLimit = 1024 * 1024

/** Validation and serialization are ours (validation.ts, envelope.ts): without these fastify would load its own. */
const unused = (): never => {
  throw new Error('No route has a schema of fastify’s')
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The seq of the user whose token admitted the request. */
    user: number | null
  }
  interface FastifyContextConfig {
    /** Id of the row that the route was made of. */
    endpoint?: string
  }
}

/** The emulator's HTTP face, not listening yet: routes, admission and errors, all from the endpoint tables. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { worlds, timeouts = usualTimeouts, identitySecret = newIdentitySecret() } = options
  // The one place that knows which world a request is for. Asked whenever a request goes on: a reset may have come since.
  const worldOf = (_request: FastifyRequest): World => worlds.current
  const answer = answerError(worlds.options.onFault)
  const app = fastify({
    bodyLimit,
    requestTimeout: timeouts.request,
    http: { headersTimeout: timeouts.headers, connectionsCheckingInterval: timeouts.check },
    // As long as a request line can be: however long, an id that is none is told so.
    routerOptions: { maxParamLength: 16 * 1024 },
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    frameworkErrors: (error, request, reply) => {
      try {
        limitUnrouted(worldOf(request), request, reply)
        answer(error, request, reply)
      } catch (refusal) {
        answer(refusal as Refusal, request, reply)
      }
    },
    clientErrorHandler: answerBadHttp,
  })
  app.decorateRequest('user', null)
  const refuseRebound = isOpenedBySecretsAlone(options) ? () => {} : admitHost()
  if (options.onRequest) reportRequests(app, options.onRequest)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(worldHeader, worldOf(request).id)
    refuseRebound(request)
    refuseDelivery(request)
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(json, { parseAs: 'string' }, parseJson)
  app.setErrorHandler(answer)
  app.setNotFoundHandler((request, reply) => {
    limitUnrouted(worldOf(request), request, reply)
    refuseUnrouted(request)
  })
  worlds.ownAddress.serve(() => app.addresses())
  for (const [id, row] of Object.entries(endpoints))
    serviceRoute(app, { worldOf, id, row, handle: lookUp(handlers, id) })
  for (const [id, row] of Object.entries(controlEndpoints)) {
    const handle = lookUp<ControlContext>(controlHandlers, id)
    controlRoute(app, { ...options, worldOf, identitySecret, id, row, handle })
  }
  oauthRoutes(app, { worldOf, controlToken: options.controlToken })
  documentRoutes(app)
  return app
}

export const newIdentitySecret = (): string => randomBytes(32).toString('base64url')

/** Whether its secrets alone would keep strangers out: then it does not matter under which name it is asked. */
const isOpenedBySecretsAlone = ({ worlds, controlToken }: ServerOptions): boolean =>
  weakness({ token: worlds.options.token, controlToken }) === null

function reportRequests(app: FastifyInstance, report: (request: AnsweredRequest) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url: path, routeOptions } = request
    const endpoint = routeOptions.config.endpoint ?? null
    report({ method, path, endpoint, status: reply.statusCode, durationMs: Math.round(reply.elapsedTime) })
    done()
  })
}

type Handle<C> = (input: unknown, context: C) => unknown

/** A table and its handlers have the same keys and agree on types row by row; a walk over both can't say so. */
const lookUp = <C>(table: Readonly<Record<string, unknown>>, id: string) => table[id] as Handle<C>

interface Route<C> {
  readonly worldOf: (request: FastifyRequest) => World
  readonly id: string
  readonly row: Endpoint
  readonly handle: Handle<C>
}

function serviceRoute(app: FastifyInstance, route: Route<Context>): void {
  const { row, handle, worldOf } = route
  const encode = successEncoder(row)
  const validate = lazily(() => validatorFor(row))
  app.route({
    method: row.method,
    url: routePath(row),
    config: { endpoint: route.id },
    onRequest: (request, reply, done) => {
      const world = worldOf(request)
      admit(world, row, { request, reply })
      failOnPurpose(world, route.id as EndpointId)
      done()
    },
    handler: (request, reply) => {
      const world = worldOf(request)
      const { database, clock } = world
      const headers: Record<string, string> = { [worldHeader]: world.id }
      const { user } = request
      const context: Context = { world, now: clock.now(), user, url: () => urlOf(request), headers }
      const work = () => replay(validate(), request, { row, context }) ?? handle(validate().input(request), context)
      const data = row.method === 'GET' ? work() : database.write(work)
      reply.code(row.success.status).headers(headers).type(json)
      const answer = encode(data, paramsOf(request))
      const send = () => reply.send(answer)
      const { settled } = database
      // Together with the other answers of this turn: a caller is woken once for all of them, not for each.
      if (settled === null) setImmediate(send)
      else settled.then(send, (error) => reply.send(error))
    },
  })
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
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
const limitUnrouted = (world: World, request: FastifyRequest, reply: FastifyReply): void =>
  limitRate(world, `${clientOf(request, null)} elsewhere`, reply)

interface ControlRoute extends Route<ControlContext> {
  readonly worlds: Worlds
  readonly controlToken?: string | undefined
  readonly identitySecret: string
}

function controlRoute(app: FastifyInstance, route: ControlRoute): void {
  const { row, handle, worldOf, worlds, controlToken, identitySecret } = route
  const reset = () => worlds.reset()
  const encode = successEncoder(row)
  const validate = lazily(() => validatorFor(row))
  app.route({
    method: row.method,
    url: routePath(row),
    config: { endpoint: route.id },
    onRequest: (request, _reply, done) => {
      if (row.access === 'control') admitControl(request, controlToken)
      done()
    },
    handler: async (request, reply) => {
      const context = { world: worldOf(request), reset, identitySecret, url: () => urlOf(request) }
      const data = await handle(validate().input(request), context)
      const { database, id } = worldOf(request)
      await database.settled
      return reply
        .header(worldHeader, id)
        .code(row.success.status)
        .type(json)
        .send(encode(data, paramsOf(request)))
    },
  })
}

/**
 * Where the row is idempotent and the request's key was sent before: the answer of then, whatever else comes with it now.
 * Runs in the transaction that the handler would run in.
 */
function replay(validator: Validator, request: FastifyRequest, { row, context }: Replay): unknown {
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
function urlOf(request: FastifyRequest): string {
  const { host } = request
  const origin = /^[\w.:[\]-]{1,255}$/.test(host) ? `${request.protocol}://${host}` : ''
  return `${origin}${pathOf(request)}`
}
