import { authErrors, deliveryHeaders, httpErrors, rateLimitHeaders, type Scope } from '../../src/contract/index.ts'
import type { Chaos } from '../chaos/chaos.ts'
import { Refusal } from '../domain/refusal.ts'
import { sameSecret } from '../store/secret.ts'
import type { Token, Tokens } from '../store/tokens.ts'
import { senderName } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'
import { isLoopbackHost, type RequestUrls } from './addresses.ts'
import type { Reply, Request } from './message.ts'

/**
 * Authenticates the request by its bearer token. Returns a 401 refusal for a missing, malformed, unknown, revoked or
 * expired token.
 */
export function authenticate(request: Request, tokens: Tokens, now: number): Token | Refusal {
  const { authorization } = request.headers
  if (!authorization) return unauthenticated('The access token is missing.')
  const secret = bearer(authorization)
  if (secret === undefined) return unauthenticated('The Authorization header is not of the form Bearer <token>.')
  const token = tokens.find(secret)
  if (!token) return unauthenticated('The access token is invalid.')
  if (token.revoked_at !== null) return unauthenticated('The access token was revoked.')
  if (token.expires_at !== null && token.expires_at <= now) return unauthenticated('The access token has expired.')
  return token
}

/**
 * Key under which the rate limit counts requests: an OAuth client with its user, a user of dashboard tokens, or an IP
 * address.
 */
export const clientOf = ({ ip }: Request, token: Token | null): string =>
  token === null ? `address ${ip}` : `user ${token.user} ${token.client ?? 'dashboard'}`

/** Refuses a token that has none of the scopes that an endpoint accepts (403). */
export function requireScope(token: Token, scopes: readonly Scope[]): void {
  if (scopes.some((scope) => token.scopes.has(scope))) return
  const names = scopes.join(' or ')
  throw new Refusal(403, { message: authErrors[403], errors: { scope: [`The ${names} scope is required.`] } })
}

/**
 * Expires the request's token and returns true if chaos draws this fault; the client can refresh the token. Dashboard
 * tokens can't be refreshed, so they never expire early.
 */
export function expiresEarly(
  { database, store, clock }: World,
  { id, user, client }: Token,
  chaos: Chaos | null,
): boolean {
  if (client === null || !chaos?.expires(`${user} ${client}`)) return false
  database.write(() => store.tokens.expire(id, clock.now()))
  return true
}

/** Counts a request, sets the rate-limit headers, and refuses a request beyond the limit (429). */
export function limitRate({ rateLimits, clock }: World, key: string, reply: Reply): void {
  const now = clock.now()
  const allowance = rateLimits.count(key, now)
  if (!allowance) return
  const { limit, remaining, reset, exceeded } = allowance
  reply
    .header(rateLimitHeaders.limit, limit)
    .header(rateLimitHeaders.remaining, remaining)
    .header(rateLimitHeaders.reset, reset)
  if (!exceeded) return
  const wait = Math.max(1, reset - Math.floor(now / 1000))
  throw new Refusal(429, { headers: { 'Retry-After': String(wait) } })
}

export const bearer = (authorization: string): string | undefined =>
  /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]

export const unauthenticated = (why: string): Refusal =>
  new Refusal(401, {
    message: authErrors[401],
    errors: { error: 'invalid_token', message: why },
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })

/** Maximum number of checked Host headers that are cached. */
const maxRememberedHosts = 1000

/**
 * Makes a check that refuses (421) any Host other than loopback and the host of the public URL. By default, the secrets
 * of an emulator on loopback are well known. A web page can use the emulator only if the page's domain resolves to
 * loopback (DNS rebinding), and browsers send that domain as the Host.
 */
export function ownHostsOnly(urls: RequestUrls): (request: Request) => void {
  const known = new Set<string>()
  return ({ isInProcess, method, headers: { host } }) => {
    // Health checks in HTTP/1.0 have no Host. Browsers always send one.
    const isCheck = host === undefined && (method === 'GET' || method === 'HEAD')
    if (isInProcess || isCheck || known.has(host ?? '')) return
    if (host === undefined || (!isLoopbackHost(host) && !urls.isPublicHost(host))) {
      throw misdirected(
        'host',
        'This emulator answers only requests to localhost, 127.0.0.0/8, [::1] or the host of its public URL.',
      )
    }
    if (known.size >= maxRememberedHosts) known.clear()
    known.add(host)
  }
}

const deliveryHeader = deliveryHeaders.id.toLowerCase()

/**
 * Refuses deliveries (421): a subscription could otherwise make an emulator send requests to itself or to another
 * emulator. A delivery without an id header is recognised by its User-Agent.
 */
export function refuseDelivery({ headers }: Request): void {
  const isNamed = headers[deliveryHeader] !== undefined
  if (!isNamed && headers['user-agent']?.startsWith(`${senderName}/`) !== true) return
  throw misdirected(isNamed ? deliveryHeaders.id : 'User-Agent', 'An emulator does not receive webhook deliveries.')
}

const misdirected = (header: string, why: string): Refusal =>
  new Refusal(421, { message: httpErrors[421], errors: { [header]: [why] } })

/**
 * Refuses a control request without the control token (401) if the emulator has one, and a request from a page of
 * another origin (403).
 */
export function requireControlAccess(request: Request, urls: RequestUrls, controlToken: string | undefined): void {
  const { authorization } = request.headers
  const secret = bearer(authorization ?? '')
  if (controlToken !== undefined && !sameSecret(secret ?? '', controlToken)) {
    throw unauthenticated(secret === undefined ? 'The control token is missing.' : 'The control token is wrong.')
  }
  requireOwnOrigin(request, urls)
}

/** Refuses a request from a page of another origin (403). */
export function requireOwnOrigin(request: Request, urls: RequestUrls): void {
  const { origin } = request.headers
  if (origin === undefined || urls.isOwnOrigin(origin, request)) return
  throw new Refusal(403, { errors: { origin: ['Control endpoints do not answer requests from other origins.'] } })
}
