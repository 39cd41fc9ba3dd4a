import { type Static, Type } from 'typebox'
import {
  closed,
  DocumentNumber,
  DocumentType,
  described,
  nullable,
  Phone,
  Timestamp,
  Uuid,
  uuidOf,
} from '../schemas/scalars.ts'
import { allScopes } from '../scopes.ts'
import { controlEndpoint } from './control_endpoint.ts'

/** `phone`: the eight digits of a number enrolled in SINPE Móvil. */
export const WorldUser = Type.Object({
  id: described(Uuid, 'Names the user for good'),
  name: Type.String({ description: 'First and last names of the user' }),
  email: Type.String({ description: 'Where the user gets mail' }),
  phone: described(nullable(Type.String()), 'Eight digits of the number enrolled in SINPE Móvil; null if none is'),
  document_number: Type.String({ description: 'The user’s identity document in raw form' }),
  document_type: DocumentType,
  created_at: described(Timestamp, 'When the user was added, UTC'),
})
export type WorldUser = Static<typeof WorldUser>

/** Absent members are generated, except the phone: by default the user has none. */
export const CreateUserBody = closed({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'First and last names of the user' }),
  email: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\s@]+@[^\\s@]+$',
      'x-messages': { pattern: 'The email field must be a valid email address.' },
      description: 'Where the user gets mail; generated if left out',
    }),
  ),
  phone: Type.Optional(nullable(Phone)),
  document_number: Type.Optional(DocumentNumber),
  document_type: Type.Optional(DocumentType),
})
export type CreateUserBody = Static<typeof CreateUserBody>

const Scope = Type.Enum([...allScopes])

/** `expires_at`: null if it never expires. `revoked_at`: time of revocation. The token's secret is not stored. */
export const TokenEntry = Type.Object({
  id: Type.Integer({ description: 'Names the token; it is no secret' }),
  user: described(Uuid, 'Id of the user whose token it is'),
  scopes: Type.Array(Type.String(), { description: 'What it allows' }),
  expires_at: described(nullable(Timestamp), 'When it ends, UTC; null if never'),
  revoked_at: described(nullable(Timestamp), 'When it was made invalid, UTC; null if it was not'),
  created_at: described(Timestamp, 'When it was made, UTC'),
})
export type TokenEntry = Static<typeof TokenEntry>

/** `token`: the secret, which is never shown again. */
export const MintedToken = Type.Object({
  ...TokenEntry.properties,
  token: Type.String({ description: 'The secret: shown here and never again' }),
})

/** Defaults: the seeded user, every scope, no expiry. `expires_in`: seconds of the world's clock. */
export const MintTokenBody = closed({
  user: Type.Optional(described(nullable(uuidOf('User ID')), 'Id of a user; the seeded one where it is left out')),
  scopes: Type.Optional(
    described(
      nullable(Type.Array(Scope, { minItems: 1, maxItems: allScopes.length, uniqueItems: true })),
      'What it allows; everything where it is left out',
    ),
  ),
  expires_in: Type.Optional(
    described(
      nullable(Type.Integer({ minimum: 1, maximum: 60 * 60 * 24 * 3660 })),
      'Seconds of the world’s clock until it ends; without end where it is left out',
    ),
  ),
})

/** An application that users can authorize. A `public` one has no secret; the secret of any other is not stored. */
export const ClientEntry = Type.Object({
  client_id: Type.String({ description: 'Names the application' }),
  name: Type.String({ description: 'Shown to users who are asked to let it in' }),
  public: Type.Boolean({ description: 'Whether it has no secret and must use PKCE, as native applications' }),
  redirect_uris: Type.Array(Type.String(), { description: 'Where browsers may be sent back to' }),
  scopes: Type.Array(Type.String(), { description: 'The most that it may ask for' }),
  created_at: described(Timestamp, 'When it was registered, UTC'),
})
export type ClientEntry = Static<typeof ClientEntry>

/** `client_secret` is never shown again; null for a public client. */
export const CreatedClient = Type.Object({
  ...ClientEntry.properties,
  client_secret: described(nullable(Type.String()), 'Shown here and never again; null for a public client'),
})
export type CreatedClient = Static<typeof CreatedClient>

export const ClientId = Type.String({
  pattern: '^[\\w.-]{1,64}$',
  'x-messages': { pattern: 'A client id is up to 64 letters, digits, dots, dashes and underscores.' },
  description: 'Names the application: up to 64 letters, digits, dots, dashes and underscores',
})

