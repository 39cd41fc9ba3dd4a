import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { nullable, Timestamp, Uuid, uuidOf } from '../schemas/scalars.ts'
import { allScopes } from '../scopes.ts'

const Scope = Type.Enum([...allScopes])

/** `expires_at` is null for a token that never does; `revoked_at` is when it was made invalid. Its secret is kept nowhere. */
export const TokenEntry = Type.Object({
  id: Type.Integer(),
  user: Uuid,
  scopes: Type.Array(Type.String()),
  expires_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  created_at: Timestamp,
})
export type TokenEntry = Static<typeof TokenEntry>

/** `token` is the secret: it is shown here and never again. */
export const MintedToken = Type.Object({ ...TokenEntry.properties, token: Type.String() })
export type MintedToken = Static<typeof MintedToken>

/** The seeded user, every scope and no end where not given; `expires_in` is in seconds of the world's clock. */
export const MintTokenBody = Type.Object({
  user: Type.Optional(nullable(uuidOf('User ID'))),
  scopes: Type.Optional(nullable(Type.Array(Scope, { minItems: 1, maxItems: allScopes.length, uniqueItems: true }))),
  expires_in: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 60 * 60 * 24 * 3660 }))),
})
export type MintTokenBody = Static<typeof MintTokenBody>

export const tokenEndpoints = {
  'control.tokens.list': endpoint({
    method: 'GET',
    path: '/_emulator/tokens',
    summary: 'The access tokens, without their secrets',
    access: 'control',
    success: { status: 200, message: 'Tokens listed', data: Type.Array(TokenEntry) },
    errors: controlErrors,
  }),
  'control.tokens.mint': endpoint({
    method: 'POST',
    path: '/_emulator/tokens',
    summary: 'Make an access token for a user',
    access: 'control',
    body: MintTokenBody,
    success: { status: 201, message: 'Token minted', data: MintedToken },
    errors: controlBodyErrors,
  }),
  'control.tokens.revoke': endpoint({
    method: 'DELETE',
    path: '/_emulator/tokens/{id}',
    summary: 'Make an access token invalid',
    access: 'control',
    params: Type.Object({ id: Type.String({ pattern: '^[1-9]\\d{0,14}$' }) }),
    success: { status: 200, message: 'Token revoked', data: TokenEntry },
    errors: { ...controlErrors, 404: 'Token not found', 422: null },
  }),
} as const
