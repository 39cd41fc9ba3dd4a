import { timingSafeEqual } from 'node:crypto'
import { deliverySignature } from '../contract/signatures.ts'

/**
 * True if `signature`, the value of the header, is the body's HMAC-SHA256 with the secret, in hexadecimal. Compares in
 * constant time. `rawBody` is the body as received, before any parser. Throws TypeError for a parsed body or an empty
 * secret.
 */
export function verifyDelivery(
  rawBody: string | Uint8Array,
  signature: string | readonly string[] | null | undefined,
  secret: string,
): boolean {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('verifyDelivery takes the raw body, a string or bytes. A parsed body has lost them.')
  }
  if (typeof secret !== 'string' || secret === '') throw new TypeError('verifyDelivery takes the secret as a string.')
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature)) return false
  return timingSafeEqual(Buffer.from(signature, 'hex'), Buffer.from(deliverySignature(rawBody, secret), 'hex'))
}
