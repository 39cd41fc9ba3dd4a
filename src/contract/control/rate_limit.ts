import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'

/** Requests per minute; null: no limit. */
export const RateLimit = nullable(
  Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Requests a minute' }),
)

/**
 * `limit`: requests per minute for each client and endpoint; null: none. `exhausted`: used up for all clients until
 * `resets_at`, the end of the minute on the emulator's clock.
 */
export const RateLimitState = Type.Object({
  limit: RateLimit,
  exhausted: Type.Boolean({ description: 'Whether it is used up for everybody' }),
  resets_at: described(Timestamp, 'When the minute of the world’s clock is over, UTC'),
})

/** Absent members don't change. */
export const RateLimitBody = closed({
  limit: Type.Optional(RateLimit),
  exhausted: Type.Optional(
    Type.Boolean({ description: 'True uses it up for everybody until the minute of the world’s clock is over' }),
  ),
})

export const rateLimitEndpoints = {
  'control.rateLimit.get': endpoint({
    method: 'GET',
    path: '/_emulator/rate-limit',
    summary: 'How many requests a minute are allowed',
    description: 'For each client and endpoint, in a minute of the world’s clock.',
    access: 'control',
    success: { status: 200, message: 'Rate limit read', data: RateLimitState },
    errors: controlErrors,
  }),
  'control.rateLimit.set': endpoint({
    method: 'POST',
    path: '/_emulator/rate-limit',
    summary: 'Set how many requests a minute are allowed, or use them up for everybody',
    description:
      'What is left out stays as it is. Used up, every counted request is answered with 429 until the minute is over.',
    access: 'control',
    body: RateLimitBody,
    success: { status: 200, message: 'Rate limit set', data: RateLimitState },
    errors: { ...controlBodyErrors, 409: 'There is no rate limit to use up' },
  }),
} as const
