import { createHmac } from 'node:crypto'

/** Signature of a delivery: HMAC-SHA256 of the body's bytes, in hexadecimal. `secret` is the subscription's. */
export const deliverySignature = (rawBody: string | Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(rawBody).digest('hex')
