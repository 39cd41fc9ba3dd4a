/** Names a payment; the same key again is the same payment. */
export const idempotencyHeader = 'X-Idempotency-Key'

/** Set to `true` on the answer to a repeated key. */
export const replayedHeader = 'Idempotent-Replayed'

/** On every answer that counts against a limit. */
export const rateLimitHeaders = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const

/**
 * On every answer of an emulator, and of nothing else: the id of its world. A reset makes another world, a restart with
 * the same data file does not.
 */
export const worldHeader = 'X-Emulator-World'

/** Names a delivery, the same over all attempts at it, and counts the attempts from 1. */
export const deliveryHeaders = { id: 'X-Webhook-Id', attempt: 'X-Webhook-Attempt' } as const
