import {
  type ControlCallId,
  controlEndpoints,
  documents,
  type Endpoint,
  endpoints,
  replayedHeader,
  worldHeader,
} from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import type { Chaos } from '../chaos/chaos.ts'
import { sendEvents } from '../control/events.ts'
import { runControl } from '../control/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { handlers } from '../handlers/index.ts'
import { answeredBefore } from '../handlers/payments.ts'
import { causeOf, differences } from '../observation/observed_requests.ts'
import type { TeamAccess } from '../teams/team_access.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import {
  authenticate,
  bearer,
  clientOf,
  expiresEarly,
  limitRate,
  requireControlAccess,
  requireOwnOrigin,
  requireScope,
  unauthenticated,
} from './access.ts'
import type { RequestUrls } from './addresses.ts'
import type { Context, ControlContext } from './context.ts'
import { json, jsonType, parseJson, successEncoder } from './envelope.ts'
import type { Reply, Request, Route } from './message.ts'
import type { PageCodes } from './page_codes.ts'
import { answerKilled, answerWithFault, chaosFor, isCalm, meetFault } from './request_faults.ts'
import { validatorFor } from './validation.ts'

type WorldOf = (request: Request) => World

/** Routes of the service's endpoints. */
export const serviceRoutes = (worldOf: WorldOf, urls: RequestUrls): readonly Route[] =>
  Object.entries<Endpoint>(endpoints).map(([id, row]) => serviceRoute(id, row, { worldOf, urls }))

function serviceRoute(
  id: string,
  row: Endpoint,
  { worldOf, urls }: { readonly worldOf: WorldOf; readonly urls: RequestUrls },
): Route {
  // Each handler accepts the input of its row, but TypeScript can't check that in a loop.
  const handle = handlers[id as keyof typeof handlers] as (input: unknown, context: Context) => unknown
  const encode = successEncoder(row)
  const validator = validatorFor(row)
  return {
    method: row.method,
    path: row.path,
    endpoint: id,
    parsers: { [jsonType]: parseJson },
    admit(request, reply) {
      const world = worldOf(request)
      const chaos = chaosFor(world, request)
      admitCaller(world, row, request, reply, chaos)
      if (chaos) request.offline = chaos.offline(id)
      request.kill = isCalm(request) ? null : (world.options.kills?.next(request) ?? null)
      if (request.kill === null && (world.faults.requests > 0 || chaos)) meetFault(world, id, request, chaos)
    },
    handle(request, reply) {
      const { kills } = worldOf(request).options
      if (request.kill !== null && kills)
        return answerKilled(request, reply, { kills, answer: () => answer(request, reply) })
      if (request.fault === null) return answer(request, reply)
      return answerWithFault(request.fault, reply, {
        worldNow: () => worldOf(request),
        answer: () => answer(request, reply),
      })
    },
  }
  function answer(request: Request, reply: Reply): unknown {
    const world = worldOf(request)
    const { database, clock, settings, moments } = world
    const { user, offline } = request
    const now = clock.now()
    const context: Context = {
      world,
      now,
      user,
      url: () => urls.of(request),
      isOnline: (rail) => rail !== offline && settings.isOnline(rail, now),
      headers: { [worldHeader]: world.id },
    }
    const work = () => {
      const headers = validator.headers(request)
      const key = row.idempotentBy && headers?.[row.idempotentBy]
      return firstAnswer(key, request, context) ?? handle(validator.input(request, headers), context)
    }
    request.notes.moment = moments.current
    const data = row.method === 'GET' ? work() : database.write(work, () => causeOf(request))
    request.notes.moment = moments.current
    reply.code(row.success.status).headers(context.headers)
    const text = encode(data, request.params)
    if (row.method === 'GET') request.notes.answer = text
    if (row.movesMoney) request.notes.payment = (data as { readonly id: string }).id
    const send = () => reply.send(json, text)
    // All answers of this turn of the event loop are sent together, so that a client process wakes up only once.
    if (database.settled) return database.settled.then(send)
    return void setImmediate(send)
  }
}

/** Checks rate limit, token and scope, in this order. Refused requests are counted too. */
function admitCaller(
  world: World,
  { access, method, path }: Endpoint,
  request: Request,
  reply: Reply,
  chaos: Chaos | null,
): void {
  const { store, clock } = world
  const found = typeof access === 'object' ? authenticate(request, store.tokens, clock.now()) : null
  const token = found instanceof Refusal ? null : found
  if (token) {
    request.user = token.user
    request.notes.client = token.client
  }
  limitRate(world, `${clientOf(request, token)} ${method} ${path}`, reply)
  if (found instanceof Refusal) throw found
  if (token === null || typeof access !== 'object') return
  if (expiresEarly(world, token, chaos)) throw unauthenticated('The access token has expired.')
  requireScope(token, access.scopes)
}

