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

export const WorldUser = Type.Object({
  id: described(Uuid, 'Permanent id of the user'),
  name: Type.String({ description: 'First and last names of the user' }),
  email: Type.String({ description: 'Email address of the user' }),
  phone: described(
    nullable(Type.String()),
    'Eight digits of the phone number enrolled in SINPE Móvil; null if no number is enrolled',
  ),
  document_number: Type.String({ description: 'Identity document of the user in raw form' }),
  document_type: DocumentType,
  created_at: described(Timestamp, 'Time when the user was added, UTC'),
})
export type WorldUser = Static<typeof WorldUser>

export const CreateUserBody = closed({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'First and last names of the user' }),
  email: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\s@]+@[^\\s@]+$',
      'x-messages': { pattern: 'The email field must be a valid email address.' },
      description: 'Email address of the user. Default: generated',
    }),
  ),
  phone: Type.Optional(described(nullable(Phone), 'Phone to enrol in SINPE Móvil. Default: none')),
  document_number: Type.Optional(described(DocumentNumber, 'Identity document in raw form. Default: generated')),
  document_type: Type.Optional(
    described(DocumentType, 'SINPE’s number for the type of document. Default: derived from the number'),
  ),
})
export type CreateUserBody = Static<typeof CreateUserBody>

const Scope = Type.Enum([...allScopes])

export const TokenEntry = Type.Object({
  id: Type.Integer({ description: 'Id of the token; the id is not a secret' }),
  user: described(Uuid, 'Id of the token’s user'),
  scopes: Type.Array(Type.String(), { description: 'Scopes that the token grants' }),
  expires_at: described(nullable(Timestamp), 'Expiry of the token, UTC; null if it never expires'),
  revoked_at: described(nullable(Timestamp), 'Time of its revocation, UTC; null if it was not revoked'),
  created_at: described(Timestamp, 'Time of creation, UTC'),
})
export type TokenEntry = Static<typeof TokenEntry>

export const MintedToken = Type.Object({
  ...TokenEntry.properties,
  token: Type.String({ description: 'Secret of the token, shown only here' }),
})

export const MintTokenBody = closed({
  user: Type.Optional(described(nullable(uuidOf('User ID')), 'Id of a user. Default: the seeded user')),
  scopes: Type.Optional(
    described(
      nullable(Type.Array(Scope, { minItems: 1, maxItems: allScopes.length, uniqueItems: true })),
      'Scopes that the token grants. Default: all',
    ),
  ),
  expires_in: Type.Optional(
    described(
      nullable(Type.Integer({ minimum: 1, maximum: 60 * 60 * 24 * 3660 })),
      'Lifetime in seconds of the world’s clock. Default: unlimited',
    ),
  ),
})

/**
 * An application that users can authorize. A `public` application has no secret. Any other application has a secret,
 * but the secret itself is not stored.
 */
export const ClientEntry = Type.Object({
  client_id: Type.String({ description: 'Id of the application' }),
  name: Type.String({ description: 'Name of the application on the consent page' }),
  public: Type.Boolean({ description: 'True if the client has no secret and must use PKCE, like native applications' }),
  redirect_uris: Type.Array(Type.String(), { description: 'URIs that browsers may be redirected to' }),
  scopes: Type.Array(Type.String(), { description: 'Scopes that the client may request' }),
  created_at: described(Timestamp, 'Time of registration, UTC'),
})
export type ClientEntry = Static<typeof ClientEntry>

export const CreatedClient = Type.Object({
  ...ClientEntry.properties,
  client_secret: described(
    nullable(Type.String()),
    'Secret of the application, shown only here; null for a public client',
  ),
})
export type CreatedClient = Static<typeof CreatedClient>

export const ClientId = Type.String({
  pattern: '^[\\w.-]{1,64}$',
  'x-messages': { pattern: 'A client id must have 1 to 64 characters: letters, digits, dots, dashes and underscores.' },
  description: 'Id of the application, 1 to 64 characters: letters, digits, dots, dashes and underscores',
})

export const ClientSecret = Type.String({
  pattern: '^[\\x21-\\x7e]{1,255}$',
  'x-messages': { pattern: 'A client secret must have 1 to 255 visible ASCII characters.' },
  description: 'Secret of the application: visible ASCII characters',
})

