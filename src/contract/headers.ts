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
 * the same data file does not. On a request: the world that it is for. An emulator refuses it (410) once that has ended.
 */
export const worldHeader = 'X-Emulator-World'

/** Names a delivery, the same over all attempts at it, and counts the attempts from 1. */
export const deliveryHeaders = { id: 'X-Webhook-Id', attempt: 'X-Webhook-Attempt' } as const

/** Headers that belong to the delivery itself; a subscription can't set them. */
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

/** A name that a subscription, or a signature, may give a header of its deliveries. */
export const ownHeaderPattern = `^(?!(${reservedHeaders.map(anyCase).join('|')})$)[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,128}$`
