import { requireConfidential } from '../client/base_url.ts'
import { type Connection, createConnection } from '../client/connection.ts'
import { exchange, type Loss, type Reply } from '../client/exchange.ts'
import { backoff, requestedDelay } from '../client/retry.ts'
import { createTrace, hide, silent } from '../client/trace.ts'
import { oauthEndpoints } from '../contract/oauth.ts'
import { CliError } from '../errors/cli_error.ts'
import { InvalidRequestError } from '../errors/service_errors.ts'
import { monotonicClock, pause } from '../real_time.ts'
import { printable } from '../run/sanitise.ts'
import { foreign, say } from '../words/text.ts'
import type { Credentials } from './credentials.ts'
import { OAuthRefusal } from './refusals.ts'

/** Settings for requests to an authorization server. */
export interface TokenEndpoint {
  readonly authUrl: string
  readonly signal: AbortSignal
  /** Time limit in milliseconds; default: the client's time limit. */
  readonly timeout?: number | undefined
  /** Time limit for the answer after connecting, in milliseconds; default: `timeout`. */
  readonly answerTimeout?: number | undefined
  /** Maximum number of retries of a request that certainly had no effect. */
  readonly retries: number
  readonly trace?: ((line: string) => void) | undefined
  /** Called once a request may have had an effect: the code or refresh token may be used up. */
  readonly onEffect?: (() => void) | undefined
  /** Proxy for a URL, if any. */
  readonly proxyFor?: ((url: string) => Promise<string | undefined>) | undefined
}

/** The validated answer to a token request. */
export interface Grant {
  readonly accessToken: string
  readonly refreshToken?: string
  /** Lifetime that the answer states, in seconds; absent if the answer states none. */
  readonly expiresIn?: number
  /**
   * Granted scopes. Absent if they equal the requested scopes (RFC 6749, 5.1); null if the answer's value is not a
   * string.
   */
  readonly scopes?: readonly string[] | null
}

export interface ClientIdentity {
  readonly client_id: string
  readonly client_secret: string
}

export type TokenRequest = ClientIdentity &
  (
    | {
        readonly grant_type: 'authorization_code'
        readonly redirect_uri: string
        readonly code: string
        readonly code_verifier: string
      }
    | { readonly grant_type: 'refresh_token'; readonly refresh_token: string }
  )

const { method, path } = oauthEndpoints['oauth.token']

/**
 * Requests tokens. Does not repeat a request that may have had an effect: a code or refresh token used twice looks
 * stolen. Throws OAuthRefusal for a refusal, CliError if no usable answer came, and the signal's reason after an abort.
 */
export async function requestToken(body: TokenRequest, endpoint: TokenEndpoint): Promise<Grant> {
  const { authUrl, signal, timeout, retries } = endpoint
  const proxy = await endpoint.proxyFor?.(authUrl)
  requireConfidential(authUrl, proxy)
  const connection = createConnection({
    baseUrl: authUrl,
    signal,
    ...(timeout !== undefined && { timeout }),
    ...(proxy !== undefined && { proxy }),
  })
  try {
    for (let number = 1; ; number += 1) {
      const result = await send(body, connection, endpoint)
      const isPassing = 'cause' in result ? !result.sent : result.status === 429 || result.status === 503
      if (!isPassing) endpoint.onEffect?.()
      signal.throwIfAborted()
      if ('cause' in result && result.cause instanceof InvalidRequestError) throw result.cause
      if (!isPassing || number > retries) {
        return 'cause' in result ? unanswered(result, connection.route) : readReply(result, secretsOf(body))
      }
      const requested = 'cause' in result ? undefined : requestedDelay(result.status, result.headers)
      await pause(requested ?? backoff(number), signal)
    }
  } finally {
    await connection.close()
  }
}

