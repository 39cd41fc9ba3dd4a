/** Header with the key of a payment; a repeated key means the same payment. */
export const idempotencyHeader = 'X-Idempotency-Key'

/** Set to `true` on the answer to a repeated key. */
export const replayedHeader = 'Idempotent-Replayed'

/** Headers of every answer that counts against a rate limit. */
export const rateLimitHeaders = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const

/**
 * Id of an emulator's world. Every answer of an emulator's world has this header; no other service sends it. A reset
 * changes the id; a restart with the same data file does not. In a request: id of the intended world. The emulator
 * refuses the request (410) after that world has ended.
 */
export const worldHeader = 'X-Emulator-World'

/**
 * In a request to an emulator: `off` exempts the request from the world's chaos, so that chaos affects the program
 * under test but not the test's own calls.
 */
export const chaosHeader = 'X-Emulator-Chaos'

/** Headers with the id of a delivery, which is the same for all attempts, and the number of the attempt, from 1. */
export const deliveryHeaders = { id: 'X-Webhook-Id', attempt: 'X-Webhook-Attempt' } as const

/** Headers of the delivery itself; a subscription can't set them. */
const reservedHeaders = [
  'Host',
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'Upgrade',
  'Expect',
  'TE',
  'Trailer',
  'Proxy-Connection',
  'User-Agent',
  ...Object.values(deliveryHeaders),
]

const anyCase = (name: string) =>
  name.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)

/** Pattern of the names of extra headers that a subscription or signature may set. */
export const ownHeaderPattern = `^(?!(${reservedHeaders.map(anyCase).join('|')})$)[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,128}$`
