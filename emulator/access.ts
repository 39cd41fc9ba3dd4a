import { authErrors, deliveryHeaders, httpErrors, rateLimitHeaders, type Scope } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'
import type { Reply, Request } from './http_server.ts'
import { isLoopbackHost } from './own_address.ts'
import { sameSecret } from './store/secret.ts'
import type { Token, Tokens } from './store/tokens.ts'
import type { World } from './world.ts'

/** The request's bearer token, or the refusal of one that is missing, unknown or past its time. */
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

/** Whom requests are counted for: an OAuth client and its user, a user of the dashboard's tokens, or else an address. */
export const clientOf = ({ ip }: Request, token: Token | null): string =>
  token === null ? `address ${ip}` : `user ${token.user} ${token.client ?? 'dashboard'}`

/** Refuses a token that has none of the scopes an endpoint asks for. */
export function requireScope(token: Token, scopes: readonly Scope[]): void {
  if (scopes.some((scope) => token.scopes.has(scope))) return
  const names = scopes.join(' or ')
  throw new Refusal(403, { message: authErrors[403], errors: { scope: [`The ${names} scope is required.`] } })
}

/** Counts a request by who asks for what, says in headers how many more it takes, and refuses one too many. */
export function limitRate({ rateLimits, clock }: World, key: string, reply: Reply): void {
  if (!rateLimits) return
  const now = clock.now()
  const { limit, remaining, reset, exceeded } = rateLimits.count(key, now)
  reply
    .header(rateLimitHeaders.limit, limit)
    .header(rateLimitHeaders.remaining, remaining)
    .header(rateLimitHeaders.reset, reset)
  if (!exceeded) return
  const wait = Math.max(1, reset - Math.floor(now / 1000))
  throw new Refusal(429, { headers: { 'Retry-After': String(wait) } })
}

const bearer = (authorization: string): string | undefined => /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]

export const unauthenticated = (why: string): Refusal =>
  new Refusal(401, {
    message: authErrors[401],
    errors: { error: 'invalid_token', message: why },
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })

/** How many different Host headers are remembered as admitted. */
const rememberedHosts = 1000

/**
 * Refuses whoever reached this machine under a name of somebody else's. The secrets of an emulator on loopback are
 * well known: what keeps web pages away is that a page can only get here by a name that it has pointed here itself
 * (DNS rebinding), and browsers send that name as the Host.
 */
export function admitHost(): (request: Request) => void {
  const admitted = new Set<string>()
  return ({ headers: { host = '' } }) => {
    if (admitted.has(host)) return
    if (!isLoopbackHost(host)) {
      throw misdirected('host', 'This emulator answers to localhost, 127.0.0.1 and [::1] only, not to other names.')
    }
    if (admitted.size >= rememberedHosts) admitted.clear()
    admitted.add(host)
  }
}

const deliveryHeader = deliveryHeaders.id.toLowerCase()

/** Refuses a webhook that an emulator delivers to an emulator, to this one or another: it would act as its sender. */
export function refuseDelivery({ headers }: Request): void {
  if (headers[deliveryHeader] === undefined) return
  throw misdirected(deliveryHeaders.id, 'An emulator takes no deliveries of webhooks.')
}

const misdirected = (header: string, why: string): Refusal =>
  new Refusal(421, { message: httpErrors[421], errors: { [header]: [why] } })

/** Who may steer the emulator: whoever has its token, where it has one, and no page of another origin. */
export function admitControl(request: Request, controlToken: string | undefined): void {
  const { host, origin, authorization } = request.headers
  if (controlToken !== undefined && !sameSecret(bearer(authorization ?? '') ?? '', controlToken)) {
    throw unauthenticated('The control token is wrong.')
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new Refusal(403, { errors: { origin: ['Control endpoints do not answer to other origins.'] } })
  }
}
