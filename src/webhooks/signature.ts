import { deliverySignature } from '../contract/delivery_signature.ts'
import type { Delivery } from './delivery.ts'

/** How deliveries are signed: in which header, and with the secret of which subscription. */
export interface Signing {
  readonly header: string
  readonly secret: string
}

/** A delivery with this signature in place of the one it came with. */
export function signed(delivery: Delivery, { header, secret }: Signing): Delivery {
  const others = delivery.headers.filter(([name]) => name.toLowerCase() !== header.toLowerCase())
  return { ...delivery, headers: [...others, [header, deliverySignature(delivery.body, secret)]] }
}
