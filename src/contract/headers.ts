/** Names a payment; the same key again is the same payment. */
export const idempotencyHeader = 'X-Idempotency-Key'

/** Set to `true` on the answer to a repeated key. */
export const replayedHeader = 'Idempotent-Replayed'
