import { isUtf8 } from 'node:buffer'
import type { Delivery } from './delivery.ts'
import type { HeaderList } from './header_list.ts'

/** A line of a file of deliveries. A body that is no text in UTF-8 is kept as base64, so that no byte is lost. */
export interface SavedDelivery {
  readonly received_at: string
  /** By name, as it came; a list where the name came more than once. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  readonly body_base64?: string
}

export function toLine({ receivedAt, headers, body }: Delivery): string {
  const values = Map.groupBy(headers, ([name]) => name)
  const named = [...values].map(([name, all]) => [name, all.length === 1 ? all[0]?.[1] : all.map(([, value]) => value)])
  const content = isUtf8(body) ? { body: body.toString() } : { body_base64: body.toString('base64') }
  return `${JSON.stringify({ received_at: receivedAt, headers: Object.fromEntries(named), ...content })}\n`
}

/** Throws an error with a short reason when the line holds no delivery. */
export function fromLine(line: string): Delivery {
  const saved = parse(line)
  const { received_at: receivedAt = '', headers = {}, body, body_base64: base64 } = saved
  const text = typeof body === 'string' ? Buffer.from(body) : undefined
  const bytes = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined
  const content = text ?? bytes
  if (!content) throw new Error('it has no body')
  return { receivedAt: String(receivedAt), headers: headerList(headers), body: content }
}

function parse(line: string): Partial<SavedDelivery> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error('it is not JSON, or cut off')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is no object')
  return value as Partial<SavedDelivery>
}

function headerList(headers: SavedDelivery['headers']): HeaderList {
  const list = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, String(value)] as const),
  )
  const isWrong = ([name, value]: HeaderList[number]) =>
    !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  if (list.some(isWrong)) throw new Error('it has a header that HTTP cannot carry')
  return list
}
