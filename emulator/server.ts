import { worldHeader } from '../src/contract/index.ts'
import { admitHost, clientOf, limitRate, refuseDelivery } from './access.ts'
import { Refusal } from './domain/refusal.ts'
import { answerBadHttp, answerError, unroutedRefusal } from './failures.ts'
import { HttpServer, type Reply, type Request, type Timeouts } from './http_server.ts'
import { oauthRoutes } from './oauth/routes.ts'
import type { AnsweredRequest, EmulatorOptions } from './options.ts'
import { controlRoutes, documentRoutes, serviceRoutes } from './routes.ts'
import { weakness } from './secret_strength.ts'
import { newSecret } from './store/secret.ts'
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
  const { worlds, timeouts, controlToken, onRequest, identitySecret = newSecret() } = options
  // The one place that knows which world a request is for. Asked whenever a request goes on: a reset may have come since.
  const worldOf = (_request: Request): World => worlds.current
  const refuseRebound = isOpenedBySecretsAlone(options) ? () => {} : admitHost()
  const server = new HttpServer({
    routes: [
      ...serviceRoutes(worldOf),
      ...controlRoutes({ worldOf, worlds, controlToken, identitySecret }),
      ...oauthRoutes({ worldOf, controlToken }),
      ...documentRoutes,
    ],
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

/** Whether its secrets alone would keep strangers out: then it does not matter under which name it is asked. */
const isOpenedBySecretsAlone = ({ worlds, controlToken }: ServerOptions): boolean =>
  weakness({ token: worlds.options.token, controlToken }) === null

function reportTo(report: (request: AnsweredRequest) => void, request: Request, elapsed: () => number) {
  const { method, url: path, route } = request
  return (status: number): void =>
    report({ method, path, endpoint: route?.endpoint ?? null, status, durationMs: elapsed() })
}

/** What no route takes is counted as one endpoint. */
const limitUnrouted = (world: World, request: Request, reply: Reply): void =>
  limitRate(world, `${clientOf(request, null)} elsewhere`, reply)
