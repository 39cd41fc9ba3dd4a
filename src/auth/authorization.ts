import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { oauthEndpoints } from '../contract/oauth.ts'
import { printable } from '../run/sanitise.ts'

interface AuthorizationRequest {
  readonly authUrl: string
  readonly clientId: string
  readonly redirectUri: string
  /** If absent, the service chooses the scopes. */
  readonly scopes: readonly string[] | undefined
}

/**
 * One attempt to log in: the page to send the user to, and secrets that prove that an answer belongs to this attempt.
 */
export interface Authorization extends AuthorizationRequest {
  readonly url: string
  /** Secret that the answer must return. */
  readonly state: string
  /** Proves to the service that the client that exchanges the code is the client that requested it (PKCE, RFC 7636). */
  readonly verifier: string
}

export function newAuthorization(request: AuthorizationRequest): Authorization {
  const [state, verifier] = [secret(), secret()]
  const query = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    ...(request.scopes && { scope: request.scopes.join(' ') }),
    state,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })
  return { ...request, url: `${request.authUrl}${oauthEndpoints['oauth.authorize'].path}?${query}`, state, verifier }
}

/** 256 random bits, 43 characters: the shortest verifier allowed. */
const secret = (): string => randomBytes(32).toString('base64url')

/** The answer to an authorization request, parsed from the query of the redirect. */
export type AuthorizationAnswer =
  | { readonly code: string }
  /** `description` is the service's text, on one line. */
  | { readonly error: string; readonly description: string }

/**
 * Parses the answer in a redirect's query; null if its state differs, or if it has neither a valid code nor an error.
 */
export function readAnswer(query: URLSearchParams, state: string): AuthorizationAnswer | null {
  if (!isSame(single(query, 'state') ?? '', state)) return null
  const error = single(query, 'error')
  if (error) return { error: cut(error), description: cut(single(query, 'error_description') ?? '') }
  const code = single(query, 'code')
  return code && isCode(code) ? { code } : null
}

/**
 * Parses text that a user pasted: the address that the browser was sent to, whole or in part, or only the code. Removes
 * quotes and line breaks that mail and terminals add.
 */
export function readPasted(text: string, state: string): AuthorizationAnswer | null {
  const pasted = text.trim()
  if (!/(^|[?&"'<])(code|error|state)=/.test(pasted)) {
    const code = decoded(pasted)
    return isCode(pasted) && isCode(code) ? { code } : null
  }
  const address = pasted.replace(/\s+|^["'<]+|(?<!["'>])["'>]+$/g, '')
  const query = address.slice(address.indexOf('?') + 1).replace(/#.*$/s, '')
  return readAnswer(new URLSearchParams(query), state)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * A code consists of printable ASCII characters (RFC 6749, A.11); payctl refuses spaces, which the RFC allows. An
 * address is not a code.
 */
const isCode = (text: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(text) && !text.includes('://')

/** Value of a parameter; undefined if the parameter is missing or repeated. */
function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const cut = (text: string): string => printable(text).slice(0, 300)
