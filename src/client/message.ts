import type { Endpoint } from '../contract/endpoint.ts'
import type { EndpointId } from '../contract/endpoints.ts'
import { idempotencyHeader } from '../contract/headers.ts'
import { wireTable } from '../contract/wire_table.ts'
import { InvalidRequestError } from '../errors/service_errors.ts'
import type { RawRequest } from './client.ts'
import type { Shape } from './decode.ts'
import { checkHeaders, type Headers, mergeHeaders } from './header.ts'

/** A request of one call, the same for all of its attempts. */
export interface Message {
  readonly method: string
  /** Path and query after the base URL. */
  readonly path: string
  readonly headers: Headers
  /** JSON text. */
  readonly body: string | undefined
  /** Whether a token goes with it. */
  readonly authenticated: boolean
  /** Whether sending it twice is harmless. */
  readonly repeatable: boolean
  readonly movesMoney: boolean
  /** When it moves money: the statuses that say for certain that none moved. */
  readonly refusals: readonly number[]
  /** Whether success means that something is other than before. */
  readonly changes: boolean
  readonly idempotencyKey: string | undefined
  /** Undefined when any answer will do. */
  readonly expected?: Expected
}

/** The data of the answer. */
export interface Expected {
  readonly shape: Shape
  readonly list: Endpoint['list']
  /** Whether data that is something else altogether is a failure: a write that was carried out is a success all the same. */
  readonly isNeeded: boolean
}

type Values = Readonly<Record<string, unknown>>

export interface MessageParts {
  readonly params?: Values
  readonly query?: Values
  readonly headers?: Headers
  readonly body?: unknown
}

/** The request of one endpoint of the service. */
export function endpointMessage(id: EndpointId, parts: MessageParts): Message {
  const row: Endpoint | undefined = wireTable[id]
  if (row === undefined) throw new InvalidRequestError(`There is no endpoint ${JSON.stringify(id)}.`)
  return rowMessage(row, parts)
}

/** The request of one row of a table. */
export function rowMessage(row: Endpoint, parts: MessageParts): Message {
  const reads = row.method === 'GET'
  return {
    ...compose(fill(row.path, parts.params ?? {}), parts),
    method: row.method,
    authenticated: row.access !== 'public',
    repeatable: reads || row.checksOnly === true || row.idempotentBy !== undefined,
    movesMoney: row.movesMoney !== undefined,
    refusals: row.movesMoney?.refusals ?? [],
    changes: !reads && !row.checksOnly,
    expected: { shape: row.success.data as Shape, list: row.list, isNeeded: reads },
  }
}

/** A request to any path. It counts as a payment when it may be one. */
export function rawMessage(request: RawRequest): Message {
  const method = request.method.toUpperCase()
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') {
    throw new InvalidRequestError(`${JSON.stringify(request.method)} is not a method that can be sent.`)
  }
  if (!/^\/[\x21-\x7e]*$/.test(request.path) || request.path.includes('#')) {
    throw new InvalidRequestError('The path must start with / and have its special characters percent-encoded.')
  }
  const own = Object.keys(request.headers ?? {}).find((name) => transportHeaders.has(name.toLowerCase()))
  if (own !== undefined) throw new InvalidRequestError(`payctl sets the header ${own} itself.`)
  const message = compose(request.path, request)
  const reads = method === 'GET' || method === 'HEAD'
  const keyed = message.idempotencyKey !== undefined
  const changes = !reads && !isCheck(request.path)
  const payment = paymentAt(request.path)
  return {
    ...message,
    method,
    authenticated: true,
    repeatable: reads || keyed,
    movesMoney: changes && (keyed || payment !== undefined),
    refusals: payment?.refusals ?? anyRefusals,
    changes,
  }
}

const rows: readonly Endpoint[] = Object.values(wireTable)

/** Only by its own spelling: what is taken for a check must be one. */
const isCheck = (path: string): boolean => rows.some((row) => row.checksOnly && row.path === path.split('?', 1)[0])

/** By any spelling: a payment must not be taken for something else. */
const paymentAt = (path: string): Endpoint['movesMoney'] =>
  rows.find((row) => row.movesMoney && isPathOf(row, path))?.movesMoney

/** Whether a request's path leads to an endpoint, however it is spelt. */
export const isPathOf = (row: Endpoint, path: string): boolean =>
  new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i').test(spelling(path))

/**
 * Refusals of an endpoint that is in no table: who asks is not known, may not, or asks too often. They are settled before
 * what is asked for is looked at; what another status means only its own description could tell.
 */
const anyRefusals: readonly number[] = [401, 403, 429]

/** A path without its query, as most services read it: escapes, dots and slashes that change nothing are left out. */
function spelling(path: string): string {
  const { pathname } = new URL(`http://service${path}`)
  const plain = pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** Headers that belong to the connection. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function compose(path: string, { query = {}, headers = {}, body }: MessageParts) {
  checkHeaders(headers)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const key = Object.entries(headers).find(([name]) => name.toLowerCase() === idempotencyHeader.toLowerCase())
  return {
    path: withQuery(path, query),
    headers: mergeHeaders(text === undefined ? {} : { 'Content-Type': 'application/json' }, headers),
    body: text,
    idempotencyKey: key?.[1],
  }
}

const fill = (template: string, params: Values): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '')
    // An empty or dotted segment would name another endpoint.
    if (/^\.{0,2}$/.test(value)) throw new InvalidRequestError(`The path parameter ${name} is missing or not valid.`)
    return encodeURIComponent(value)
  })

function withQuery(path: string, query: Values): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return path
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `${path}${path.includes('?') ? '&' : '?'}${text}`
}
