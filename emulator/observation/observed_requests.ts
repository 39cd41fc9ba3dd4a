import {
  type Breach,
  type BreachKind,
  type Channel,
  defaultWorld,
  type Endpoint,
  endpoints,
  idempotencyHeader,
  oauthEndpoints,
  type SendPaymentBody,
  type WorldBreach,
} from '../../src/contract/index.ts'
import { defaultDescriptions } from '../domain/initiate.ts'
import { InvalidRequest, Refusal } from '../domain/refusal.ts'
import { bearer } from '../http/access.ts'
import { refusalMessage } from '../http/envelope.ts'
import type { Request } from '../http/message.ts'
import { isCalm } from '../http/request_faults.ts'
import type { Answered } from '../http/server.ts'
import { OAuthRefusal, PageRefusal } from '../oauth/refusals.ts'
import type { Cause } from '../store/database.ts'
import type { LiveWorld } from '../worlds/live_world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { type LoggedRequest, noQuery, requestId } from './request_log.ts'

/**
 * Logs each request to the service or to OAuth in its world, once the request is answered or its answer is lost.
 * Control requests are left out: they are part of the test, not of the tested program.
 */
export function observeRequest(worlds: Worlds, request: Request): Answered | undefined {
  const world = worlds.get(request.world, request.worldId)?.world
  if (!world || !isLogged(request)) return undefined
  const { clock, requests: log, waits } = world
  const at = clock.now()
  const elapsed = clock.stopwatch()
  const before = log.last
  const run = world.options.kills?.run ?? 1
  log.arrived(request.route?.endpoint ?? null)
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
      run,
      kill: request.kill,
      refusal: notes.error && refusalOf(notes.error, request),
      payment: notes.payment,
      moment: notes.moment ?? world.moments.current,
      breaches: breachesOf(request, worlds),
      body: bodyOf(request),
    }
    if (notes.cause) Object.assign(notes.cause, { id: requestId(logged.number), payment: notes.payment })
    notes.number = logged.number
    log.add(logged)
    // A read with chaos turned off comes from the test itself: the program under test does not see the answer.
    const isOnlyRead = isCalm(request) && request.method === 'GET'
    if (!world.ended && !isOnlyRead) world.evidence.answered(logged, notes.answer)
    world.events.request(logged)
    waits.wake()
    const loop = notes.answer === null ? undefined : log.loopOf(logged, notes.answer)
    const isUnnamed = request.world === defaultWorld && request.prefix === '' && worlds.all().length > 1
    worlds.observations.tally(request.world, (tally) => tally.add(request.world, logged, { loop, isUnnamed }))
    noteBreaches(worlds, request, { logged, isUnnamed })
  }
}

/** Notes the breaches of a request for the test that uses the world of the request. */
function noteBreaches(
  worlds: Worlds,
  { world, worldId }: Request,
  { logged, isUnnamed }: { readonly logged: LoggedRequest; readonly isUnnamed: boolean },
): void {
  const { number, method, path, status, breaches } = logged
  if (breaches.length === 0 && !isUnnamed) return
  const shown = { world, request: requestId(number), method, path, status }
  const live = worlds.get(world, worldId)
  const own = breaches.map((breach) => ({ ...shown, ...breach }))
  live?.breaches.add(own)
  if (live?.strict) worlds.observations.tally(world, (tally) => tally.addStrict(own))
  if (!isUnnamed) return
  const stray: WorldBreach = {
    ...shown,
    kind: 'default_world',
    what: 'the request named no world, but there were several',
  }
  worlds.observations.of(world).strays.add(stray)
  const isForOthers = worlds.all().some(({ name, strict }) => strict && name !== defaultWorld)
  if (!isForOthers) live?.breaches.add([stray])
  if (isForOthers || live?.strict) worlds.observations.tally(world, (tally) => tally.addStrict([stray]))
}

/** A request as the cause of a write; the cause gets the request's id when the request is answered. */
export function causeOf({ method, path, notes }: Request): Cause {
  notes.cause ??= { kind: 'request', what: `${method} ${shortened(path)}`, id: null, payment: notes.payment }
  return notes.cause
}

