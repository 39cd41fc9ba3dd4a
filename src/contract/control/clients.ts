import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'
import { allScopes } from '../scopes.ts'

/** An application that users can let in. A `public` one has no secret; the secret of another is kept nowhere. */
export const ClientEntry = Type.Object({
  client_id: Type.String({ description: 'Names the application' }),
  name: Type.String({ description: 'Shown to users who are asked to let it in' }),
  public: Type.Boolean({ description: 'Whether it has no secret and must use PKCE, as native applications' }),
  redirect_uris: Type.Array(Type.String(), { description: 'Where browsers may be sent back to' }),
  scopes: Type.Array(Type.String(), { description: 'The most that it may ask for' }),
  created_at: described(Timestamp, 'When it was registered, UTC'),
})
export type ClientEntry = Static<typeof ClientEntry>

/** `client_secret` is shown here and never again; it is null for a public client. */
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

/**
 * A web address, or a scheme of the application's own, with a dot in it (RFC 8252, 8.4), which `javascript` and `data`
 * don't have.
 */
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
 * Id and secret are made up where not given, the name is the id, and without `scopes` it may ask for all. A `public` client
 * has no secret and must use PKCE. On loopback hosts any port will do.
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

export const clientEndpoints = {
  'control.clients.list': endpoint({
    method: 'GET',
    path: '/_emulator/oauth-clients',
    summary: 'The OAuth clients, without their secrets',
    description: 'The emulator’s own is among them.',
    access: 'control',
    success: { status: 200, message: 'OAuth clients listed', data: Type.Array(ClientEntry) },
    errors: controlErrors,
  }),
  'control.clients.create': endpoint({
    method: 'POST',
    path: '/_emulator/oauth-clients',
    summary: 'Register an OAuth client',
    description: 'Users can let it in at once. The answer has its secret, and nothing shows it again.',
    access: 'control',
    body: CreateClientBody,
    success: { status: 201, message: 'OAuth client created', data: CreatedClient },
    errors: { ...controlBodyErrors, 409: 'There is an OAuth client with this id already' },
  }),
  'control.clients.remove': endpoint({
    method: 'DELETE',
    path: '/_emulator/oauth-clients/{client_id}',
    summary: 'Remove an OAuth client, with all tokens that users gave it',
    description: 'Browsers that come with its id see an error page from then on.',
    access: 'control',
    params: Type.Object({ client_id: ClientId }),
    success: { status: 200, message: 'OAuth client removed', data: ClientEntry },
    errors: { ...controlErrors, 404: 'OAuth client not found', 409: 'This client is the emulator’s own', 422: null },
  }),
} as const
