import { defaultWorld, idempotencyHeader, oauthEndpoints } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { refusalMessage } from '../http/envelope.ts'
import type { Request } from '../http/message.ts'
import type { Answered } from '../http/server.ts'
import { OAuthRefusal, PageRefusal } from '../oauth/refusals.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { breachesOf, rowOf } from './breaches.ts'
import { type LoggedRequest, noQuery } from './request_log.ts'

/**
 * Logs each request to the service or OAuth in its world, once it is answered or its answer is lost. Control requests
 * are left out: they are part of the test, not of the tested program.
 */
export function observeRequest(worlds: Worlds, request: Request): Answered | undefined {
  const world = worlds.get(request.world, request.worldId)?.world
  if (!world || !isLogged(request)) return undefined
  const { clock, requests: log, waits } = world
  const at = clock.now()
  const elapsed = clock.stopwatch()
  const before = log.last
  log.came(request.route?.endpoint ?? null)
  waits.wake()
  return (status, answered) => {
    const { notes, route, headers } = request
    const key = headers[keyHeader]
    const logged: LoggedRequest = {
      number: log.last + 1,
      before,
      at,
      durationMs: elapsed(),
      method: request.method,
      path: shortened(request.path),
      query: knownQuery(request),
      endpoint: route?.endpoint ?? null,
      status,
      answered,
      user: request.user,
      client: notes.client,
      key: typeof key === 'string' && key !== '' ? key.slice(0, longest.key) : null,
      replayed: notes.replayed,
      fault: request.fault,
      refusal: notes.error && refusalOf(notes.error, request),
      payment: notes.payment,
      breaches: breachesOf(request),
      body: bodyOf(request),
    }
    log.add(logged)
    if (!world.ended) world.evidence.answered(logged, notes.answer)
    waits.wake()
    const loop = notes.answer === null ? undefined : log.loopOf(logged, notes.answer)
    const isUnnamed = request.world === defaultWorld && request.prefix === '' && worlds.all().length > 1
    worlds.tally.add(request.world, logged, { loop, isUnnamed })
  }
}

const controlPath = /^\/_emulator(\/|$)/

function isLogged({ route, path }: Request): boolean {
  if (route === null) return !controlPath.test(path)
  return route.endpoint !== undefined && !route.endpoint.startsWith('control.')
}

/** Characters that the log keeps of an unknown path, and of a key. */
const longest = { path: 200, key: 255 }

const shortened = (path: string): string => (path.length > longest.path ? `${path.slice(0, longest.path)}…` : path)

const keyHeader = idempotencyHeader.toLowerCase()

/** Only parameters that the endpoint declares: others may be misplaced secrets. */
function knownQuery(request: Request): Readonly<Record<string, string>> {
  const properties = rowOf(request)?.query?.properties
  if (!properties) return noQuery
  const given = request.query as Readonly<Record<string, unknown>>
  const known = Object.keys(given).filter((name) => Object.hasOwn(properties, name))
  return known.length === 0 ? noQuery : Object.fromEntries(known.map((name) => [name, String(given[name])]))
}

/** The refusal as answered: an internal error reveals no details here either. */
function refusalOf(error: Error, request: Request): LoggedRequest['refusal'] {
  if (error instanceof OAuthRefusal || error instanceof PageRefusal) return { message: error.message, errors: {} }
  const refusal = error instanceof Refusal ? error : new Refusal(500)
  return { message: refusalMessage(refusal, rowOf(request), request.params), errors: refusal.errors }
}

/** Size limit of a logged body, in bytes. */
const longestBody = 4096

const publicOAuthMembers = ['grant_type', 'client_id', 'redirect_uri', 'scope']

/** The parsed body without secrets. Undeclared members are left out: they may be secrets. */
function bodyOf(request: Request): unknown {
  const { body, headers, route } = request
  if (body === undefined || !(Number(headers['content-length']) <= longestBody)) return undefined
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return '***'
  const known = rowOf(request)?.body?.properties ?? {}
  const isOAuth = Object.hasOwn(oauthEndpoints, route?.endpoint ?? '')
  const isPublic = (name: string) => (isOAuth ? publicOAuthMembers.includes(name) : Object.hasOwn(known, name))
  const names = Object.keys(body)
  if (names.every((name) => isPublic(name) && !secretive.includes(name))) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isPublic(name) ? withoutSecrets(name, value) : '***']),
  )
}

const secretive = ['headers', 'url']

/** Removes a subscription's headers, which authenticate deliveries, and the password in its URL. */
function withoutSecrets(name: string, value: unknown): unknown {
  if (name === 'url' && typeof value === 'string') return value.replace(/:\/\/[^\s/]*@/, '://***@')
  if (name !== 'headers' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).map((header) => [header, '***']))
}
