import { createHash } from 'node:crypto'
import { connectionHeaders } from '../client/header.ts'
import { deliveryHeaders } from '../contract/headers.ts'

/** Names and values as received, with order, case and repetitions. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** A delivery without the headers of its connection and of this receiver. */
export interface Delivery {
  /** ISO 8601 UTC. */
  readonly receivedAt: string
  readonly headers: HeaderList
  readonly body: Buffer
}

/** Marks an event that payctl reconstructed from the history. */
export const recoveredHeader = 'X-Payctl-Recovered'

/** The service's delivery id; null if there is none. */
export const idOf = ({ headers }: Delivery): string | null => headerValue(headers, deliveryHeaders.id) ?? null

/** Number of the attempt, from 1; null if the service does not say. */
export function attemptOf({ headers }: Delivery): number | null {
  const attempt = headerValue(headers, deliveryHeaders.attempt) ?? ''
  return /^\d{1,9}$/.test(attempt) ? Number(attempt) : null
}

/** Key shared by all attempts at one delivery, even if the delivery has no id. */
export const identityOf = (delivery: Delivery): string =>
  idOf(delivery)?.slice(0, 255) ?? createHash('sha256').update(delivery.body).digest('base64')

const headerValue = (headers: HeaderList, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1]

/** Headers of one connection, which are not forwarded. */
const hopByHop = [...connectionHeaders, 'proxy-authenticate', 'proxy-authorization', 'proxy-connection']

/**
 * End-to-end headers of the message. `raw` alternates names and values. Drops the header `own`, and headers that
 * `Connection` lists.
 */
export function endToEnd(raw: readonly string[], own: string): HeaderList {
  const all = Array.from({ length: raw.length / 2 }, (_, at) => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''] as const)
  const named = all.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim().toLowerCase()), own.toLowerCase()])
  return all.filter(([name]) => !dropped.has(name.toLowerCase()))
}