const controlPath = /^\/_emulator(\/|$)/

function isLogged({ route, path }: Request): boolean {
  if (route === null) return !controlPath.test(path)
  return route.endpoint !== undefined && !route.endpoint.startsWith('control.')
}

/** Maximum number of characters that the log keeps of an unknown path, and of an idempotency key. */
const longest = { path: 200, key: 255 }

const shortened = (path: string): string => (path.length > longest.path ? `${path.slice(0, longest.path)}…` : path)

const keyHeader = idempotencyHeader.toLowerCase()

/**
 * The query parameters that the endpoint declares. Other parameters are left out, because they may be misplaced
 * secrets.
 */
function knownQuery(request: Request): Readonly<Record<string, string>> {
  const properties = rowOf(request)?.query?.properties
  if (!properties) return noQuery
  const given = request.query as Readonly<Record<string, unknown>>
  const known = Object.keys(given).filter((name) => Object.hasOwn(properties, name))
  return known.length === 0 ? noQuery : Object.fromEntries(known.map((name) => [name, String(given[name])]))
}

/** The refusal as the answer shows it: without details of an internal error. */
function refusalOf(error: Error, request: Request): LoggedRequest['refusal'] {
  if (error instanceof OAuthRefusal || error instanceof PageRefusal) return { message: error.message, errors: {} }
  const refusal = error instanceof Refusal ? error : new Refusal(500)
  return { message: refusalMessage(refusal, rowOf(request), request.params), errors: refusal.errors }
}

/** Size limit of a logged body, in bytes. */
const longestBody = 4096

const publicOAuthMembers = ['grant_type', 'client_id', 'redirect_uri', 'scope']

/**
 * The parsed body without secrets. Members that the endpoint does not declare are left out, because they may be
 * secrets.
 */
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

/** Removes two secrets of a subscription: its headers, which authenticate deliveries, and the password in its URL. */
function withoutSecrets(name: string, value: unknown): unknown {
  if (name === 'url' && typeof value === 'string') return value.replace(/:\/\/[^\s/]*@/, '://***@')
  if (name !== 'headers' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).map((header) => [header, '***']))
}

type PlainKind = Exclude<BreachKind, 'invalid' | 'unknown_member' | 'key_reused' | 'other_world' | 'other_user'>

const inWords: Readonly<Record<PlainKind, string>> = {
  unknown_path: 'the path does not exist',
  wrong_method: 'the path has no such method',
  media_type: 'the endpoint does not accept the media type of the body',
  too_large: 'the body is over 1 MiB',
  malformed: 'the body, or the path, can’t be read',
  missing_key: 'a payment must have a key',
}

/**
 * Breaches of the contract by a request that has been handled. The texts of the breaches never repeat values of the
 * request.
 */
function breachesOf(request: Request, worlds: Worlds): readonly Breach[] {
  const { error, differs } = request.notes
  const breaches: Breach[] = []
  if (error instanceof InvalidRequest) breaches.push(...invalidIn(request, error))
  else if (error instanceof Refusal) {
    const kind = kindOf(request, error)
    if (kind) breaches.push({ kind, what: inWords[kind] })
    const misdirected = request.fault === null ? misdirectedIn(request, error, worlds) : undefined
    if (misdirected) breaches.push(misdirected)
  }
  const row = rowOf(request)
  if (!row) return breaches
  const unknown = unknownMembers(row, request)
  if (unknown.length > 0) breaches.push({ kind: 'unknown_member', what: `${listed(unknown)}: not known, and ignored` })
  if (differs.length > 0) {
    const what = `its key was used before, with another ${differs.join(', ')}: no payment was made`
    breaches.push({ kind: 'key_reused', what })
  }
  return breaches
}

/** Undefined for an intentional fault, because the request itself is correct. */
function kindOf({ route, fault }: Request, { status }: Refusal): PlainKind | undefined {
  if (fault !== null) return undefined
  if (status === 413) return 'too_large'
  if (status === 415) return 'media_type'
  if (status === 400) return 'malformed'
  if (status === 405) return 'wrong_method'
  return route === null && status === 404 ? 'unknown_path' : undefined
}

