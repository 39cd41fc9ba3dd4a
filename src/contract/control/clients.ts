import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { Timestamp } from '../schemas/scalars.ts'
import { allScopes } from '../scopes.ts'

/** An application that users can let in. Its secret is kept nowhere. */
export const ClientEntry = Type.Object({
  client_id: Type.String(),
  name: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
})
export type ClientEntry = Static<typeof ClientEntry>

/** `client_secret` is shown here and never again. */
export const CreatedClient = Type.Object({ ...ClientEntry.properties, client_secret: Type.String() })
export type CreatedClient = Static<typeof CreatedClient>

/** The id is made up where not given; without `scopes` it may ask for all. On loopback hosts any port will do. */
export const CreateClientBody = Type.Object({
  client_id: Type.Optional(Type.String({ pattern: '^[\\w.-]{1,64}$' })),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  redirect_uris: Type.Array(
    Type.String({
      maxLength: 2048,
      pattern: '^https?://[^\\s/?#]+[^\\s#]*$',
      'x-messages': { pattern: 'A redirect URI must be a http or https URL without a fragment.' },
    }),
    { minItems: 1, maxItems: 20, uniqueItems: true },
  ),
  scopes: Type.Optional(
    Type.Array(Type.Enum([...allScopes]), { minItems: 1, maxItems: allScopes.length, uniqueItems: true }),
  ),
})
export type CreateClientBody = Static<typeof CreateClientBody>

export const clientEndpoints = {
  'control.clients.list': endpoint({
    method: 'GET',
    path: '/_emulator/oauth-clients',
    summary: 'The OAuth clients, without their secrets',
    access: 'control',
    success: { status: 200, message: 'OAuth clients listed', data: Type.Array(ClientEntry) },
    errors: controlErrors,
  }),
  'control.clients.create': endpoint({
    method: 'POST',
    path: '/_emulator/oauth-clients',
    summary: 'Register an OAuth client',
    access: 'control',
    body: CreateClientBody,
    success: { status: 201, message: 'OAuth client created', data: CreatedClient },
    errors: { ...controlBodyErrors, 409: 'There is an OAuth client with this id already' },
  }),
} as const
