import { createHash } from 'node:crypto'
import { deliveryHeaders } from '../contract/headers.ts'
import { type HeaderList, headerValue } from './header_list.ts'

/** A delivery as it came, without what belongs to the connection or to this receiver. */
export interface Delivery {
  /** ISO 8601 UTC. */
  readonly receivedAt: string
  readonly headers: HeaderList
  readonly body: Buffer
}

/** Marks what payctl made of a payment in the history, as no delivery of it came. */
export const recoveredHeader = 'X-Payctl-Recovered'

/** What the service calls the delivery; null where it does not say. */
export const idOf = ({ headers }: Delivery): string | null => headerValue(headers, deliveryHeaders.id) ?? null

/** Counted from 1; null where the service does not say. */
export function attemptOf({ headers }: Delivery): number | null {
  const attempt = headerValue(headers, deliveryHeaders.attempt) ?? ''
  return /^\d{1,9}$/.test(attempt) ? Number(attempt) : null
}

/** The same for every attempt at one delivery, also where the service gives it no name. */
export const identityOf = (delivery: Delivery): string =>
  idOf(delivery)?.slice(0, 255) ?? createHash('sha256').update(delivery.body).digest('base64')
