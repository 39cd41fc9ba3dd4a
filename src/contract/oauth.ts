import type { TSchema } from 'typebox'
import type { Method } from './endpoint.ts'
import { AuthorizeQuery, ConsentForm, TokenRequest, TokenResponse } from './schemas/oauth.ts'

/**
 * The `error` of an OAuth answer, and its meaning. The interface names the first four; the others come from RFC 6749,
 * for requests that none of the four describes.
 */
export const oauthErrors = {
  invalid_client: 'bad client id or secret',
  invalid_grant: 'invalid, expired or used code or refresh token',
  invalid_scope: 'unknown scope, or scope that was not granted',
  invalid_token: 'access token missing, invalid or expired',
  invalid_request: 'a parameter is missing, malformed or repeated',
  unsupported_grant_type: 'grant_type is neither authorization_code nor refresh_token',
  unsupported_response_type: 'response_type is not code',
  access_denied: 'the user denied access',
} as const

export type OAuthErrorCode = keyof typeof oauthErrors

/** Errors of the token endpoint, with their statuses. */
export const tokenErrors = {
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_request: 400,
  unsupported_grant_type: 400,
} as const satisfies Partial<Record<OAuthErrorCode, number>>

export type TokenErrorCode = keyof typeof tokenErrors

/** Values of `error` in a redirect back to the client. */
const redirectErrors = [
  'invalid_request',
  'invalid_scope',
  'unsupported_response_type',
  'access_denied',
] as const satisfies readonly OAuthErrorCode[]

export type RedirectErrorCode = (typeof redirectErrors)[number]

/** OAuth errors that a fault rule can provoke. */
export const provokedErrors = [
  ...(Object.keys(tokenErrors) as TokenErrorCode[]),
  'unsupported_response_type',
  'access_denied',
] as const satisfies readonly OAuthErrorCode[]

/**
 * One row of the table of OAuth endpoints. Answers of OAuth endpoints have no envelope, so the row is not an
 * `Endpoint`.
 */
export interface OAuthEndpoint {
  readonly method: Method
  readonly path: string
  readonly summary: string
  /** Further information for callers, in Markdown. */
  readonly description: string
  readonly query?: TSchema
  readonly body?: TSchema
  /** Accepted media types of the body. */
  readonly accepts?: readonly string[]
  /** `data` is the JSON body; `page` is HTML, `redirect` a redirect to the client. */
  readonly success: { readonly status: 200 | 303; readonly data: TSchema | 'page' | 'redirect' }
  /** OAuth errors in JSON bodies, with the HTTP status of each. */
  readonly errors: Readonly<Partial<Record<OAuthErrorCode, number>>>
  /** OAuth errors in redirects. */
  readonly redirects: readonly RedirectErrorCode[]
  /** Statuses of the endpoint's error pages, which do not redirect to the client. */
  readonly pages: readonly (400 | 403)[]
}

const form = 'application/x-www-form-urlencoded'

/** The OAuth endpoints, relative to the auth URL. */
export const oauthEndpoints = {
  'oauth.authorize': {
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'Ask the user for consent',
    description:
      'Send the user’s browser here: the page shows which application asks for which scopes. A request that can’t be trusted, such as one with a wrong `redirect_uri`, ends on an error page and never in a redirect.',
    query: AuthorizeQuery,
    success: { status: 200, data: 'page' },
    errors: {},
    redirects: ['invalid_request', 'invalid_scope', 'unsupported_response_type'],
    pages: [400],
  },
  'oauth.decide': {
    method: 'POST',
    path: '/oauth/authorize',
    summary: 'Take the user’s decision and redirect to the client',
    description:
      'The consent page posts its form here; applications do not. The browser is then redirected to `redirect_uri` with `code` or `error`, and with the `state` of the request.',
    query: AuthorizeQuery,
    body: ConsentForm,
    accepts: [form, 'application/json'],
    success: { status: 303, data: 'redirect' },
    errors: {},
    redirects: redirectErrors,
    pages: [400, 403],
  },
  'oauth.token': {
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a code or a refresh token for an access token',
    description:
      'Called by the application’s server, which knows the client’s secret. Codes and refresh tokens can be used once: a second use revokes all tokens of the same authorization.',
    body: TokenRequest,
    accepts: ['application/json', form],
    success: { status: 200, data: TokenResponse },
    errors: tokenErrors,
    redirects: [],
    pages: [],
  },
} as const satisfies Record<string, OAuthEndpoint>
