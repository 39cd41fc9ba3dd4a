import { createHmac, timingSafeEqual } from 'node:crypto'

// Separate from the schemas: every run against a running emulator loads this file, and typebox takes several
// milliseconds.

/**
 * Signature of a delivery: HMAC-SHA256 of the body's bytes, in hexadecimal. `secret` is the secret of the subscription.
 */
export const deliverySignature = (rawBody: string | Uint8Array, secret: string): string =>
  createHmac('sha256', secret).update(rawBody).digest('hex')

/**
 * True if `signature`, the value of the header, is the body's HMAC-SHA256 with the secret, in hexadecimal. Compares in
 * constant time. `rawBody` is the body as received, before any parser. Throws TypeError for a parsed body or an empty
 * secret.
 */
export function verifyDelivery(
  rawBody: string | Uint8Array | ArrayBuffer,
  signature: string | readonly string[] | null | undefined,
  secret: string,
): boolean {
  const body = rawBody instanceof ArrayBuffer ? new Uint8Array(rawBody) : rawBody
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError(
      'verifyDelivery takes the raw body, a string or bytes. A parsed body no longer has its original bytes.',
    )
  }
  if (typeof secret !== 'string' || secret === '') {
    throw new TypeError("verifyDelivery needs the subscription's secret: a string that is not empty.")
  }
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature)) return false
  return timingSafeEqual(Buffer.from(signature, 'hex'), Buffer.from(deliverySignature(body, secret), 'hex'))
}

export const identityPath = '/_emulator/identity'

/** Response to a challenge; proves that the sender knows the `secret`. */
export const identityProof = (secret: string, challenge: string): string =>
  createHmac('sha256', secret).update(challenge).digest('hex')
