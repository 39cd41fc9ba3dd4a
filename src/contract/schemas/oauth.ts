import { type Static, Type } from 'typebox'

/** Patterns of PKCE (RFC 7636): a challenge is the SHA-256 of its verifier, in base64url. */
export const codeChallengePattern = '^[A-Za-z0-9_-]{43}$'
export const codeVerifierPattern = '^[A-Za-z0-9._~-]{43,128}$'

/** Query of `GET /oauth/authorize`, and of the form that the consent page posts to the same URL. */
export const AuthorizeQuery = Type.Object({
  client_id: Type.String({ description: 'Id of the application that requests access' }),
  redirect_uri: Type.String({ description: 'A registered URI; on a loopback host any port matches' }),
  response_type: Type.Literal('code', { description: 'Always `code`: the authorization code flow' }),
  scope: Type.Optional(
    Type.String({ description: 'Requested scopes, separated by spaces. Default: all that the client may request' }),
  ),
  state: Type.Optional(Type.String({ description: 'Value that the redirect returns unchanged' })),
  code_challenge: Type.Optional(
    Type.String({ pattern: codeChallengePattern, description: 'PKCE: SHA-256 of the code verifier, in base64url' }),
  ),
  code_challenge_method: Type.Optional(Type.Literal('S256', { description: 'PKCE: method of the code challenge' })),
})

/** The consent page's form with the user's answer. */
export const ConsentForm = Type.Object({
  user: Type.String({ description: 'Id or email address of the user who decides' }),
  grant: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Granted scopes, one field each; without a granted scope the decision counts as `deny`',
    }),
  ),
  decision: Type.Enum(['allow', 'deny'], { description: 'Decision of the user: `allow` gives the application a code' }),
  control_token: Type.Optional(Type.String({ description: 'Control token of the emulator, if it has one' })),
})

const client = {
  client_id: Type.Optional(Type.String({ description: 'Id of the client, unless HTTP Basic sends it' })),
  client_secret: Type.Optional(Type.String({ description: 'Secret of the client, unless HTTP Basic sends it' })),
  scope: Type.Optional(
    Type.String({ description: 'Scopes of the new token, separated by spaces; a subset of the granted scopes' }),
  ),
}

export const AuthorizationCodeGrant = Type.Object({
  grant_type: Type.Literal('authorization_code', { description: 'Exchanges a code' }),
  ...client,
  redirect_uri: Type.String({ description: 'The `redirect_uri` of the authorization request' }),
  code: Type.String({ description: 'Code from the redirect; it can be used once, within 10 minutes' }),
  code_verifier: Type.Optional(
    Type.String({ pattern: codeVerifierPattern, description: 'PKCE: the secret whose SHA-256 is the code challenge' }),
  ),
})

export const RefreshTokenGrant = Type.Object({
  grant_type: Type.Literal('refresh_token', { description: 'Exchanges a refresh token' }),
  ...client,
  refresh_token: Type.String({ description: 'Latest refresh token; it can be used once' }),
})

/** Body of `POST /oauth/token`. */
export const TokenRequest = Type.Union([AuthorizationCodeGrant, RefreshTokenGrant])

export const TokenResponse = Type.Object({
  access_token: Type.String({ description: 'Access token for the header `Authorization: Bearer ...`' }),
  token_type: Type.Literal('Bearer', { description: 'Type of the access token' }),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
  refresh_token: Type.String({
    description: 'Refresh token, to get new tokens when this access token expires. A refresh token can be used once',
  }),
  scope: Type.String({ description: 'Granted scopes, separated by spaces' }),
})
export type TokenResponse = Static<typeof TokenResponse>

/** Body of an error of the token endpoint. */
export const OAuthError = Type.Object({
  error: Type.String({ description: 'Code of the error, for programs' }),
  message: Type.String({ description: 'Description of the error, for people' }),
})