/** Number of the newest worlds in which the token of a refused request is searched for. */
const searched = 100

/** Breach of a refused request that was apparently meant for another world, or for a resource of another user. */
function misdirectedIn(
  { world, headers, ...request }: Request,
  { status }: Refusal,
  worlds: Worlds,
): Breach | undefined {
  if (status === 401) {
    const secret = bearer(headers.authorization ?? '')
    const hasToken = ({ world: { store } }: LiveWorld) => store.tokens.find(secret ?? '') !== undefined
    const own = worlds.get(world)
    // Forks share tokens: a token that has expired here does not point to another world.
    if (secret === undefined || (own && hasToken(own))) return undefined
    const other = worlds.all().slice(-searched).find(hasToken)
    return other && { kind: 'other_world', what: `its token belongs to the world ${other.name}` }
  }
  const store = worlds.get(world)?.world.store
  if (request.user === null || !store) return undefined
  for (const id of [request.params.id, (request.body as Partial<SendPaymentBody> | undefined)?.source_account_id]) {
    if (typeof id !== 'string') continue
    for (const [noun, found] of [
      ['account', store.accounts.get(id)],
      ['payment', store.payments.get(id)],
      ['subscription', store.subscriptions.get(id)],
    ] as const) {
      if (found && found.user !== request.user) return { kind: 'other_user', what: `the ${noun} is another user’s` }
    }
  }
  return undefined
}

function invalidIn({ headers }: Request, { status, errors }: InvalidRequest): Breach[] {
  return Object.entries(errors)
    .slice(0, repeated.names)
    .map(([field, messages]) => {
      if (status === 400 && !headers[field.toLowerCase()]) return { kind: 'missing_key', what: inWords.missing_key }
      return { kind: 'invalid', what: `${field}: ${[messages].flat().join(' ')}` }
    })
}

const rows: Readonly<Record<string, Endpoint>> = endpoints

/**
 * Row of the service's endpoint table; undefined for OAuth requests, because OAuth requires that unknown parameters are
 * ignored.
 */
export const rowOf = ({ route }: Request): Endpoint | undefined => rows[route?.endpoint ?? '']

/** Maximum number of names that a breach lists, and of characters in each name. */
const repeated = { names: 5, length: 40 }

function listed(names: readonly string[]): string {
  const shown = names.slice(0, repeated.names).map((name) => name.slice(0, repeated.length))
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function unknownMembers({ body: bodySchema, query: querySchema }: Endpoint, { body, query }: Request): string[] {
  const unknown: string[] = []
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  const collect = (values: object, known: object) => {
    for (const name in values) if (!Object.hasOwn(known, name)) unknown.push(name)
  }
  if (bodySchema) collect(members, bodySchema.properties)
  collect(query as object, querySchema?.properties ?? {})
  return unknown
}

/** First answer to an idempotency key, reduced to the members that a request contains too. */
interface FirstAnswer {
  readonly channel: Channel
  readonly source_account_id: string
  readonly recipient_iban: string | null
  readonly recipient_phone: string | null
  readonly amount: { readonly value: number }
  readonly description: string
}

/** Members in which a request with a used key differs from the first request with that key. */
export function differences(body: unknown, first: FirstAnswer): readonly string[] {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Partial<SendPaymentBody>
  const last8 = (phone: unknown) => String(phone ?? '').slice(-8)
  return Object.entries({
    source_account_id: String(given.source_account_id).toLowerCase() === first.source_account_id,
    amount: given.amount === first.amount.value,
    recipient:
      first.recipient_phone === null
        ? given.recipient_iban === first.recipient_iban
        : last8(given.recipient_phone) === last8(first.recipient_phone),
    description: (given.description ?? defaultDescriptions[first.channel]) === first.description,
  }).flatMap(([name, same]) => (same ? [] : [name]))
}
