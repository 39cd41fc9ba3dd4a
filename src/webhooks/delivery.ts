import { createHash } from 'node:crypto'
import { deliveryHeaders } from '../contract/headers.ts'

/** Names and values in the order, the case and the number in which they came. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** A delivery as it came, without the headers of the connection and of this receiver. */
export interface Delivery {
  /** ISO 8601 UTC. */
  readonly receivedAt: string
  readonly headers: HeaderList
  readonly body: Buffer
}

/** Marks an event that payctl made from the history, because no delivery of it came. */
export const recoveredHeader = 'X-Payctl-Recovered'

/** The service's id of the delivery; null where it gives none. */
export const idOf = ({ headers }: Delivery): string | null => headerValue(headers, deliveryHeaders.id) ?? null

/** Counted from 1; null where the service does not say. */
export function attemptOf({ headers }: Delivery): number | null {
  const attempt = headerValue(headers, deliveryHeaders.attempt) ?? ''
  return /^\d{1,9}$/.test(attempt) ? Number(attempt) : null
}

/** The same for every attempt at one delivery, also where the service gives it no id. */
export const identityOf = (delivery: Delivery): string =>
  idOf(delivery)?.slice(0, 255) ?? createHash('sha256').update(delivery.body).digest('base64')

const headerValue = (headers: HeaderList, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1]

/** Headers of one connection; the sender of a message makes its own. */
const hopByHop = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of the message. `raw` alternates names and values; `own` is dropped, and what `Connection` names. */
export function endToEnd(raw: readonly string[], own: string): HeaderList {
  const all = Array.from({ length: raw.length / 2 }, (_, at) => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''] as const)
  const named = all.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim().toLowerCase()), own.toLowerCase()])
  return all.filter(([name]) => !dropped.has(name.toLowerCase()))
}
