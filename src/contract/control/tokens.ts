import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { closed, described, nullable, Timestamp, Uuid, uuidOf } from '../schemas/scalars.ts'
import { allScopes } from '../scopes.ts'

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

export const tokenEndpoints = {
  'control.tokens.list': endpoint({
    method: 'GET',
    path: '/_emulator/tokens',
    summary: 'The access tokens, without their secrets',
    description: 'Those that were minted and those of OAuth, revoked ones included.',
    access: 'control',
    success: { status: 200, message: 'Tokens listed', data: Type.Array(TokenEntry) },
    errors: controlErrors,
  }),
  'control.tokens.mint': endpoint({
    method: 'POST',
    path: '/_emulator/tokens',
    summary: 'Make an access token for a user',
    description: 'Takes the place of a dashboard: the answer has the secret, and nothing shows it again.',
    access: 'control',
    body: MintTokenBody,
    success: { status: 201, message: 'Token minted', data: MintedToken },
    errors: controlBodyErrors,
  }),
  'control.tokens.revoke': endpoint({
    method: 'DELETE',
    path: '/_emulator/tokens/{id}',
    summary: 'Make an access token invalid',
    description: 'Requests with it are answered with 401 from then on.',
    access: 'control',
    params: Type.Object({
      id: Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'Id of a token, as the list shows it' }),
    }),
    success: { status: 200, message: 'Token revoked', data: TokenEntry },
    errors: { ...controlErrors, 404: 'Token not found', 422: null },
  }),
} as const