/**
 * The first answer to an idempotency key, whatever the request contains; undefined for a new key, or without a key.
 * Call it in the handler's transaction.
 */
function firstAnswer(key: unknown, request: Request, context: Context): unknown {
  const answer = typeof key === 'string' ? answeredBefore(key, context) : undefined
  if (answer === undefined) return undefined
  context.headers[replayedHeader] = 'true'
  request.notes.replayed = true
  request.notes.differs = differences(request.body, answer)
  return answer
}

interface ControlOptions {
  readonly worlds: Worlds
  readonly controlToken?: string | undefined
  readonly teams?: TeamAccess | undefined
  readonly identitySecret: string
  readonly listenFor: ControlContext['listenFor']
  readonly pageCodes: PageCodes
  readonly urls: RequestUrls
}

/** Routes of the emulator's own endpoints. */
export const controlRoutes = (options: ControlOptions): readonly Route[] =>
  Object.entries<Endpoint>(controlEndpoints).map(([id, row]) => controlRoute(id as ControlCallId, row, options))

function controlRoute(id: ControlCallId, row: Endpoint, options: ControlOptions): Route {
  const { worlds: all, controlToken, teams, identitySecret, listenFor, pageCodes, urls } = options
  const encode = successEncoder(row)
  return {
    method: row.method,
    path: row.path,
    endpoint: id,
    parsers: row.upload ? {} : { [jsonType]: parseJson },
    upload: row.upload,
    admit(request) {
      // If the emulator has teams, the key was already checked when the emulator looked up the world of the request.
      if (row.access === 'control') requireControlAccess(request, urls, teams ? undefined : controlToken)
      else if (row.errors[403] !== undefined) requireOwnOrigin(request, urls)
    },
    async handle(request, reply) {
      const worlds = teams?.visible(request) ?? all
      if (row.stream) return sendEvents(worlds, request, reply)
      const gone = new AbortController()
      const onGone = () => gone.abort()
      reply.raw.once('close', onGone)
      const { data, world } = await runControl(id, {
        worlds,
        name: request.world,
        worldId: request.worldId,
        identitySecret,
        listenFor,
        pageCodes,
        teamKey: teams && bearer(request.headers.authorization ?? ''),
        request,
        gone: gone.signal,
        url: () => urls.of(request),
        emulatorUrl: () => urls.emulator(request),
      })
      reply.raw.off('close', onGone)
      // The handler may have reset the world or moved its clock, so these headers are set again.
      reply.header(worldHeader, world.id).header('Date', world.clock.httpDate)
      reply.code(row.success.status)
      if (data instanceof Uint8Array) reply.sendFile(row.success.type ?? '', data)
      else reply.send(json, encode(data, request.params))
    },
  }
}

type DocumentName = keyof typeof documents

/** Readers of the documents that `npm run docs` writes; each document is read at its first request. */
const readers: Readonly<Record<DocumentName, () => Promise<{ readonly default: unknown }>>> = {
  service: () => import('../../docs/reference/openapi.json', { with: { type: 'json' } }),
  emulator: () => import('../../docs/reference/emulator-openapi.json', { with: { type: 'json' } }),
}

/** Default base URL of an emulator, as it appears in the documents. */
const usualUrl = 'http://127.0.0.1:4010'

/** Placeholder that is replaced with the base URL of each request. */
const servedUrl = 'served:'

/**
 * Serves the OpenAPI documents. The first server in a document is the URL at which the client reached the emulator and
 * the world.
 */
export const documentRoutes = (urls: RequestUrls): readonly Route[] =>
  Object.entries(readers).map(([name, read]): Route => {
    let text: string | undefined
    return {
      ...documents[name as DocumentName],
      parsers: {},
      admit: () => {},
      async handle(request, reply) {
        text ??= JSON.stringify((await read()).default, (key, value) =>
          key === 'servers' ? withServingFirst(value) : value,
        )
        const emulator = urls.emulator(request) || usualUrl
        const base = urls.of(request).slice(0, -request.path.length) || usualUrl
        reply.send(json, text.replaceAll(servedUrl, base).replaceAll(usualUrl, emulator))
      },
    }
  })

/**
 * Servers of a document: the first one is the world that serves the document, with its whole URL. The entries for the
 * default URL and for `/` are left out.
 */
const withServingFirst = (servers: readonly { readonly url: string }[]) => [
  { ...servers.find(({ url }) => url === '/'), url: servedUrl },
  ...servers.filter(({ url }) => url !== '/' && url !== usualUrl),
]
