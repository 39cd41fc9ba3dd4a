import {
  type ControlId,
  controlEndpoints,
  documents,
  type Endpoint,
  endpoints,
  replayedHeader,
  worldHeader,
} from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import { runControl } from '../control/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { handlers } from '../handlers/index.ts'
import { answeredBefore } from '../handlers/payments.ts'
import { differences } from '../observation/observed_requests.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import {
  authenticate,
  clientOf,
  expiresEarly,
  limitRate,
  requireControlAccess,
  requireScope,
  unauthenticated,
} from './access.ts'
import type { RequestUrls } from './addresses.ts'
import type { Context, ControlContext } from './context.ts'
import { json, jsonType, parseJson, successEncoder } from './envelope.ts'
import type { Reply, Request, Route } from './message.ts'
import { answerWithFault, meetFault } from './request_faults.ts'
import { type Validator, validatorFor } from './validation.ts'

type WorldOf = (request: Request) => World

/** Routes of the service's endpoints. */
export const serviceRoutes = (worldOf: WorldOf, urls: RequestUrls): readonly Route[] =>
  Object.entries(endpoints).map(([id, row]) => serviceRoute({ worldOf, urls, id, row }))

interface ControlOptions {
  readonly worlds: Worlds
  readonly controlToken?: string | undefined
  readonly identitySecret: string
  readonly listenFor: ControlContext['listenFor']
  readonly urls: RequestUrls
}

/** Routes of the emulator's own endpoints. */
export const controlRoutes = (options: ControlOptions): readonly Route[] =>
  Object.entries(controlEndpoints).map(([id, row]) => controlRoute({ ...options, id: id as ControlId, row }))

type Handle = (input: unknown, context: Context) => unknown

/** Keys and types of a table and its handlers agree row by row, but TypeScript can't see it in a loop. */
const handlerOf = (id: string) => (handlers as Readonly<Record<string, unknown>>)[id] as Handle

interface ServiceRow {
  readonly worldOf: WorldOf
  readonly urls: RequestUrls
  readonly id: string
  readonly row: Endpoint
}

function serviceRoute({ id, row, worldOf, urls }: ServiceRow): Route {
  const handle = handlerOf(id)
  const encode = successEncoder(row)
  const validator = validatorFor(row)
  return {
    method: row.method,
    path: row.path,
    endpoint: id,
    parsers: { [jsonType]: parseJson },
    admit(request, reply) {
      const world = worldOf(request)
      admitCaller(world, row, { request, reply })
      request.offline = world.chaos?.offline(id) ?? null
      if (world.faults.requests > 0 || world.chaos) meetFault(world, id, request)
    },
    handle(request, reply) {
      if (request.fault === null) return answer(request, reply)
      return answerWithFault(request.fault, reply, {
        worldNow: () => worldOf(request),
        answer: () => answer(request, reply),
      })
    },
  }
  function answer(request: Request, reply: Reply): unknown {
    const world = worldOf(request)
    const { database, clock } = world
    const headers: Record<string, string> = { [worldHeader]: world.id }
    const { user, offline } = request
    const now = clock.now()
    const rails = () => ({ ...world.settings.railsAt(now), ...(offline !== null && { [offline]: false }) })
    const context: Context = { world, now, user, url: () => urls.of(request), headers, rails }
    const work = () => replay(validator, request, { row, context }) ?? handle(validator.input(request), context)
    const data = row.method === 'GET' ? work() : database.write(work)
    reply.code(row.success.status).headers(headers)
    const text = encode(data, request.params)
    if (row.method === 'GET') request.notes.answer = text
    if (row.movesMoney) request.notes.payment = (data as { readonly id: string }).id
    const send = () => reply.send(json, text)
    // Sent together with the other answers of this turn, so that a client wakes once for all.
    if (database.settled) return database.settled.then(send)
    return void setImmediate(send)
  }
}

interface Exchange {
  readonly request: Request
  readonly reply: Reply
}