async function send(body: TokenRequest, connection: Connection, endpoint: TokenEndpoint): Promise<Reply | Loss> {
  const trace = endpoint.trace ? createTrace(endpoint.trace, secretsOf(body)) : silent
  const headers = { ...connection.headers, 'Content-Type': 'application/json' }
  const { origin, prefix } = connection
  const outgoing = { origin, method, path: `${prefix}${path}`, headers, body: JSON.stringify(body) }
  trace.request(`${origin}${outgoing.path}`, outgoing)
  const start = monotonicClock()
  const { signal, timeout } = connection
  const limits = { signal, timeout: endpoint.answerTimeout ?? timeout }
  const result = await exchange(await connection.transport(), outgoing, limits)
  const elapsed = Math.round(monotonicClock() - start)
  if ('cause' in result) trace.loss(result.reason, elapsed)
  else trace.reply(result, elapsed)
  return result
}

function secretsOf(body: TokenRequest): readonly string[] {
  const own = body.grant_type === 'refresh_token' ? [body.refresh_token] : [body.code, body.code_verifier]
  return [...own, body.client_secret]
}

function unanswered({ reason }: Loss, route: string): never {
  const message = say`No answer from the OAuth server ${foreign(route)}: ${foreign(reason)}.`
  throw new CliError('unavailable', message, 'Check the auth URL and the network')
}

function readReply({ status, headers, text }: Reply, secrets: readonly string[]): Grant {
  const answer = parse(text)
  if (status === 200) return readGrant(answer)
  const { error, message, error_description: description } = answer
  if (status >= 400 && status < 500 && typeof error === 'string' && status !== 429) {
    const explanation = [message, description].find((value) => typeof value === 'string') ?? ''
    throw new OAuthRefusal(clean(error, secrets), clean(explanation as string, secrets))
  }
  if (status === 429) throw new CliError('rate_limited', 'The OAuth server answered 429: too many requests.', later)
  if (status >= 500) throw new CliError('unavailable', say`The OAuth server answered ${status}.`, later)
  const isRedirect = status < 400 && headers.location !== undefined
  throw new CliError(
    'unavailable',
    isRedirect
      ? say`The OAuth server answered ${status}, a redirect; payctl does not follow it.`
      : say`The OAuth server answered ${status}.`,
    checkUrl,
  )
}

const later = 'Try again later'
const checkUrl = { kind: 'check_auth_url' } as const

const clean = (text: string, secrets: readonly string[]): string => printable(hide(text, secrets)).slice(0, 300)

function readGrant(answer: Answer): Grant {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: life, scope } = answer
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw new CliError('unavailable', 'The OAuth server answered without an access token.', checkUrl)
  }
  const type = answer.token_type ?? 'Bearer'
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new CliError('unavailable', 'The OAuth server issued a token of a type that payctl can’t use.', checkUrl)
  }
  const expiresIn = seconds(life)
  return {
    accessToken,
    ...(typeof refreshToken === 'string' && refreshToken !== '' && { refreshToken }),
    ...(expiresIn !== undefined && { expiresIn }),
    // An empty scope counts as absent.
    ...(scope !== undefined &&
      scope !== '' && {
        scopes: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : null,
      }),
  }
}

/** Lifetime in seconds, which some servers send as a string. */
function seconds(life: unknown): number | undefined {
  const given = typeof life === 'string' && /^\d+$/.test(life) ? Number(life) : life
  return typeof given === 'number' && given > 0 ? Math.min(given, longestLife) : undefined
}

/** A hundred years, in seconds: a far larger value would give an invalid date. */
const longestLife = 3_155_760_000

type Answer = Readonly<Record<string, unknown>>

function parse(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Answer) : {}
  } catch {
    return {}
  }
}

/**
 * Start and end of a token's life. Both times are calculated from `start`, the time of this machine's clock before the
 * request: the service's clock may differ.
 */
export function expiry({ expiresIn }: Grant, start: number): Pick<Credentials, 'obtained_at' | 'expires_at'> {
  return {
    obtained_at: new Date(start).toISOString(),
    ...(expiresIn !== undefined && { expires_at: new Date(start + expiresIn * 1000).toISOString() }),
  }
}