/** Visible ASCII. */
export const ClientSecret = Type.String({
  pattern: '^[\\x21-\\x7e]{1,255}$',
  'x-messages': { pattern: 'A client secret is up to 255 visible ASCII characters.' },
  description: 'What the application proves itself with: visible ASCII',
})

/** A web address, or an app's own scheme with a dot in it (RFC 8252, 8.4), which `javascript` and `data` don't have. */
export const RedirectUri = Type.String({
  maxLength: 2048,
  pattern: '^(https?://[^\\s/?#]+[^\\s#]*|[A-Za-z][A-Za-z0-9+-]*(\\.[A-Za-z0-9+-]+)+:[^\\s#]*)$',
  'x-messages': {
    pattern:
      'A redirect URI must be a http or https URL, or have a scheme with a dot like com.example.app:/callback, and no fragment.',
  },
})

export const RedirectUris = described(
  Type.Array(RedirectUri, { minItems: 1, maxItems: 20, uniqueItems: true }),
  'Where browsers may be sent back to; on loopback hosts any port will do',
)

export const ClientScopes = described(
  Type.Array(Type.Enum([...allScopes]), {
    minItems: 1,
    maxItems: allScopes.length,
    uniqueItems: true,
  }),
  'The most that the application may ask for',
)

/**
 * Id and secret are generated by default, the name defaults to the id, `scopes` to all. A `public` client has no secret
 * and must use PKCE. On loopback hosts any port matches.
 */
export const CreateClientBody = closed({
  client_id: Type.Optional(ClientId),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Shown to users who are asked to let it in; the client id where it is left out',
    }),
  ),
  public: Type.Optional(
    Type.Boolean({ description: 'Whether it has no secret and must use PKCE; it has one where this is left out' }),
  ),
  client_secret: Type.Optional(ClientSecret),
  redirect_uris: RedirectUris,
  scopes: Type.Optional(ClientScopes),
})
export type CreateClientBody = Static<typeof CreateClientBody>

export const userEndpoints = {
  'control.users.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/users',
    summary: 'The world’s users',
    description: 'The seeded one first. Tokens can be minted for each.',
    success: { status: 200, message: 'Users listed', data: Type.Array(WorldUser) },
  }),
  'control.users.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/users',
    summary: 'Add a user, who has no accounts yet',
    description: 'Mint a token for the user, and open accounts with it.',
    body: CreateUserBody,
    success: { status: 201, message: 'User created', data: WorldUser },
  }),
  'control.tokens.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/tokens',
    summary: 'The access tokens, without their secrets',
    description: 'Those that were minted and those of OAuth, revoked ones included.',
    success: { status: 200, message: 'Tokens listed', data: Type.Array(TokenEntry) },
  }),
  'control.tokens.mint': controlEndpoint({
    method: 'POST',
    path: '/_emulator/tokens',
    summary: 'Make an access token for a user',
    description: 'Takes the place of a dashboard: the answer has the secret, and nothing shows it again.',
    body: MintTokenBody,
    success: { status: 201, message: 'Token minted', data: MintedToken },
  }),
  'control.tokens.revoke': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/tokens/{id}',
    summary: 'Make an access token invalid',
    description: 'Requests with it are answered with 401 from then on.',
    params: Type.Object({
      id: Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'Id of a token, as the list shows it' }),
    }),
    success: { status: 200, message: 'Token revoked', data: TokenEntry },
    errors: { 404: 'Token not found', 422: null },
  }),
  'control.clients.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/oauth-clients',
    summary: 'The OAuth clients, without their secrets',
    description: 'The emulator’s own is among them.',
    success: { status: 200, message: 'OAuth clients listed', data: Type.Array(ClientEntry) },
  }),
  'control.clients.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/oauth-clients',
    summary: 'Register an OAuth client',
    description: 'Users can let it in at once. The answer has its secret, and nothing shows it again.',
    body: CreateClientBody,
    success: { status: 201, message: 'OAuth client created', data: CreatedClient },
    errors: { 409: 'There is an OAuth client with this id already' },
  }),
  'control.clients.remove': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/oauth-clients/{client_id}',
    summary: 'Remove an OAuth client, with all tokens that users gave it',
    description: 'Browsers that come with its id see an error page from then on.',
    params: Type.Object({ client_id: ClientId }),
    success: { status: 200, message: 'OAuth client removed', data: ClientEntry },
    errors: { 404: 'OAuth client not found', 409: 'This client is the emulator’s own', 422: null },
  }),
} as const
