import { createHmac } from 'node:crypto'

// Separate from the schemas: every run against a running emulator loads this file, and typebox takes several
// milliseconds.

/** Signature of a delivery: HMAC-SHA256 of the body's bytes, in hexadecimal. `secret` is the subscription's. */
export const deliverySignature = (rawBody: string | Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(rawBody).digest('hex')

export const identityPath = '/_emulator/identity'

/** Response to a challenge that requires the `secret`. */
export const identityProof = (secret: string, challenge: string): string =>
  createHmac('sha256', secret).update(challenge).digest('hex')