/**
 * A web address, or a URI with an app's own scheme, which has a dot (RFC 8252, 8.4): `javascript` and `data` have no
 * dot.
 */
export const RedirectUri = Type.String({
  maxLength: 2048,
  pattern: '^(https?://[^\\s/?#]+[^\\s#]*|[A-Za-z][A-Za-z0-9+-]*(\\.[A-Za-z0-9+-]+)+:[^\\s#]*)$',
  'x-messages': {
    pattern:
      'A redirect URI must be an http or https URL, or have a scheme with a dot like com.example.app:/callback, and no fragment.',
  },
})

export const RedirectUris = described(
  Type.Array(RedirectUri, { minItems: 1, maxItems: 20, uniqueItems: true }),
  'URIs that browsers may be redirected to; on a loopback host any port matches',
)

export const ClientScopes = described(
  Type.Array(Type.Enum([...allScopes]), {
    minItems: 1,
    maxItems: allScopes.length,
    uniqueItems: true,
  }),
  'Scopes that the application may request',
)

export const CreateClientBody = closed({
  client_id: Type.Optional(
    described(
      ClientId,
      'Id of the application, 1 to 64 characters: letters, digits, dots, dashes and underscores. Default: generated',
    ),
  ),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Name of the application on the consent page. Default: its id',
    }),
  ),
  public: Type.Optional(
    Type.Boolean({ description: 'True if the client has no secret and must use PKCE. Default: false' }),
  ),
  client_secret: Type.Optional(
    described(
      ClientSecret,
      'Secret of the application: visible ASCII characters. Default: generated. A public client has none',
    ),
  ),
  redirect_uris: RedirectUris,
  scopes: Type.Optional(described(ClientScopes, 'Scopes that the application may request. Default: all')),
})
export type CreateClientBody = Static<typeof CreateClientBody>

export const userEndpoints = {
  'control.users.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/users',
    summary: 'Users of the world',
    description: 'The seeded user comes first. Tokens can be made for each user.',
    success: { status: 200, message: 'Users listed', data: Type.Array(WorldUser) },
  }),
  'control.users.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/users',
    summary: 'Add a user without accounts',
    description: 'Make a token for the user, and open accounts with it.',
    body: CreateUserBody,
    success: { status: 201, message: 'User created', data: WorldUser },
  }),
  'control.tokens.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/tokens',
    summary: 'Access tokens, without their secrets',
    description: 'Includes tokens of OAuth and revoked tokens.',
    success: { status: 200, message: 'Tokens listed', data: Type.Array(TokenEntry) },
  }),
  'control.tokens.mint': controlEndpoint({
    method: 'POST',
    path: '/_emulator/tokens',
    summary: 'Make an access token for a user',
    description: 'Replaces the dashboard. The answer has the secret, which is never shown again.',
    body: MintTokenBody,
    success: { status: 201, message: 'Token minted', data: MintedToken },
  }),
  'control.tokens.revoke': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/tokens/{id}',
    summary: 'Revoke an access token',
    description: 'Later requests with the token are answered with 401.',
    params: Type.Object({
      id: Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'Id of a token, as listed' }),
    }),
    success: { status: 200, message: 'Token revoked', data: TokenEntry },
    errors: { 404: 'Token not found', 422: null },
  }),
  'control.clients.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/oauth-clients',
    summary: 'OAuth clients, without their secrets',
    description: 'Includes the emulator’s own client.',
    success: { status: 200, message: 'OAuth clients listed', data: Type.Array(ClientEntry) },
  }),
  'control.clients.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/oauth-clients',
    summary: 'Register an OAuth client',
    description:
      'Users can authorize the client at once. The answer has the client’s secret, which is never shown again.',
    body: CreateClientBody,
    success: { status: 201, message: 'OAuth client created', data: CreatedClient },
    errors: { 409: 'An OAuth client with this id already exists' },
  }),
  'control.clients.remove': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/oauth-clients/{client_id}',
    summary: 'Remove an OAuth client, with all its tokens',
    description: 'Later authorization requests with the client’s id end on an error page.',
    params: Type.Object({ client_id: ClientId }),
    success: { status: 200, message: 'OAuth client removed', data: ClientEntry },
    errors: { 404: 'OAuth client not found', 409: 'This client is the emulator’s own', 422: null },
  }),
} as const