/** Checks rate limit, token and scope, in this order. Counts refused requests, too. */
function admitCaller(world: World, row: Endpoint, { request, reply }: Exchange): void {
  const { access } = row
  const { store, clock } = world
  const found = typeof access === 'object' ? authenticate(request, store.tokens, clock.now()) : null
  const token = found instanceof Refusal ? null : found
  if (token) {
    request.user = token.user
    request.notes.client = token.client
  }
  limitRate(world, `${clientOf(request, token)} ${row.method} ${row.path}`, reply)
  if (found instanceof Refusal) throw found
  if (token === null || typeof access !== 'object') return
  if (expiresEarly(world, token)) throw unauthenticated('The access token has expired.')
  requireScope(token, access.scopes)
}

interface ControlRow extends ControlOptions {
  readonly id: ControlId
  readonly row: Endpoint
}

function controlRoute(options: ControlRow): Route {
  const { id, row, worlds, controlToken, identitySecret, listenFor, urls } = options
  const encode = successEncoder(row)
  return {
    method: row.method,
    path: row.path,
    endpoint: id,
    parsers: row.upload ? {} : { [jsonType]: parseJson },
    upload: row.upload,
    admit(request) {
      if (row.access === 'control') requireControlAccess(request, { controlToken, urls })
    },
    async handle(request, reply) {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const { data, world } = await runControl(id, {
        ...{
          worlds,
          name: request.world,
          worldId: request.worldId,
          identitySecret,
          listenFor,
          request,
          gone: gone.signal,
        },
        url: () => urls.of(request),
        emulatorUrl: () => urls.emulator(request),
      })
      // The handler may have moved the clock.
      reply.header(worldHeader, world.id).header('Date', world.clock.httpDate)
      reply.code(row.success.status)
      if (data instanceof Uint8Array) reply.sendFile(row.success.type ?? '', data)
      else reply.send(json, encode(data, request.params))
    },
  }
}

/**
 * The first answer to the request's idempotency key, whatever the request contains; undefined for a new key, or if the
 * row is not idempotent. Runs in the handler's transaction.
 */
function replay(validator: Validator, request: Request, { row, context }: Replay): unknown {
  if (row.idempotentBy === undefined) return undefined
  const key = validator.headers(request)[row.idempotentBy]
  const answer = typeof key === 'string' ? answeredBefore(key, context) : undefined
  if (answer === undefined) return undefined
  context.headers[replayedHeader] = 'true'
  request.notes.replayed = true
  request.notes.differs = differences(request.body, answer)
  return answer
}

interface Replay {
  readonly row: Endpoint
  readonly context: Context
}

type Name = keyof typeof documents

/** Documents written by `npm run docs`; read at the first request. */
const readers: Readonly<Record<Name, () => Promise<{ readonly default: unknown }>>> = {
  service: () => import('../../docs/reference/openapi.json', { with: { type: 'json' } }),
  emulator: () => import('../../docs/reference/emulator-openapi.json', { with: { type: 'json' } }),
}

/** Default address of an emulator, as the documents have it. */
const usualUrl = 'http://127.0.0.1:4010'

/** Placeholder for the base URL of a request. */
const servedUrl = 'served:'

/** Serves the OpenAPI documents. The server that gets the request is first in their list of servers, with its world. */
export const documentRoutes = (urls: RequestUrls): readonly Route[] =>
  Object.entries(readers).map(([name, read]) => documentRoute(name as Name, read, urls))

function documentRoute(name: Name, read: (typeof readers)[Name], urls: RequestUrls): Route {
  let text: string | undefined
  return {
    ...documents[name],
    parsers: {},
    admit: () => {},
    async handle(request, reply) {
      text ??= JSON.stringify((await read()).default, (key, value) => (key === 'servers' ? servedFirst(value) : value))
      const emulator = urls.emulator(request) || usualUrl
      const base = urls.of(request).slice(0, -request.path.length) || usualUrl
      reply.send(json, text.replaceAll(servedUrl, base).replaceAll(usualUrl, emulator))
    },
  }
}

interface Server {
  readonly url: string
}

/** Servers of a document: the serving one first, by its whole URL, without the default one and `/`. */
const servedFirst = (servers: readonly Server[]): readonly Server[] => [
  { ...servers.find(({ url }) => url === '/'), url: servedUrl },
  ...servers.filter(({ url }) => url !== '/' && url !== usualUrl),
]
