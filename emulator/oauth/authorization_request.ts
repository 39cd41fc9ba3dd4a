import { codeChallengePattern, type Scope } from '../../src/contract/index.ts'
import type { OAuthClient, OAuthClients } from '../store/oauth.ts'
import { malformed, type Parameters, readScopes, text } from './parameters.ts'
import { PageRefusal, RedirectRefusal } from './refusals.ts'

/** Sender of an authorization request. The client and the redirect URI are checked; `state` is not. */
export interface Requester {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly state: string | undefined
}

/** Access that an authorization request asks for. */
export interface RequestedAccess {
  readonly scopes: readonly Scope[]
  readonly codeChallenge: string | null
}

/**
 * Throws a PageRefusal: without a known client and redirect URI, the emulator must not redirect (RFC 6749, 4.1.2.1).
 */
export function readRequester(query: Parameters, clients: OAuthClients): Requester {
  const client = clients.get(text(query, 'client_id') ?? '')
  if (!client) {
    throw new PageRefusal(400, 'unknown_application')
  }
  const redirectUri = text(query, 'redirect_uri')
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirect_uris)) {
    throw new PageRefusal(400, 'unknown_address')
  }
  return { client, redirectUri, state: text(query, 'state') }
}

const optional = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method']

export function readRequestedAccess(query: Parameters, client: OAuthClient): RequestedAccess {
  const bad = malformed(query, optional)
  if (bad) throw new RedirectRefusal('invalid_request', `${bad} is given more than once.`)
  const responseType = text(query, 'response_type')
  if (responseType === undefined) throw new RedirectRefusal('invalid_request', 'response_type is missing.')
  if (responseType !== 'code') throw new RedirectRefusal('unsupported_response_type', 'response_type must be code.')
  const scopes = readScopes(text(query, 'scope'), client.scopes)
  if (!scopes)
    throw new RedirectRefusal('invalid_scope', 'At least one requested scope is not allowed for this client.')
  return { scopes, codeChallenge: readChallenge(query, client) }
}

/** A challenge without a method is `plain` (RFC 7636, 4.3), which gives no protection, so S256 is required. */
function readChallenge(query: Parameters, { isPublic }: OAuthClient): string | null {
  const challenge = text(query, 'code_challenge')
  const method = text(query, 'code_challenge_method')
  if (challenge === undefined && method === undefined) {
    // Without a challenge, anybody who intercepts the code could redeem it, because no secret is needed (RFC 8252,
    // 8.1).
    if (isPublic) throw new RedirectRefusal('invalid_request', 'A public client must send a code_challenge.')
    return null
  }
  if (method !== 'S256') throw new RedirectRefusal('invalid_request', 'code_challenge_method must be S256.')
  if (!new RegExp(codeChallengePattern).test(challenge ?? '')) {
    throw new RedirectRefusal('invalid_request', 'code_challenge must be a SHA-256 digest in base64url.')
  }
  return challenge ?? null
}

/** URL that reports an error to the client. */
export const errorRedirect = ({ redirectUri, state }: Requester, { code, message }: RedirectRefusal): string =>
  withQuery(redirectUri, { error: code, error_description: message, state })

/** A native app listens on any free port (RFC 8252, 7.3); the rest of the URI must match. */
const withoutLoopbackPort = (uri: string): string =>
  uri.replace(/^(https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=[/?]|$)/, '$1')

/** Compares strings exactly, except for the port of a loopback URI. */
function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (!URL.canParse(uri)) return false
  const bare = withoutLoopbackPort(uri)
  return registered.some((known) => known === uri || withoutLoopbackPort(known) === bare)
}

/** Adds parameters to the query of a redirect URI. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${inAscii(uri)}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/** Percent-encodes spaces and all characters outside printable ASCII, as the Location header requires. */
const inAscii = (uri: string): string => uri.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
