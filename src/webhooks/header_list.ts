/** Names and values in the order, the case and the number in which they came. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** Headers of the connection, not of the message; the sender of a message makes its own. */
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

/** `raw` alternates names and values. `Connection` names further headers that end here. */
export function endToEnd(raw: readonly string[], own: string): HeaderList {
  const all = Array.from({ length: raw.length / 2 }, (_, at) => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''] as const)
  const named = all.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim().toLowerCase()), own.toLowerCase()])
  return all.filter(([name]) => !dropped.has(name.toLowerCase()))
}

export const headerValue = (headers: HeaderList, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1]
