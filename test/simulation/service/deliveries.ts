import type { IncomingHttpHeaders } from 'node:http'
import { deliveryHeaders } from '../../../src/contract/index.ts'

// Deliveries of the service's default world, observed when they are sent and when they arrive.

export interface Delivery {
  /** Target of the delivery. */
  readonly url: string
  /** Headers, with their names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly id: string
  readonly attempt: number
  readonly event: string
  /** Id of the payment. */
  readonly payment: string
}

/** Copies of the world have longer delivery ids; the simulation does not check the deliveries of copies. */
export const ofOwnWorld = /^whd_\d{12}$/

/** Undefined for a delivery of another world. */
export function deliveryOf(message: Pick<Delivery, 'url' | 'headers' | 'body'>): Delivery | undefined {
  const { headers, body } = message
  const id = String(headers[deliveryHeaders.id.toLowerCase()])
  if (!ofOwnWorld.test(id)) return undefined
  const { event, data } = JSON.parse(body) as { readonly event: string; readonly data: { readonly id: string } }
  return { ...message, id, attempt: Number(headers[deliveryHeaders.attempt.toLowerCase()]), event, payment: data.id }
}

/** Parses the delivery in a request's bytes. */
export function deliverySent(bytes: Buffer): Delivery | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => pairOf(line)))
  const path = first.split(' ', 2)[1]
  return deliveryOf({ url: `http://${headers.host}${path}`, headers, body: bytes.toString('utf8', end + 4) })
}

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
}
