import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { nullable, Timestamp } from '../schemas/scalars.ts'

/** Null: no limit. */
export const RateLimit = nullable(
  Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'requests a minute' }),
)

/**
 * `limit` is for each client and endpoint; null: none. `exhausted`: it is used up for everybody until `resets_at`, when
 * the minute of the emulator's clock is over.
 */
export const RateLimitState = Type.Object({ limit: RateLimit, exhausted: Type.Boolean(), resets_at: Timestamp })
export type RateLimitState = Static<typeof RateLimitState>

/** What is left out stays as it is. */
export const RateLimitBody = Type.Object({
  limit: Type.Optional(RateLimit),
  exhausted: Type.Optional(Type.Boolean()),
})

export const rateLimitEndpoints = {
  'control.rateLimit.get': endpoint({
    method: 'GET',
    path: '/_emulator/rate-limit',
    summary: 'How many requests a minute are allowed',
    access: 'control',
    success: { status: 200, message: 'Rate limit read', data: RateLimitState },
    errors: controlErrors,
  }),
  'control.rateLimit.set': endpoint({
    method: 'POST',
    path: '/_emulator/rate-limit',
    summary: 'Set how many requests a minute are allowed, or use them up for everybody',
    access: 'control',
    body: RateLimitBody,
    success: { status: 200, message: 'Rate limit set', data: RateLimitState },
    errors: { ...controlBodyErrors, 409: 'There is no rate limit to use up' },
  }),
} as const
