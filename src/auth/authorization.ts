import { hash, randomBytes } from 'node:crypto'
import { oauthEndpoints } from '../contract/oauth.ts'

interface AuthorizationRequest {
  readonly authUrl: string
  readonly clientId: string
  readonly redirectUri: string
  /** The service chooses if absent. */
  readonly scopes: readonly string[] | undefined
}

/** One attempt to log in: the page to send the user to, and secrets that prove that an answer belongs to it. */
export interface Authorization extends AuthorizationRequest {
  readonly url: string
  /** Secret; the answer returns it. */
  readonly state: string
  /** Proves to the service that the code is exchanged by the client that requested it (PKCE, RFC 7636). */
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
