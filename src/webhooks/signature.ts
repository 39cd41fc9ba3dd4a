import { deliverySignature } from '../contract/delivery_signature.ts'
import type { Delivery } from './delivery.ts'

/** Header and secret to sign deliveries with. */
export interface Signing {
  readonly header: string
  readonly secret: string
}

/** A copy of the delivery with a new signature. */
export function signed(delivery: Delivery, { header, secret }: Signing): Delivery {
  const others = delivery.headers.filter(([name]) => name.toLowerCase() !== header.toLowerCase())
  return { ...delivery, headers: [...others, [header, deliverySignature(delivery.body, secret)]] }
}
