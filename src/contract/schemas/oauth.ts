import { type Static, Type } from 'typebox'

/** PKCE (RFC 7636): a SHA-256 in base64url. */
export const codeChallengePattern = '^[A-Za-z0-9_-]{43}$'
export const codeVerifierPattern = '^[A-Za-z0-9._~-]{43,128}$'

/** Query of `GET /oauth/authorize`, and of the form that the consent page posts to the same URL. */
export const AuthorizeQuery = Type.Object({
  client_id: Type.String(),
  redirect_uri: Type.String({ description: 'a registered URI; on a loopback host the port is free' }),
  response_type: Type.Literal('code'),
  scope: Type.Optional(Type.String({ description: 'space-separated; all that the client may ask for when left out' })),
  state: Type.Optional(Type.String({ description: 'comes back unchanged' })),
  code_challenge: Type.Optional(Type.String({ pattern: codeChallengePattern })),
  code_challenge_method: Type.Optional(Type.Literal('S256')),
})

/** The consent page's form: what the user answers. */
export const ConsentForm = Type.Object({
  user: Type.String({ description: 'id of the user who answers' }),
  grant: Type.Optional(
    Type.Array(Type.String(), { description: 'the scopes granted, one field each; none is as good as denying' }),
  ),
  decision: Type.Enum(['allow', 'deny']),
  control_token: Type.Optional(Type.String({ description: 'where the emulator has a control token' })),
})

const client = {
  client_id: Type.Optional(Type.String({ description: 'here, or by HTTP Basic' })),
  client_secret: Type.Optional(Type.String({ description: 'here, or by HTTP Basic' })),
  scope: Type.Optional(Type.String({ description: 'fewer than were granted, space-separated' })),
}

export const AuthorizationCodeGrant = Type.Object({
  grant_type: Type.Literal('authorization_code'),
  ...client,
  redirect_uri: Type.String(),
  code: Type.String(),
  code_verifier: Type.Optional(Type.String({ pattern: codeVerifierPattern })),
})

export const RefreshTokenGrant = Type.Object({
  grant_type: Type.Literal('refresh_token'),
  ...client,
  refresh_token: Type.String(),
})

/** Body of `POST /oauth/token`. */
export const TokenRequest = Type.Union([AuthorizationCodeGrant, RefreshTokenGrant])

/** `expires_in` is in seconds; `scope` is what was granted, space-separated. */
export const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  scope: Type.String(),
})
export type TokenResponse = Static<typeof TokenResponse>

/** Body of an error of the token endpoint. */
export const OAuthError = Type.Object({ error: Type.String(), message: Type.String() })
