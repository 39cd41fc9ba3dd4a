import { decoyWorld, pagePaths, type WorldBreach, worldHeader } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'
import { clientOf, limitRate, ownHostsOnly, refuseDelivery } from './http/access.ts'
import { RequestUrls } from './http/addresses.ts'
import { answerBadHttp, answerError, unroutedRefusal } from './http/failures.ts'
import type { Reply, Request } from './http/message.ts'
import { PageCodes } from './http/page_codes.ts'
import { pageRoutes } from './http/page_routes.ts'
import { controlRoutes, documentRoutes, serviceRoutes } from './http/routes.ts'
import { HttpServer, type Timeouts } from './http/server.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { observeRequest } from './observation/observed_requests.ts'
import { requestId } from './observation/request_log.ts'
import type { EmulatorOptions } from './options.ts'
import { weakness } from './secret_strength.ts'
import { newSecret, sameSecret } from './store/secret.ts'
import type { TeamAccess } from './teams/team_access.ts'
import { countLate } from './worlds/ended_worlds.ts'
import type { World } from './worlds/world.ts'
import type { Worlds } from './worlds/worlds.ts'

interface ServerOptions {
  readonly worlds: Worlds
  readonly controlToken?: string | undefined
  /** Access of the teams that share the emulator; undefined if it has no teams. */
  readonly teams?: TeamAccess | undefined
  readonly publicUrl?: string | undefined
  readonly timeouts?: Timeouts
  /** Random by default. */
  readonly identitySecret?: string
  readonly onRequest?: EmulatorOptions['onRequest']
  readonly pageCodes?: PageCodes
}

/**
 * Builds the emulator's server from the endpoint tables, with routes, access and errors. The server does not listen
 * yet.
 */
export function buildServer(options: ServerOptions): HttpServer {
  const { worlds, timeouts, controlToken, teams, onRequest, identitySecret = newSecret(), publicUrl } = options
  const { pageCodes = new PageCodes({ controlToken, clock: worlds.clock }) } = options
  const { counters, teamOf } = worlds.options
  const urls = new RequestUrls(publicUrl)
  // The only function that finds the world of a request. Call it at each step: a reset may happen between two steps.
  const worldOf = ({ world, worldId }: Request): World => worlds.find(world, worldId).world
  const checkHost = hasStrongSecrets(options) ? () => {} : ownHostsOnly(urls)
  const listenFor = (name: string, port: number) => server.listenFor(name, port)
  const enter = (request: Request, reply: Reply) => {
    const world = worldOf(request)
    // Before the body has arrived, this world may end, and a new world may take its name.
    request.worldId = world.id
    reply.header(worldHeader, world.id).header('Date', world.clock.httpDate)
    worlds.use(request.world)
  }
  const enterByClient =
    teams && ((request: Request, reply: Reply) => void (teams.enterByClient(request) && enter(request, reply)))
  const mayChooseUser =
    controlToken === undefined
      ? null
      : (secret: string, world: string) => teams?.controls(secret, world) ?? sameSecret(secret, controlToken)
  const server: HttpServer = new HttpServer({
    routes: [
      ...serviceRoutes(worldOf, urls),
      ...controlRoutes({ worlds, controlToken, teams, identitySecret, listenFor, pageCodes, urls }),
      ...oauthRoutes({ worldOf, mayChooseUser, urls, enterByClient }),
      ...documentRoutes(urls),
      ...pageRoutes(worlds),
    ],
    timeouts,
    worldNamed: (name) => worlds.shard.named(name),
    limit: (ms) => worlds.clock.timeout(ms),
    admit(request, reply) {
      checkHost(request)
      refuseDelivery(request)
      teams?.admit(request, reply)
      noteLate(worlds, request)
      enter(request, reply)
    },
    unrouted(request, reply, allowed) {
      limitUnrouted(worldOf(request), request, reply)
      return allowed === null ? new Refusal(400) : unroutedRefusal(allowed)
    },
    onError: answerError(worlds.options.onFault),
    settled: ({ world, worldId }) => worlds.get(world, worldId)?.world.database.settled ?? null,
    onBadHttp: answerBadHttp,
    observe(request) {
      teams?.address(request)
      const logOf = () => (request.world === decoyWorld ? undefined : observeRequest(worlds, request))
      const log = logOf()
      const release = worlds.hold(request.world)
      const elapsed = worlds.clock.preciseStopwatch()
      return (status, whole) => {
        // If the emulator has teams, the world of a token request may not be known until the body has been read.
        const atLast = log ?? (teams && logOf())
        atLast?.(status, whole)
        const team = teamOf(request.world)
        const durationMs = elapsed()
        counters.answered(team, request.route?.endpoint, status, durationMs)
        const world = teams?.worldIn(request) ?? request.world
        onRequest?.({ ...answeredRequest(request), world, status, durationMs: Math.round(durationMs), team })
        release()
        teams?.answered(request, status)
      }
    },
  })
  worlds.onEnded = (name) => server.stopListeningFor(name)
  return server
}

/**
 * Counts a request to a world that has ended. Identity checks are not counted, because payctl makes them on its own.
 * Requests for the page are not counted, because a person reloads it.
 */
function noteLate(worlds: Worlds, { world, worldId, method, path, route }: Request): void {
  const ended = worlds.endedFor(world, worldId)
  const isByPerson = Object.values<string | undefined>(pagePaths).includes(route?.path)
  if (!ended || route?.endpoint === 'control.identity' || isByPerson) return
  countLate(ended, { method, path, at: worlds.clock.now() })
  const what = 'its world had ended'
  const late: WorldBreach = { world: ended.name, request: null, method, path, status: 410, kind: 'late', what }
  worlds.observations.of(ended.name).strays.add(late)
  if (ended.strict) worlds.observations.tally(ended.name, (tally) => tally.addStrict([late]))
}

/** True if the secrets are strong enough to protect the emulator from strangers; any Host is then accepted. */
const hasStrongSecrets = ({ worlds, controlToken }: ServerOptions): boolean =>
  worlds.options.rngSeed === undefined && weakness({ token: worlds.options.token, controlToken }) === null

function answeredRequest({ method, url: path, route, world, worldId = '', headers, notes: { number } }: Request) {
  const { [givenIdHeader]: givenId } = headers
  return {
    method,
    path,
    endpoint: route?.endpoint ?? null,
    world,
    // If no world has admitted the request, the world's id is a string that the client sent, and may be malformed.
    worldId: isWorldId.test(worldId) ? worldId : null,
    id: number === null ? null : requestId(number),
    givenId: typeof givenId === 'string' ? givenId : null,
  }
}

const isWorldId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Header in which proxies and clients give a request its id. */
const givenIdHeader = 'x-request-id'

/** Applies the rate limit to requests for unknown paths, which all count as one endpoint. */
const limitUnrouted = (world: World, request: Request, reply: Reply): void =>
  limitRate(world, `${clientOf(request, null)} elsewhere`, reply)
