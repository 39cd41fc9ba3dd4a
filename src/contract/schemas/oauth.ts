import { type Static, Type } from 'typebox'

/** PKCE (RFC 7636): a SHA-256 in base64url. */
export const codeChallengePattern = '^[A-Za-z0-9_-]{43}$'
export const codeVerifierPattern = '^[A-Za-z0-9._~-]{43,128}$'

/** Query of `GET /oauth/authorize`, and of the form that the consent page posts to the same URL. */
export const AuthorizeQuery = Type.Object({
  client_id: Type.String({ description: 'Which application asks' }),
  redirect_uri: Type.String({ description: 'A registered URI; on a loopback host the port is free' }),
  response_type: Type.Literal('code', { description: 'Always `code`: the authorization code flow' }),
  scope: Type.Optional(Type.String({ description: 'Space-separated; all that the client may ask for when left out' })),
  state: Type.Optional(Type.String({ description: 'Comes back unchanged' })),
  code_challenge: Type.Optional(
    Type.String({ pattern: codeChallengePattern, description: 'PKCE: SHA-256 of the code verifier, in base64url' }),
  ),
  code_challenge_method: Type.Optional(Type.Literal('S256', { description: 'PKCE: how the challenge was made' })),
})

/** The consent page's form with the user's answer. */
export const ConsentForm = Type.Object({
  user: Type.String({ description: 'Id or email address of the user who answers' }),
  grant: Type.Optional(
    Type.Array(Type.String(), { description: 'The scopes granted, one field each; none is as good as denying' }),
  ),
  decision: Type.Enum(['allow', 'deny'], { description: 'Whether the application gets a code' }),
  control_token: Type.Optional(Type.String({ description: 'Where the emulator has a control token' })),
})

const client = {
  client_id: Type.Optional(Type.String({ description: 'Here, or by HTTP Basic' })),
  client_secret: Type.Optional(Type.String({ description: 'Here, or by HTTP Basic' })),
  scope: Type.Optional(Type.String({ description: 'Fewer than were granted, space-separated' })),
}

export const AuthorizationCodeGrant = Type.Object({
  grant_type: Type.Literal('authorization_code', { description: 'A code is exchanged' }),
  ...client,
  redirect_uri: Type.String({ description: 'The same as the user was sent with' }),
  code: Type.String({ description: 'The code that came back; it can be used once, within 10 minutes' }),
  code_verifier: Type.Optional(
    Type.String({ pattern: codeVerifierPattern, description: 'PKCE: what the code challenge was made from' }),
  ),
})

export const RefreshTokenGrant = Type.Object({
  grant_type: Type.Literal('refresh_token', { description: 'A refresh token is exchanged' }),
  ...client,
  refresh_token: Type.String({ description: 'The one that came last; using it ends it' }),
})

/** Body of `POST /oauth/token`. */
export const TokenRequest = Type.Union([AuthorizationCodeGrant, RefreshTokenGrant])

export const TokenResponse = Type.Object({
  access_token: Type.String({ description: 'Goes into the header `Authorization: Bearer ...`' }),
  token_type: Type.Literal('Bearer', { description: 'How the access token is sent' }),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
  refresh_token: Type.String({ description: 'For new tokens when this access token expires; it can be used once' }),
  scope: Type.String({ description: 'What was granted: scopes, space-separated' }),
})
export type TokenResponse = Static<typeof TokenResponse>

/** Body of an error of the token endpoint. */
export const OAuthError = Type.Object({
  error: Type.String({ description: 'Which error, for programs' }),
  message: Type.String({ description: 'What went wrong, for people' }),
})
